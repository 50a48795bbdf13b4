// What a key of AMD's tools says about a GPU; text and JSON use the same keys.
#pragma once

#include "host/machine.hpp"

namespace gpuadvise::host {

// Keys are compared without case; those without meaning here are left alone.
void read_rocm_field(std::string_view key, std::string_view value, HostGpu& gpu);
// Processor graphics that are no compute device, by GFX target or PCI id.
[[nodiscard]] bool is_amd_processor_graphics(const HostGpu& gpu);

}  // namespace gpuadvise::host
