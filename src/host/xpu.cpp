#include "host/xpu.hpp"

#include <gpuadvise/units.hpp>

#include "host/lines.hpp"

#include <algorithm>

namespace gpuadvise::host {

bool is_xpu_table(std::string_view text) {
  return text.find("Device ID") != std::string_view::npos && text.find("Device Information") != std::string_view::npos;
}

void read_xpu_field(std::string_view key, std::string_view value, HostGpu& gpu, Machine& machine) {
  std::string name = lower_case(trim(key));
  std::replace(name.begin(), name.end(), ' ', '_');
  if (name == "device_name") {
    gpu.name = known(value);
  } else if (name == "pci_bdf_address") {
    gpu.bus_id = known(value);
  } else if (name == "pci_device_id") {
    gpu.pci_device_id = device_id(value);
  } else if (name == "memory_physical_size") {
    gpu.total_bytes = parse_amount(value, k_mib);
  } else if (name == "memory_physical_size_byte") {
    gpu.total_bytes = parse_amount(value, 1.0);
  } else if (name == "memory_free_size_byte") {
    gpu.free_bytes = parse_amount(value, 1.0);
  } else if (name == "driver_version" && !is_unknown(value)) {
    machine.driver = known(value);
  }
}

Machine read_xpu_table(std::string_view text) {
  Machine machine;
  machine.source = "xpu-smi discovery";
  int index = -1;
  for (std::string_view line; next_line(text, line);) {
    line = trim(line);
    if (line.size() < 2 || line.front() != '|' || line.back() != '|') {
      continue;
    }
    const auto cells = split(line.substr(1, line.size() - 2), '|');
    if (cells.size() != 2) {
      continue;
    }
    if (const auto number = parse_index(cells[0])) {
      index = *number;
    }
    const auto colon = cells[1].find(':');
    if (index >= 0 && colon != std::string_view::npos) {
      read_xpu_field(cells[1].substr(0, colon), trim(cells[1].substr(colon + 1)), gpu_at(machine, index), machine);
    }
  }
  return machine;
}

}  // namespace gpuadvise::host
