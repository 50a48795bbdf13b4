// What nvidia-smi prints for people: the table, the list (-L) and the topology matrix (topo -m).
#pragma once

#include "host/machine.hpp"

namespace gpuadvise::host {

[[nodiscard]] bool is_nvidia_table(std::string_view text);
[[nodiscard]] Machine read_nvidia_table(std::string_view text);

// "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)" and the MIG lines below it; also as collect_env shows it, without UUID.
[[nodiscard]] bool is_nvidia_list(std::string_view text);
[[nodiscard]] Machine read_nvidia_list(std::string_view text);

[[nodiscard]] bool is_nvidia_topology(std::string_view text);
[[nodiscard]] Machine read_nvidia_topology(std::string_view text);

}  // namespace gpuadvise::host
