#include "host/machine.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "host/collect_env.hpp"
#include "host/lines.hpp"
#include "host/nvidia_csv.hpp"
#include "host/nvidia_text.hpp"
#include "host/nvidia_xml.hpp"
#include "host/rocm.hpp"
#include "host/xpu.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::host {
namespace {

constexpr std::string_view k_formats =
    "it reads nvidia-smi (table, -L, -q -x, topo -m, --query-gpu with --format=csv), rocm-smi, amd-smi, xpu-smi and torch's collect_env";

// A tool's own words for having seen nothing.
constexpr auto k_failures = std::to_array<std::string_view>({
    "NVIDIA-SMI has failed",
    "No devices were found",
    "Failed to initialize NVML",
    "couldn't communicate with the NVIDIA driver",
    "No AMD GPUs specified",
    "Driver not initialized",
    "No device discovered",
    "command not found",
    "is not recognized as an internal or external command",
});

[[noreturn]] void refuse(const std::string& why, const std::string& hint, const std::string& file) {
  throw Error(ErrorCode::bad_data, why, hint, file);
}

void refuse_failures(std::string_view text, const std::string& file) {
  for (std::string_view line; next_line(text, line);) {
    if (std::any_of(k_failures.begin(), k_failures.end(),
                    [&](std::string_view words) { return line.find(words) != std::string_view::npos; })) {
      refuse("the tool itself saw no GPU: \"" + printable(trim(line)) + "\"", "mend the driver first", file);
    }
  }
}

Machine read_by_content(std::string_view text, const std::string& file) {
  const std::string_view start = trim(text);
  if (start.empty()) {
    refuse("it is empty", std::string(k_formats), file);
  }
  if (start.front() == '<') {
    return read_nvidia_xml(text, file);
  }
  if (start.front() == '{' || start.front() == '[') {
    if (auto machine = read_gpu_json(text, file)) {
      return std::move(*machine);
    }
    refuse("JSON, but of no tool that lists GPUs", std::string(k_formats), file);
  }
  if (is_collect_env(text)) {
    return read_collect_env(text);
  }
  if (is_nvidia_table(text)) {
    return read_nvidia_table(text);
  }
  if (is_nvidia_topology(text)) {
    return read_nvidia_topology(text);
  }
  if (is_nvidia_list(text)) {
    return read_nvidia_list(text);
  }
  refuse_failures(text, file);
  if (is_xpu_table(text)) {
    return read_xpu_table(text);
  }
  if (is_architecture_warning(text)) {
    return read_architecture_warning(text);
  }
  if (is_nvidia_csv(text)) {
    return read_nvidia_csv(text, file);
  }
  if (auto machine = read_rocm_text(text)) {
    return std::move(*machine);
  }
  if (text.find("total_gpu_memory") != std::string_view::npos || text.find("CUDA out of memory") != std::string_view::npos) {
    refuse("a program's log: it names no GPU", "save the output of nvidia-smi; for what the log says: gpuadvise doctor", file);
  }
  refuse("not the output of a tool that lists GPUs", std::string(k_formats), file);
}

// What follows from the other figures.
void complete(HostGpu& gpu) {
  if (!gpu.free_bytes && gpu.total_bytes && gpu.used_bytes) {
    gpu.free_bytes = std::max(0.0, *gpu.total_bytes - *gpu.used_bytes);
  }
  if (gpu.free_bytes && gpu.total_bytes && *gpu.free_bytes > *gpu.total_bytes) {
    gpu.free_bytes = gpu.total_bytes;
  }
}

template <class T>
void take(std::optional<T>& into, const std::optional<T>& more) {
  if (!into) {
    into = more;
  }
}

void take(std::string& into, const std::string& more) {
  if (into.empty()) {
    into = more;
  }
}

// The same slices in the same order, one output with profiles and the other with memory. Compute instances make the list longer
// than the memory's: then the profiles cannot be told apart.
void merge_slices(std::vector<MigSlice>& into, const std::vector<MigSlice>& more) {
  if (into.empty()) {
    into = more;
    return;
  }
  if (into.size() != more.size()) {
    return;
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    take(into[i].profile, more[i].profile);
    take(into[i].total_bytes, more[i].total_bytes);
    take(into[i].used_bytes, more[i].used_bytes);
    take(into[i].sm_count, more[i].sm_count);
  }
}

}  // namespace

HostGpu& gpu_at(Machine& machine, int index) {
  const auto found = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const HostGpu& gpu) { return gpu.index == index; });
  if (found != machine.gpus.end()) {
    return *found;
  }
  if (index < 0 || machine.gpus.size() >= k_most_gpus) {
    throw Error(ErrorCode::bad_data, "more than " + std::to_string(k_most_gpus) + " GPUs, or one without a number");
  }
  const auto after = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const HostGpu& gpu) { return gpu.index > index; });
  HostGpu gpu;
  gpu.index = index;
  return *machine.gpus.insert(after, std::move(gpu));
}

