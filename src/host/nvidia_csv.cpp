#include "host/nvidia_csv.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "host/lines.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::host {
namespace {

// What a column of the query says about a GPU or its machine.
struct Field {
  std::string_view name;
  void (*read)(std::string_view cell, HostGpu& gpu, Machine& machine);
};

void read_total(std::string_view cell, HostGpu& gpu, Machine&) {
  gpu.total_bytes = parse_amount(cell, k_mib);
  gpu.memory_refused = !gpu.total_bytes && is_unknown(cell);
}

constexpr auto k_fields = std::to_array<Field>({
    {"index", [](std::string_view, HostGpu&, Machine&) {}},  // read before the others: it decides which GPU the row is
    {"name", [](std::string_view c, HostGpu& g, Machine&) { g.name = known(c); }},
    {"gpu_name", [](std::string_view c, HostGpu& g, Machine&) { g.name = known(c); }},
    {"driver_version", [](std::string_view c, HostGpu&, Machine& m) { m.driver = known(c); }},
    {"memory.total", read_total},
    {"memory.used", [](std::string_view c, HostGpu& g, Machine&) { g.used_bytes = parse_amount(c, k_mib); }},
    {"memory.free", [](std::string_view c, HostGpu& g, Machine&) { g.free_bytes = parse_amount(c, k_mib); }},
    {"pci.bus_id", [](std::string_view c, HostGpu& g, Machine&) { g.bus_id = known(c); }},
    {"gpu_bus_id", [](std::string_view c, HostGpu& g, Machine&) { g.bus_id = known(c); }},
    {"pci.device_id", [](std::string_view c, HostGpu& g, Machine&) { g.pci_device_id = device_id(c); }},
    {"compute_cap", [](std::string_view c, HostGpu& g, Machine&) { g.compute_capability = parse_number(trim(c)); }},
    {"mig.mode.current", [](std::string_view c, HostGpu& g, Machine&) { g.mig_enabled = lower_case(c) == "enabled"; }},
    {"display_active",
     [](std::string_view c, HostGpu& g, Machine&) {
       if (!is_unknown(c)) {
         g.drives_display = lower_case(c) == "enabled";
       }
     }},
});

// "memory.total [MiB]" -> "memory.total"
std::string field_name(std::string_view header) {
  return lower_case(trim(header.substr(0, header.find('['))));
}

const Field* find_field(std::string_view header) {
  const std::string name = field_name(header);
  const auto found = std::find_if(k_fields.begin(), k_fields.end(), [&](const Field& field) { return field.name == name; });
  return found == k_fields.end() ? nullptr : &*found;
}

std::string_view first_line(std::string_view text) {
  text = trim(text);
  return text.substr(0, text.find('\n'));
}

}  // namespace

bool is_nvidia_csv(std::string_view text) {
  const auto headers = split(first_line(text), ',');
  return std::any_of(headers.begin(), headers.end(), [](std::string_view header) {
    const std::string name = field_name(header);
    return name.starts_with("memory.") || name.starts_with("pci.") || name == "driver_version" || name == "compute_cap" ||
           (name == "name" && find_field(name) != nullptr);
  });
}

Machine read_nvidia_csv(std::string_view text, const std::string& file) {
  Machine machine;
  machine.source = "nvidia-smi --query-gpu, CSV";
  std::string_view line;
  text = trim(text);
  static_cast<void>(next_line(text, line));
  const auto headers = split(line, ',');
  std::vector<const Field*> fields;
  std::optional<std::size_t> index_column;
  for (const std::string_view header : headers) {
    fields.push_back(find_field(header));
    if (fields.back() == &k_fields.front()) {
      index_column = fields.size() - 1;
    }
  }
  int row = 0;
  for (int number = 2; next_line(text, line); ++number) {
    if (trim(line).empty()) {
      continue;
    }
    const auto cells = split(line, ',');
    if (cells.size() != headers.size()) {
      throw Error(
          ErrorCode::bad_data,
          std::to_string(cells.size()) + " cells under " + std::to_string(headers.size()) + " headers: the file is cut off or mixed",
          "save the output of nvidia-smi again", file + ":" + std::to_string(number));
    }
    HostGpu& gpu = gpu_at(machine, index_column ? parse_index(cells[*index_column]).value_or(row) : row);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (fields[i] != nullptr) {
        fields[i]->read(cells[i], gpu, machine);
      }
    }
    ++row;
  }
  return machine;
}

}  // namespace gpuadvise::host
