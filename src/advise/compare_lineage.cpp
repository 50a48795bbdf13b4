#include "advise/compare_lineage.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::advise {
namespace {

using Id = std::string_view;

// A class is a place in the maker's list (xx60, xx70 ...), oldest first; where a generation has several cards of a class, the one
// that sold as its plain form.
constexpr auto k_geforce_50 = std::to_array<Id>({"gtx-950", "gtx-1050", "gtx-1650", "rtx-3050-8gb", "rtx-5050"});
constexpr auto k_geforce_60 = std::to_array<Id>({"gtx-960", "gtx-1060-6gb", "rtx-2060", "rtx-3060-12gb", "rtx-4060", "rtx-5060"});
constexpr auto k_geforce_60_ti = std::to_array<Id>({"rtx-3060-ti", "rtx-4060-ti-8gb", "rtx-5060-ti-8gb"});
constexpr auto k_geforce_60_ti_16 = std::to_array<Id>({"rtx-4060-ti-16gb", "rtx-5060-ti-16gb"});
constexpr auto k_geforce_70 = std::to_array<Id>({"gtx-970", "gtx-1070", "rtx-2070", "rtx-3070", "rtx-4070", "rtx-5070"});
constexpr auto k_geforce_70_ti = std::to_array<Id>({"gtx-1070-ti", "rtx-3070-ti", "rtx-4070-ti", "rtx-5070-ti"});
constexpr auto k_geforce_80 = std::to_array<Id>({"gtx-980", "gtx-1080", "rtx-2080", "rtx-3080-10gb", "rtx-4080", "rtx-5080"});
constexpr auto k_geforce_90 = std::to_array<Id>({"gtx-980-ti", "gtx-1080-ti", "rtx-2080-ti", "rtx-3090", "rtx-4090", "rtx-5090"});
constexpr auto k_workstation_4000 =
    std::to_array<Id>({"quadro-p4000", "quadro-rtx-4000", "rtx-a4000", "rtx-4000-ada", "rtx-pro-4000-blackwell"});
constexpr auto k_workstation_5000 =
    std::to_array<Id>({"quadro-p5000", "quadro-rtx-5000", "rtx-a5000", "rtx-5000-ada", "rtx-pro-5000-blackwell-48gb"});
constexpr auto k_workstation_6000 =
    std::to_array<Id>({"quadro-p6000", "quadro-rtx-8000", "rtx-a6000", "rtx-6000-ada", "rtx-pro-6000-blackwell"});
constexpr auto k_training_module = std::to_array<Id>({"tesla-p100-sxm2", "v100-sxm2-32gb", "a100-80gb-sxm", "h100-80gb-sxm", "b200-sxm"});
constexpr auto k_training_pcie = std::to_array<Id>({"tesla-p100-pcie-16gb", "v100-pcie-32gb", "a100-80gb-pcie", "h100-80gb-pcie"});
constexpr auto k_inference_small = std::to_array<Id>({"tesla-p4", "t4", "l4"});
constexpr auto k_inference_large = std::to_array<Id>({"tesla-p40", "a40", "l40s"});
constexpr auto k_instinct = std::to_array<Id>({"mi100", "mi250x", "mi300x", "mi355x"});
constexpr auto k_radeon_600 = std::to_array<Id>({"rx-6600", "rx-7600", "rx-9060-xt-8gb"});
constexpr auto k_radeon_700 = std::to_array<Id>({"rx-5700-xt", "rx-6700-xt", "rx-7700-xt"});
constexpr auto k_radeon_800 = std::to_array<Id>({"rx-6800-xt", "rx-7800-xt", "rx-9070-xt"});
constexpr auto k_radeon_900 = std::to_array<Id>({"rx-6900-xt", "rx-7900-xtx"});
constexpr auto k_arc = std::to_array<Id>({"arc-a750", "arc-b580"});

constexpr auto k_lineages = std::to_array<std::span<const Id>>(
    {k_geforce_50,      k_geforce_60,       k_geforce_60_ti,    k_geforce_60_ti_16, k_geforce_70,      k_geforce_70_ti, k_geforce_80,
     k_geforce_90,      k_workstation_4000, k_workstation_5000, k_workstation_6000, k_training_module, k_training_pcie, k_inference_small,
     k_inference_large, k_instinct,         k_radeon_600,       k_radeon_700,       k_radeon_800,      k_radeon_900,    k_arc});

}  // namespace

std::string_view predecessor_of(std::string_view gpu_id) {
  for (const std::span<const Id> line : k_lineages) {
    const auto found = std::find(line.begin(), line.end(), gpu_id);
    if (found != line.end() && found != line.begin()) {
      return *(found - 1);
    }
  }
  return {};
}

std::span<const std::span<const std::string_view>> lineages() {
  return k_lineages;
}

}  // namespace gpuadvise::advise
