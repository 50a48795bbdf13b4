// The GPUs found in a machine.
#pragma once

#include "host/machine.hpp"
#include "report/style.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

[[nodiscard]] std::string host_text(const host::Machine& machine, const TextStyle& style);
[[nodiscard]] std::string host_json(const host::Machine& machine, std::string_view data_version);

}  // namespace gpuadvise::report
