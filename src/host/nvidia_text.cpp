#include "host/nvidia_text.hpp"

#include <gpuadvise/units.hpp>

#include "host/lines.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::host {
namespace {

// Cells between the bars of a table's line; empty for any other line.
std::vector<std::string_view> table_cells(std::string_view line) {
  line = trim(line);
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') {
    return {};
  }
  return split(line.substr(1, line.size() - 2), '|');
}

// "Driver Version: 590.48.01      CUDA Version: 13.1"
std::string after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) {
    return {};
  }
  const auto found = words(line.substr(at + label.size()));
  return found.empty() ? std::string() : known(found.front());
}

// "00000000:01:00.0"
bool is_bus_id(std::string_view word) {
  return word.size() >= 7 && word.find(':') != std::string_view::npos && word.find('.') != std::string_view::npos &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
         });
}

struct Usage {
  std::optional<double> used;
  std::optional<double> total;
  bool refused = false;
};

// "392MiB / 24259MiB", "Not Supported"; nullopt for a cell about something else.
std::optional<Usage> memory_usage(std::string_view cell) {
  if (lower_case(cell) == "not supported") {
    return Usage{{}, {}, true};
  }
  const auto parts = split(cell, '/');
  if (parts.size() != 2) {
    return std::nullopt;
  }
  const Usage usage{parse_amount(parts[0], k_mib), parse_amount(parts[1], k_mib), is_unknown(parts[1])};
  return usage.total || usage.refused ? std::optional<Usage>(usage) : std::nullopt;
}

// "0  NVIDIA H100 80GB HBM3          On": the column after the name holds the persistence mode, on Windows the driver model.
std::string name_in_row(std::string_view cell, int& index) {
  static constexpr auto modes = std::to_array<std::string_view>({"On", "Off", "WDDM", "TCC", "MCDM", "N/A"});
  const auto all = words(cell);
  const auto number = all.empty() ? std::nullopt : parse_index(all.front());
  if (!number) {
    index = -1;
    return {};
  }
  index = *number;
  const bool has_mode = all.size() > 2 && std::find(modes.begin(), modes.end(), all.back()) != modes.end();
  std::string name;
  for (std::size_t i = 1; i + (has_mode ? 1 : 0) < all.size(); ++i) {
    name += (name.empty() ? "" : " ") + std::string(all[i]);
  }
  return known(name);
}

// Reads the main part of the table; a GPU takes a line with its name and bus, then one with its memory.
class TableReader {
 public:
  explicit TableReader(Machine& machine) : machine_(machine) {}

  void read(std::string_view line) {
    if (line.find("MIG devices:") != std::string_view::npos) {
      mig_part_ = true;
      current_ = nullptr;
    } else if (line.find("Processes:") != std::string_view::npos) {
      ended_ = true;
    }
    const auto cells = table_cells(line);
    if (ended_ || cells.size() < 3) {
      return;
    }
    if (mig_part_) {
      read_slice(cells);
    } else {
      read_row(cells);
    }
  }

 private:
  void read_row(const std::vector<std::string_view>& cells) {
    const auto bus = words(cells[1]);
    if (!bus.empty() && is_bus_id(bus.front())) {
      int index = -1;
      const std::string name = name_in_row(cells[0], index);
      if (index < 0) {
        return;
      }
      current_ = &gpu_at(machine_, index);
      current_->name = name;
      current_->bus_id = printable(bus.front());
      if (bus.size() > 1 && !is_unknown(bus[1])) {
        current_->drives_display = bus[1] == "On";
      }
      return;
    }
    if (current_ == nullptr) {
      return;
    }
    if (const auto usage = memory_usage(cells[1])) {
      current_->used_bytes = usage->used;
      current_->total_bytes = usage->total;
      current_->memory_refused = usage->refused;
    } else if (cells[0].empty() && cells[1].empty()) {
      current_->mig_enabled = current_->mig_enabled || cells[2] == "Enabled" || cells[2] == "Enabled*";
      current_ = nullptr;  // the third and last line of a GPU
    }
  }

  // "0    2   0   0 | 26MiB / 40448MiB | 60      0 | ...": GPU, GPU instance, compute instance, device.
  void read_slice(const std::vector<std::string_view>& cells) {
    const auto numbers = words(cells[0]);
    const auto usage = memory_usage(cells[1]);
    if (numbers.size() != 4 || !usage) {
      return;
    }
    const auto index = parse_index(numbers[0]);
    const auto instance = parse_index(numbers[1]);
    if (!index || !instance) {
      return;
    }
    HostGpu& gpu = gpu_at(machine_, *index);
    gpu.mig_enabled = true;
    const auto counts = words(cells[2]);
    const auto sm_count = counts.empty() ? std::nullopt : parse_number(counts.front());
    const auto same = std::find_if(gpu.mig.begin(), gpu.mig.end(), [&](const MigSlice& slice) { return slice.instance == *instance; });
    if (same == gpu.mig.end()) {
      if (gpu.mig.size() < k_most_slices) {
        gpu.mig.push_back({*instance, {}, usage->total, usage->used, sm_count});
      }
    } else if (same->sm_count && sm_count) {  // compute instances share the memory of their GPU instance
      *same->sm_count += *sm_count;
    }
  }

