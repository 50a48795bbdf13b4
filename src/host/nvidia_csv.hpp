// nvidia-smi --query-gpu=... --format=csv
#pragma once

#include "host/machine.hpp"

namespace gpuadvise::host {

// Whether the first line is a header of query fields.
[[nodiscard]] bool is_nvidia_csv(std::string_view text);
// Throws Error{bad_data}.
[[nodiscard]] Machine read_nvidia_csv(std::string_view text, const std::string& file);

}  // namespace gpuadvise::host
