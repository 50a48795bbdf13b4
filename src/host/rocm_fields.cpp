#include "host/rocm_fields.hpp"

#include <gpuadvise/units.hpp>

#include "host/lines.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::host {
namespace {

struct Field {
  std::string_view key;  // lower case
  void (*read)(std::string_view value, HostGpu& gpu);
};

void take_name(std::string_view value, HostGpu& gpu) {
  const std::string name = known(value);
  const bool says_more = name.size() > gpu.name.size() && !name.starts_with("0x");
  if (says_more) {
    gpu.name = name;
  }
}

void take_device(std::string_view value, HostGpu& gpu) {
  if (std::string id = device_id(value); !id.empty()) {
    gpu.pci_device_id = std::move(id);
  }
}

void take_total(std::string_view value, HostGpu& gpu) {
  gpu.total_bytes = parse_amount(value, 1.0);
}

void take_total_mib(std::string_view value, HostGpu& gpu) {
  gpu.total_bytes = parse_amount(value, k_mib);
}

void take_used_mib(std::string_view value, HostGpu& gpu) {
  gpu.used_bytes = parse_amount(value, k_mib);
}

void take_bus(std::string_view value, HostGpu& gpu) {
  gpu.bus_id = known(value);
}

// rocm-smi writes "gfx11002" for gfx1102: the stepping is a digit too far.
void take_gfx(std::string_view value, HostGpu& gpu) {
  std::string target = known(value.substr(0, value.find(':')));
  if (target.starts_with("gfx") && target.size() == 8 && target[5] == '0') {
    target.erase(5, 1);
  }
  if (target.starts_with("gfx")) {
    gpu.gfx_target = std::move(target);
  }
}

constexpr auto k_fields = std::to_array<Field>({
    {"card series", take_name},
    {"device name", take_name},
    {"market name", take_name},
    {"market_name", take_name},
    {"product_name", take_name},
    {"card model", take_name},
    {"gpu id", take_device},
    {"device id", take_device},
    {"device_id", take_device},
    {"did", take_device},
    {"gfx version", take_gfx},
    {"gfx ver", take_gfx},
    {"target_graphics_version", take_gfx},
    {"vram total memory (b)", take_total},
    {"vram total used memory (b)", [](std::string_view v, HostGpu& g) { g.used_bytes = parse_amount(v, 1.0); }},
    {"total_vram", take_total_mib},
    {"used_vram", take_used_mib},
    {"free_vram", [](std::string_view v, HostGpu& g) { g.free_bytes = parse_amount(v, k_mib); }},
    {"vram.size", take_total_mib},
    {"pci bus", take_bus},
    {"bus", take_bus},
    {"bdf", take_bus},
});

// Graphics of processors for which AMD offers no ROCm build; larger ones (Strix Halo) are cards of the catalog.
constexpr auto k_processor_gfx = std::to_array<std::string_view>(
    {"gfx902", "gfx909", "gfx90c", "gfx1013", "gfx1033", "gfx1035", "gfx1036", "gfx1037", "gfx1103", "gfx1150", "gfx1152", "gfx1153"});
// Raven, Renoir, Cezanne, Barcelo, Rembrandt, Raphael, Phoenix, Phoenix 3, Strix, Granite Ridge (pci.ids).
constexpr auto k_processor_devices =
    std::to_array<std::string_view>({"0x15dd", "0x15d8", "0x1636", "0x1638", "0x15e7", "0x1681", "0x164d", "0x164e", "0x15bf", "0x15c8",
                                     "0x1900", "0x1901", "0x150e", "0x1506", "0x13c0"});

template <std::size_t N>
bool among(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

void read_rocm_field(std::string_view key, std::string_view value, HostGpu& gpu) {
  const std::string wanted = lower_case(trim(key));
  const auto found = std::find_if(k_fields.begin(), k_fields.end(), [&](const Field& field) { return field.key == wanted; });
  if (found != k_fields.end()) {
    found->read(value, gpu);
  }
}

bool is_amd_processor_graphics(const HostGpu& gpu) {
  return among(k_processor_gfx, gpu.gfx_target) || among(k_processor_devices, gpu.pci_device_id);
}

}  // namespace gpuadvise::host