Machine read_machine(std::string_view text, const std::string& file) {
  const std::string plain = plain_text(text);
  Machine machine = read_by_content(plain, file);
  if (machine.gpus.empty()) {
    refuse_failures(plain, file);
    refuse("read as " + machine.source + ", but no GPU is in it", "is the file cut off, or has the machine none?", file);
  }
  std::for_each(machine.gpus.begin(), machine.gpus.end(), complete);
  return machine;
}

void merge(Machine& into, const Machine& more) {
  for (const HostGpu& other : more.gpus) {
    const auto same_bus = std::find_if(into.gpus.begin(), into.gpus.end(),
                                       [&](const HostGpu& gpu) { return !other.bus_id.empty() && gpu.bus_id == other.bus_id; });
    HostGpu& gpu = same_bus != into.gpus.end() ? *same_bus : gpu_at(into, other.index);
    take(gpu.name, other.name);
    take(gpu.bus_id, other.bus_id);
    take(gpu.pci_device_id, other.pci_device_id);
    take(gpu.gfx_target, other.gfx_target);
    take(gpu.total_bytes, other.total_bytes);
    take(gpu.used_bytes, other.used_bytes);
    take(gpu.free_bytes, other.free_bytes);
    take(gpu.drives_display, other.drives_display);
    gpu.mig_enabled = gpu.mig_enabled || other.mig_enabled;
    merge_slices(gpu.mig, other.mig);
    complete(gpu);
  }
  into.links.insert(into.links.end(), more.links.begin(), more.links.end());
  take(into.driver, more.driver);
  take(into.cuda, more.cuda);
  take(into.rocm, more.rocm);
}

namespace {

// Whose tool it was; torch names the maker of its GPUs in other ways.
Vendor maker_of(const Machine& machine) {
  const std::string source = lower_case(machine.source);
  if (source.find("rocm") != std::string::npos || source.find("amd") != std::string::npos || !machine.rocm.empty()) {
    return Vendor::amd;
  }
  const auto says_intel = [](const HostGpu& gpu) { return lower_case(gpu.name).find("intel") != std::string::npos; };
  const bool intel = source.find("xpu") != std::string::npos || std::any_of(machine.gpus.begin(), machine.gpus.end(), says_intel);
  return intel ? Vendor::intel : Vendor::nvidia;
}

// The part of a printed name that every tool prints: without the maker, and as far as a table had room.
std::string core_name(const std::string& name) {
  std::string core = lower_case(name);
  for (const std::string_view maker : {"nvidia ", "amd ", "intel(r) "}) {
    core.erase(0, core.starts_with(maker) ? maker.size() : 0);
  }
  const auto dots = core.find("...");
  return core.substr(0, dots);
}

bool same_gpu(const HostGpu& a, const HostGpu& b) {
  if (a.name.empty() || b.name.empty()) {
    return true;
  }
  const std::string x = core_name(a.name);
  const std::string y = core_name(b.name);
  return x.starts_with(y) || y.starts_with(x);
}

}  // namespace

void append(Machine& into, Machine more) {
  const int offset = into.gpus.empty() ? 0 : into.gpus.back().index + 1;
  for (HostGpu& gpu : more.gpus) {
    gpu.index += offset;
    into.gpus.push_back(std::move(gpu));
  }
  into.source += " and " + more.source;
}

void add_output(Machine& into, Machine more, const std::string& file) {
  if (into.gpus.size() + more.gpus.size() > k_most_gpus) {
    refuse("more than " + std::to_string(k_most_gpus) + " GPUs in all", {}, file);
  }
  if (maker_of(into) != maker_of(more)) {
    append(into, std::move(more));
    return;
  }
  for (const HostGpu& gpu : more.gpus) {
    const auto same = std::find_if(into.gpus.begin(), into.gpus.end(), [&](const HostGpu& old) { return old.index == gpu.index; });
    if (same != into.gpus.end() && !same_gpu(*same, gpu)) {
      refuse("it tells of another machine: GPU " + std::to_string(gpu.index) + " is " + printable(gpu.name) + " here and " +
                 printable(same->name) + " in the output before",
             "give outputs of one machine", file);
    }
  }
  merge(into, more);
  for (const auto field : {&Machine::torch, &Machine::python, &Machine::os}) {
    take(into.*field, more.*field);
  }
  into.source += " and " + more.source;
}

}  // namespace gpuadvise::host
