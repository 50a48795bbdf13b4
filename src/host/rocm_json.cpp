#include <gpuadvise/units.hpp>

#include "catalog/parse_json.hpp"
#include "host/lines.hpp"
#include "host/rocm.hpp"
#include "host/rocm_fields.hpp"
#include "host/xpu.hpp"

#include <nlohmann/json.hpp>

namespace gpuadvise::host {
namespace {

using nlohmann::json;

// A text or a number as text; {"value": 24560, "unit": "MB"} as "24560 MB"; empty for anything else.
std::string as_text(const json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number()) {
    return value.dump();
  }
  if (value.is_object() && value.contains("value") && value.contains("unit") && !value["value"].is_object()) {
    return as_text(value["value"]) + " " + as_text(value["unit"]);
  }
  return {};
}

std::optional<int> card_index(const std::string& key) {
  return key.starts_with("card") ? parse_index(std::string_view(key).substr(4)) : std::nullopt;
}

// rocm-smi --json: {"card0": {key: text}, "system": {...}}
std::optional<Machine> read_rocm_smi(const json& root) {
  Machine machine;
  machine.source = "rocm-smi --json";
  bool seen = false;
  for (const auto& [key, fields] : root.items()) {
    const auto index = card_index(key);
    if (index && fields.is_object()) {
      HostGpu& gpu = gpu_at(machine, *index);
      seen = true;
      for (const auto& [name, value] : fields.items()) {
        read_rocm_field(name, as_text(value), gpu);
      }
    } else if (key == "system" && fields.is_object() && fields.contains("Driver version")) {
      machine.driver = known(as_text(fields["Driver version"]));
    }
  }
  return seen ? std::optional<Machine>(std::move(machine)) : std::nullopt;
}

// amd-smi --json: a list of {"gpu": 0, "asic": {...}, "bus": {...}, "vram": {"size": ...}, "mem_usage": {...}}
std::optional<Machine> read_amd_smi(const json& rows) {
  Machine machine;
  machine.source = "amd-smi --json";
  for (const json& row : rows) {
    if (!row.is_object() || !row.contains("gpu") || !row["gpu"].is_number_integer()) {
      return std::nullopt;
    }
    HostGpu& gpu = gpu_at(machine, parse_index(row["gpu"].dump()).value_or(-1));
    for (const auto& [section, fields] : row.items()) {
      read_rocm_field(section, as_text(fields), gpu);
      if (!fields.is_object()) {
        continue;
      }
      for (const auto& [name, value] : fields.items()) {
        read_rocm_field(section == "vram" && name == "size" ? "vram.size" : name, as_text(value), gpu);
      }
    }
  }
  return machine.gpus.empty() ? std::nullopt : std::optional<Machine>(std::move(machine));
}

// {"controllers": [{"model": ..., "vram": MiB, "memoryTotal": MiB, "memoryUsed": MiB, "memoryFree": MiB, "deviceId": ...}]}
Machine read_controllers(const json& rows) {
  Machine machine;
  machine.source = "systeminformation, JSON";
  int index = 0;
  for (const json& row : rows) {
    if (!row.is_object()) {
      continue;
    }
    HostGpu& gpu = gpu_at(machine, index++);
    const auto text = [&row](const char* key) { return row.contains(key) ? as_text(row[key]) : std::string(); };
    gpu.name = known(text("model"));
    gpu.name = gpu.name.empty() ? known(text("name")) : gpu.name;
    gpu.bus_id = known(text("busAddress"));
    gpu.pci_device_id = device_id(text("deviceId"));
    gpu.total_bytes = parse_amount(text("memoryTotal"), k_mib);
    gpu.total_bytes = gpu.total_bytes ? gpu.total_bytes : parse_amount(text("vram"), k_mib);
    gpu.used_bytes = parse_amount(text("memoryUsed"), k_mib);
    gpu.free_bytes = parse_amount(text("memoryFree"), k_mib);
    if (std::string driver = known(text("driverVersion")); !driver.empty()) {
      machine.driver = std::move(driver);
    }
  }
  return machine;
}

// xpu-smi discovery -j
Machine read_device_list(const json& rows) {
  Machine machine;
  machine.source = "xpu-smi discovery -j";
  int next = 0;
  for (const json& row : rows) {
    if (!row.is_object()) {
      continue;
    }
    const auto index = row.contains("device_id") ? parse_index(as_text(row["device_id"])) : std::nullopt;
    HostGpu& gpu = gpu_at(machine, index.value_or(next));
    next = gpu.index + 1;
    for (const auto& [key, value] : row.items()) {
      read_xpu_field(key, as_text(value), gpu, machine);
    }
  }
  return machine;
}

}  // namespace

std::optional<Machine> read_gpu_json(std::string_view text, const std::string& file) {
  const json root = catalog::parse_json(text, file, catalog::ControlCharacters::taken);
  if (root.is_array()) {
    return read_amd_smi(root);
  }
  if (!root.is_object()) {
    return std::nullopt;
  }
  if (root.contains("gpu_data") && root["gpu_data"].is_array()) {
    return read_amd_smi(root["gpu_data"]);
  }
  if (root.contains("controllers") && root["controllers"].is_array()) {
    return read_controllers(root["controllers"]);
  }
  if (root.contains("device_list") && root["device_list"].is_array()) {
    return read_device_list(root["device_list"]);
  }
  return read_rocm_smi(root);
}

}  // namespace gpuadvise::host