  Machine& machine_;
  HostGpu* current_ = nullptr;
  bool mig_part_ = false;
  bool ended_ = false;
};

// "GPU 0: NAME (UUID: ...)": index and name; false for another line.
bool list_row(std::string_view line, int& index, std::string& name) {
  line = trim(line);
  if (!line.starts_with("GPU ")) {
    return false;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) {
    return false;
  }
  const auto number = parse_index(line.substr(4, colon - 4));
  const std::string_view text = trim(line.substr(colon + 1));
  name = known(trim(text.substr(0, text.find("(UUID"))));
  index = number.value_or(-1);
  return number.has_value() && !text.empty();
}

// "MIG 3g.40gb     Device  0: (UUID: ...)"
std::optional<std::string> list_slice(std::string_view line) {
  const auto parts = words(line);
  if (parts.size() < 3 || parts[0] != "MIG" || parts[1].find("g.") == std::string_view::npos) {
    return std::nullopt;
  }
  return printable(parts[1]);
}

// Adds what the list calls a device. "1c.3g.71gb" is a compute instance with one of the three parts of a slice: the next ones of the
// same name belong to it until its parts are used up.
class SliceList {
 public:
  void add(const std::string& profile, HostGpu& gpu) {
    gpu.mig_enabled = true;
    const auto dot = profile.find("c.");
    const auto parts = dot == std::string::npos ? std::nullopt : parse_index(std::string_view(profile).substr(0, dot));
    const std::string whole = parts ? profile.substr(dot + 2) : profile;
    if (parts && whole == open_ && left_ >= *parts) {
      left_ -= *parts;
      return;
    }
    open_ = parts ? whole : std::string();
    left_ = parts ? parse_index(whole.substr(0, whole.find("g."))).value_or(0) - *parts : 0;
    if (gpu.mig.size() < k_most_slices) {
      gpu.mig.push_back({-1, whole, {}, {}, {}});
    }
  }

 private:
  std::string open_;
  int left_ = 0;
};

}  // namespace

bool is_nvidia_table(std::string_view text) {
  return (text.find("NVIDIA-SMI") != std::string_view::npos && text.find("Driver Version") != std::string_view::npos &&
          text.find("Memory-Usage") != std::string_view::npos) ||
         (text.find("MIG devices:") != std::string_view::npos && text.find("Memory-Usage") != std::string_view::npos);
}

Machine read_nvidia_table(std::string_view text) {
  Machine machine;
  machine.source = "nvidia-smi, table";
  TableReader reader(machine);
  std::string_view line;
  while (next_line(text, line)) {
    if (line.find("NVIDIA-SMI") != std::string_view::npos) {
      machine.driver = after(line, "Driver Version:");
      machine.cuda = after(line, "CUDA Version:");
    }
    reader.read(line);
  }
  return machine;
}

bool is_nvidia_list(std::string_view text) {
  std::string_view line;
  int index = 0;
  std::string name;
  while (next_line(text, line)) {
    if (!trim(line).empty()) {
      return list_row(line, index, name) && line.find("(UUID") != std::string_view::npos;
    }
  }
  return false;
}

Machine read_nvidia_list(std::string_view text) {
  Machine machine;
  machine.source = "nvidia-smi -L";
  std::string_view line;
  SliceList slices;
  int index = -1;
  while (next_line(text, line)) {
    int number = -1;
    std::string name;
    if (list_row(line, number, name)) {
      index = number;
      slices = SliceList();
      gpu_at(machine, index).name = name;
    } else if (const auto profile = list_slice(line); profile && index >= 0) {
      slices.add(*profile, gpu_at(machine, index));
    }
  }
  return machine;
}

bool is_nvidia_topology(std::string_view text) {
  return text.find("GPU0") != std::string_view::npos && text.find("CPU Affinity") != std::string_view::npos;
}

Machine read_nvidia_topology(std::string_view text) {
  Machine machine;
  machine.source = "nvidia-smi topo -m";
  std::string_view line;
  std::vector<int> columns;  // index of the GPU in each column; -1 = a network card or another device
  while (next_line(text, line)) {
    const auto cells = words(line);
    if (cells.empty()) {
      continue;
    }
    if (line.find("CPU Affinity") != std::string_view::npos) {
      for (const std::string_view cell : cells) {
        if (cell == "CPU") {
          break;
        }
        columns.push_back(cell.starts_with("GPU") ? parse_index(cell.substr(3)).value_or(-1) : -1);
      }
      continue;
    }
    const auto row = cells.front().starts_with("GPU") ? parse_index(cells.front().substr(3)) : std::nullopt;
    if (!row) {
      continue;
    }
    static_cast<void>(gpu_at(machine, *row));
    for (std::size_t i = 0; i < columns.size() && i + 1 < cells.size(); ++i) {
      if (columns[i] > *row && machine.links.size() < k_most_gpus * k_most_gpus) {
        machine.links.push_back({*row, columns[i], printable(cells[i + 1])});
      }
    }
  }
  return machine;
}

}  // namespace gpuadvise::host
