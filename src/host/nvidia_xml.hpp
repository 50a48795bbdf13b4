// nvidia-smi -q -x
#pragma once

#include "host/machine.hpp"

namespace gpuadvise::host {

// Throws Error{bad_data} for text that is no XML, or another document.
[[nodiscard]] Machine read_nvidia_xml(std::string_view text, const std::string& file);

}  // namespace gpuadvise::host
