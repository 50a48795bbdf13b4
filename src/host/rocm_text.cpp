#include "host/lines.hpp"
#include "host/rocm.hpp"
#include "host/rocm_fields.hpp"

#include <algorithm>

namespace gpuadvise::host {
namespace {

// "GPU[0]          : VRAM Total Memory (B): 17163091968"
bool read_bracket_line(std::string_view line, Machine& machine) {
  line = trim(line);
  if (!line.starts_with("GPU[")) {
    return false;
  }
  const auto bracket = line.find(']');
  const auto index = bracket == std::string_view::npos ? std::nullopt : parse_index(line.substr(4, bracket - 4));
  const auto colon = line.find(':');
  if (!index || colon == std::string_view::npos || colon < bracket) {
    return false;
  }
  HostGpu& gpu = gpu_at(machine, *index);
  const std::string_view rest = line.substr(colon + 1);
  const auto second = rest.find(':');
  if (second != std::string_view::npos) {
    read_rocm_field(rest.substr(0, second), trim(rest.substr(second + 1)), gpu);
  }
  return true;
}

struct Column {
  std::string_view name;
  std::size_t start = 0;
};

// Columns of "GPU  NODE  DID     GUID   GFX VER": two blanks part them, one blank belongs to a name.
std::vector<Column> columns_of(std::string_view header) {
  std::vector<Column> columns;
  std::size_t start = 0;
  while ((start = header.find_first_not_of(' ', start)) != std::string_view::npos) {
    const std::size_t end = std::min(header.find("  ", start), header.size());
    columns.push_back({trim(header.substr(start, end - start)), start});
    start = end;
  }
  return columns;
}

bool is_hardware_header(std::string_view line) {
  const auto all = words(line);
  return all.size() >= 3 && all.front() == "GPU" && std::find(all.begin(), all.end(), "DID") != all.end();
}

// Cells stand below the start of their column's name.
void read_hardware_row(std::string_view line, const std::vector<Column>& columns, Machine& machine) {
  const auto all = words(line);
  const auto index = all.empty() ? std::nullopt : parse_index(all.front());
  if (!index) {
    return;
  }
  HostGpu& gpu = gpu_at(machine, *index);
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].start >= line.size()) {
      break;
    }
    const std::size_t end = i + 1 < columns.size() ? columns[i + 1].start : line.size();
    read_rocm_field(columns[i].name, trim(line.substr(columns[i].start, end - columns[i].start)), gpu);
  }
}

bool is_concise_header(std::string_view line) {
  return line.find("VRAM%") != std::string_view::npos && line.find("GPU%") != std::string_view::npos;
}

// "0       1     0x744c,   57488  43.0C ...": older versions print no device id.
void read_concise_row(std::string_view line, Machine& machine) {
  const auto all = words(line);
  const auto index = all.size() < 4 ? std::nullopt : parse_index(all.front());
  if (!index) {
    return;
  }
  HostGpu& gpu = gpu_at(machine, *index);
  for (std::string_view word : all) {
    if (word.starts_with("0x")) {
      read_rocm_field("did", word.substr(0, word.find(',')), gpu);
    }
  }
}

// amd-smi static or metric: "GPU: 0", then indented "KEY: value" lines; SIZE is the memory's inside the VRAM section.
class SectionReader {
 public:
  explicit SectionReader(Machine& machine) : machine_(machine) {}

  void read(std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) {
      return;
    }
    const std::string_view key = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (key == "GPU") {
      index_ = parse_index(value).value_or(-1);
      if (index_ >= 0) {
        static_cast<void>(gpu_at(machine_, index_));
      }
    } else if (value.empty()) {
      section_ = lower_case(key);
    } else if (index_ >= 0) {
      read_rocm_field(key == "SIZE" ? section_ + ".size" : std::string(key), value, gpu_at(machine_, index_));
    }
  }

 private:
  Machine& machine_;
  int index_ = -1;
  std::string section_;
};

bool is_amd_smi(std::string_view text) {
  const std::string_view start = trim(text);
  return start.starts_with("GPU: ") && (start.find("ASIC:") != std::string_view::npos || start.find("VRAM") != std::string_view::npos ||
                                        start.find("BDF:") != std::string_view::npos);
}

}  // namespace

std::optional<Machine> read_rocm_text(std::string_view text) {
  Machine machine;
  if (is_amd_smi(text)) {
    machine.source = "amd-smi, text";
    SectionReader reader(machine);
    for (std::string_view line; next_line(text, line);) {
      reader.read(line);
    }
    return machine;
  }
  machine.source = "rocm-smi, text";
  enum class Part { none, hardware, concise } part = Part::none;
  std::vector<Column> columns;
  bool seen = false;
  for (std::string_view line; next_line(text, line);) {
    if (read_bracket_line(line, machine)) {
      seen = true;
    } else if (is_hardware_header(line)) {
      part = Part::hardware;
      columns = columns_of(line);
      seen = true;
    } else if (is_concise_header(line)) {
      part = Part::concise;
      seen = true;
    } else if (line.starts_with("Driver version:")) {
      machine.driver = known(line.substr(line.find(':') + 1));
    } else if (part == Part::hardware) {
      read_hardware_row(line, columns, machine);
    } else if (part == Part::concise) {
      read_concise_row(line, machine);
    }
  }
  return seen ? std::optional<Machine>(std::move(machine)) : std::nullopt;
}

}  // namespace gpuadvise::host
