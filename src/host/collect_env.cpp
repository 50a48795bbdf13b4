#include "host/collect_env.hpp"

#include <gpuadvise/units.hpp>

#include "host/lines.hpp"
#include "host/nvidia_text.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::host {
namespace {

constexpr std::string_view k_models = "GPU models and configuration:";
constexpr std::string_view k_onboard = "Intel GPU models onboard:";
constexpr std::string_view k_detected = "Intel GPU models detected:";
constexpr std::string_view k_warning = " with CUDA capability sm_";
constexpr std::string_view k_supported = "install supports CUDA capabilities ";

struct Label {
  std::string_view text;
  std::string Machine::*into;
};

constexpr auto k_labels = std::to_array<Label>({
    {"PyTorch version:", &Machine::torch},
    {"CUDA used to build PyTorch:", &Machine::cuda},
    {"ROCM used to build PyTorch:", &Machine::rocm},
    {"OS:", &Machine::os},
    {"Python version:", &Machine::python},
    {"Nvidia driver version:", &Machine::driver},
});

// "AMD Radeon RX 5700 XT (gfx1010:xnack-)", "Device 66a1"
void read_name(std::string_view text, HostGpu& gpu) {
  const auto target = text.find("(gfx");
  if (target != std::string_view::npos) {
    const auto end = text.find_first_of(":)", target);
    gpu.gfx_target = printable(text.substr(target + 1, end == std::string_view::npos ? end : end - target - 1));
    text = trim(text.substr(0, target));
  }
  if (text.starts_with("Device ")) {
    gpu.pci_device_id = device_id(text.substr(7));
  }
  gpu.name = known(text);
}

// "total_memory=15473MB, ..." -> "15473MB"; "name='...'" -> the text in quotes.
std::string_view property(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view value = line.substr(at + key.size());
  if (value.starts_with("'")) {
    value.remove_prefix(1);
    return value.substr(0, value.find('\''));
  }
  return value.substr(0, value.find_first_of(",)"));
}

// "* [0] _XpuDeviceProperties(name='Intel(R) Arc(TM) A770 Graphics', ..., total_memory=15473MB, ...)"
void read_detected(std::string_view line, Machine& machine) {
  const auto open = line.find('[');
  const auto close = line.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return;
  }
  const auto index = parse_index(line.substr(open + 1, close - open - 1));
  if (!index) {
    return;
  }
  HostGpu& gpu = gpu_at(machine, *index);
  gpu.name = known(property(line, "name="));
  gpu.total_bytes = parse_amount(property(line, "total_memory="), k_mib);
  gpu.pci_device_id = device_id(property(line, "device_id="));
}

// The list of boards may be longer than that of the devices PyTorch opened; a board that it did not open has the memory of its twin.
void add_onboard(const std::vector<std::string>& onboard, Machine& machine) {
  for (std::size_t i = machine.gpus.size(); i < onboard.size(); ++i) {
    const auto twin = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const HostGpu& gpu) { return gpu.name == onboard[i]; });
    const HostGpu like = twin == machine.gpus.end() ? HostGpu{} : *twin;
    HostGpu& gpu = gpu_at(machine, static_cast<int>(i));
    gpu.name = onboard[i];
    gpu.total_bytes = like.total_bytes;
    gpu.pci_device_id = like.pci_device_id;
    if (like.total_bytes) {
      gpu.notes.emplace_back("listed on board, not opened by PyTorch: memory taken from GPU " + std::to_string(like.index));
    }
  }
}

}  // namespace

bool is_collect_env(std::string_view text) {
  return text.find(k_models) != std::string_view::npos || text.find("PyTorch version:") != std::string_view::npos ||
         text.find(k_onboard) != std::string_view::npos || text.find("_XpuDeviceProperties(") != std::string_view::npos;
}

Machine read_collect_env(std::string_view text) {
  Machine machine;
  machine.source = "torch.utils.collect_env";
  std::vector<std::string> onboard;
  std::string list;  // the lines of nvidia-smi -L that collect_env repeats
  enum class Part { none, models, boards, detected } part = Part::none;
  for (std::string_view line; next_line(text, line);) {
    line = trim(line);
    if (line.find("_XpuDeviceProperties(") != std::string_view::npos) {
      read_detected(line, machine);
      continue;
    }
    const bool row_of_list = line.starts_with("GPU ") || line.starts_with("MIG ");
    if (line.starts_with(k_models)) {
      part = Part::models;
      line = trim(line.substr(k_models.size()));
    } else if (line.starts_with(k_onboard)) {
      part = Part::boards;
      continue;
    } else if (line.starts_with(k_detected)) {
      part = Part::detected;
      continue;
    } else if (part == Part::models && !row_of_list) {
      part = Part::none;
    }
    if (part == Part::models) {
      if (line.starts_with("GPU ") || line.starts_with("MIG ")) {
        list += std::string(line) + "\n";
      } else if (!is_unknown(line)) {
        read_name(line, gpu_at(machine, 0));
      }
    } else if (part == Part::boards && line.starts_with("* ")) {
      onboard.push_back(known(line.substr(2)));
    }
    for (const Label& label : k_labels) {
      if (line.starts_with(label.text)) {
        machine.*label.into = known(line.substr(label.text.size()));
      }
    }
  }
  for (const HostGpu& gpu : read_nvidia_list(list).gpus) {
    HostGpu& into = gpu_at(machine, gpu.index);
    read_name(gpu.name, into);
    into.mig_enabled = gpu.mig_enabled;
    into.mig = gpu.mig;
  }
  onboard.resize(std::min(onboard.size(), k_most_gpus));
  add_onboard(onboard, machine);
  return machine;
}

bool is_architecture_warning(std::string_view text) {
  return text.find(k_warning) != std::string_view::npos;
}

Machine read_architecture_warning(std::string_view text) {
  Machine machine;
  machine.source = "PyTorch's warning about the architecture";
  for (std::string_view line; next_line(text, line);) {
    if (const auto list = line.find(k_supported); list != std::string_view::npos) {
      machine.notes.push_back("this PyTorch build has code for " + printable(trim(line.substr(list + k_supported.size()))) + " alone");
    }
    const auto at = line.find(k_warning);
    if (at == std::string_view::npos) {
      continue;
    }
    HostGpu& gpu = gpu_at(machine, static_cast<int>(machine.gpus.size()));
    gpu.name = known(line.substr(0, at));
    const std::string_view digits = line.substr(at + k_warning.size());
    if (const auto number = parse_number(digits.substr(0, digits.find_first_not_of("0123456789")))) {
      gpu.compute_capability = *number / 10.0;
    }
  }
  return machine;
}

}  // namespace gpuadvise::host
