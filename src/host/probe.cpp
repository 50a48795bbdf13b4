#include "host/probe.hpp"

#include <gpuadvise/error.hpp>

#include "units/joined.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace gpuadvise::host {
namespace {

// One maker: the command that lists the GPUs, in the order of preference, then those that add to it.
struct Maker {
  std::span<const std::vector<std::string>> lists;
  std::span<const std::vector<std::string>> more;
};

const std::vector<std::vector<std::string>>& nvidia_lists() {
  // WSL keeps the tool outside of PATH.
  static const std::vector<std::vector<std::string>> commands{{"nvidia-smi", "-q", "-x"}, {"/usr/lib/wsl/lib/nvidia-smi", "-q", "-x"}};
  return commands;
}

const std::vector<std::vector<std::string>>& nvidia_more() {
  static const std::vector<std::vector<std::string>> commands{{"nvidia-smi", "-L"}, {"nvidia-smi", "topo", "-m"}};
  return commands;
}

const std::vector<std::vector<std::string>>& amd_lists() {
  static const std::vector<std::vector<std::string>> commands{
      {"rocm-smi", "--showproductname", "--showid", "--showbus", "--showmeminfo", "vram", "--showdriverversion", "--json"},
      {"/opt/rocm/bin/rocm-smi", "--showproductname", "--showid", "--showbus", "--showmeminfo", "vram", "--showdriverversion", "--json"},
      {"amd-smi", "static", "--asic", "--bus", "--vram", "--json"}};
  return commands;
}

const std::vector<std::vector<std::string>>& amd_more() {
  static const std::vector<std::vector<std::string>> commands{{"amd-smi", "metric", "--mem-usage", "--json"}};
  return commands;
}

const std::vector<std::vector<std::string>>& intel_lists() {
  static const std::vector<std::vector<std::string>> commands{{"xpu-smi", "discovery", "-j"}};
  return commands;
}

std::vector<Maker> makers() {
  return {{nvidia_lists(), nvidia_more()}, {amd_lists(), amd_more()}, {intel_lists(), {}}};
}

// Whether there is more to ask: slices are named by -L alone, links join two GPUs or more, memory in use is missing.
bool incomplete(const Machine& machine, const std::vector<std::string>& command) {
  if (command.back() == "-L") {
    return std::any_of(machine.gpus.begin(), machine.gpus.end(), [](const HostGpu& gpu) { return gpu.mig_enabled; });
  }
  if (command.back() == "-m") {
    return machine.gpus.size() > 1;
  }
  return std::any_of(machine.gpus.begin(), machine.gpus.end(), [](const HostGpu& gpu) { return !gpu.free_bytes; });
}

bool read_list(const std::vector<std::string>& command, const ToolRunner& run, Machine& into, std::vector<std::string>& tried) {
  const ToolOutput output = run(command);
  if (!output.good()) {
    const bool usual_place = command.front().find('/') == std::string::npos;
    if (usual_place || output.ending != ToolOutput::Ending::missing) {
      tried.push_back(command.front() + ": " + describe(output));
    }
    return false;
  }
  try {
    into = read_machine(output.text, command.front());
    return true;
  } catch (const Error& error) {
    tried.push_back(command.front() + ": " + error.message());
    return false;
  }
}

void add_more(const Maker& maker, const std::string& tool, const ToolRunner& run, Machine& machine) {
  for (std::vector<std::string> command : maker.more) {
    if (!tool.ends_with(command.front()) || !incomplete(machine, command)) {
      continue;
    }
    command.front() = tool;
    const ToolOutput output = run(command);
    if (!output.good()) {
      continue;  // an addition: without it the list stands
    }
    try {
      merge(machine, read_machine(output.text, command.front()));
    } catch (const Error&) {
      machine.notes.push_back("'" + joined(command, " ") + "' printed what could not be read");
    }
  }
}

}  // namespace

Probed probe(const ToolRunner& run) {
  Probed result;
  for (const Maker& maker : makers()) {
    for (const std::vector<std::string>& command : maker.lists) {
      Machine machine;
      if (!read_list(command, run, machine, result.tried)) {
        continue;
      }
      add_more(maker, command.front(), run, machine);
      if (result.machine.gpus.empty()) {
        result.machine = std::move(machine);
      } else {
        append(result.machine, std::move(machine));
      }
      break;
    }
  }
  if (result.machine.gpus.empty()) {
    std::string tried;
    for (const std::string& each : result.tried) {
      tried += (tried.empty() ? "" : "; ") + each;
    }
    throw Error(ErrorCode::host_unreadable, "no GPU tool answered (" + tried + ")",
                "install the driver's tool, or read a saved output: --from FILE");
  }
  return result;
}

std::string raw_outputs(const ToolRunner& run) {
  std::string text;
  for (const Maker& maker : makers()) {
    for (const auto commands : {maker.lists, maker.more}) {
      for (const std::vector<std::string>& command : commands) {
        const ToolOutput output = run(command);
        text += "$ " + joined(command, " ") + "\n" + (output.good() ? output.text : "[" + describe(output) + "]");
        text += text.back() == '\n' ? "" : "\n";
      }
    }
  }
  return text;
}

}  // namespace gpuadvise::host
