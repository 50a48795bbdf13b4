// xpu-smi discovery, for Intel's GPUs.
#pragma once

#include "host/machine.hpp"

namespace gpuadvise::host {

[[nodiscard]] bool is_xpu_table(std::string_view text);
[[nodiscard]] Machine read_xpu_table(std::string_view text);

// One key of the table ("Device Name") or of the JSON form ("device_name").
void read_xpu_field(std::string_view key, std::string_view value, HostGpu& gpu, Machine& machine);

}  // namespace gpuadvise::host
