// Asks this machine's own tools.
#pragma once

#include "host/machine.hpp"
#include "host/process.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gpuadvise::host {

// Runs a tool; tests put recorded outputs in its place.
using ToolRunner = std::function<ToolOutput(const std::vector<std::string>&)>;

struct Probed {
  Machine machine;
  std::vector<std::string> tried;  // "nvidia-smi: not found"
};

// The first maker's tool that lists GPUs, with those of the other makers added after it. Throws Error{host_unreadable} naming what was
// tried.
[[nodiscard]] Probed probe(const ToolRunner& run);

// Every command that probe may run, with what it printed, for a report of a fault.
[[nodiscard]] std::string raw_outputs(const ToolRunner& run);

}  // namespace gpuadvise::host
