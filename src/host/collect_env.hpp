// What PyTorch says about a machine: python -m torch.utils.collect_env, and its warning about a card without a build.
#pragma once

#include "host/machine.hpp"

namespace gpuadvise::host {

[[nodiscard]] bool is_collect_env(std::string_view text);
[[nodiscard]] Machine read_collect_env(std::string_view text);

// "NAME with CUDA capability sm_120 is not compatible with the current PyTorch installation."
[[nodiscard]] bool is_architecture_warning(std::string_view text);
[[nodiscard]] Machine read_architecture_warning(std::string_view text);

}  // namespace gpuadvise::host
