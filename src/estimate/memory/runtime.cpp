#include "estimate/memory/runtime.hpp"

#include "estimate/memory/band_rows.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace gpuadvise::estimate {
namespace {

struct RuntimeRow {
  Vendor vendor = Vendor::nvidia;
  ModuleLoading loading = ModuleLoading::lazy;
  bool training = true;
  std::optional<Architecture> family;  // unset = every family of the vendor
  Interval gib;
  std::string_view name;
  ConstantKind kind = ConstantKind::prior;
  int n = 0;
  int sources = 0;
};

// The first row that matches decides, so the particular ones stand before the general ones.
// Eager loading puts every kernel of every library on the card at once; its size grows with the number of kernels a
// build carries for an architecture.
constexpr std::array<RuntimeRow, 10> k_runtime_rows = {{
    // fitted, n = 378 rows of 2 sources (nvidia-smi level, A100 40 GB): 1720 MiB from CNN, ViT and MLP alike
    {Vendor::nvidia,
     ModuleLoading::eager,
     true,
     Architecture::ampere_dc,
     {1.62, 1.68, 1.78},
     "runtime, eager, training, Ampere A100",
     ConstantKind::fitted,
     378,
     2},
    {Vendor::nvidia, ModuleLoading::eager, false, Architecture::ampere_dc, {1.3, 1.6, 1.78}, "runtime, eager, inference, Ampere A100"},
    // published: first tensor on a V100 takes 1343 MiB
    {Vendor::nvidia, ModuleLoading::eager, true, Architecture::volta, {1.2, 1.31, 1.45}, "runtime, eager, training, Volta"},
    {Vendor::nvidia, ModuleLoading::eager, false, Architecture::volta, {1.0, 1.25, 1.45}, "runtime, eager, inference, Volta"},
    // prior: 0.92 GiB (RTX 2080 Ti), 1.45 GiB (RTX 3090) published for empty processes
    {Vendor::nvidia, ModuleLoading::eager, true, std::nullopt, {0.8, 1.0, 1.7}, "runtime, eager, training"},
    {Vendor::nvidia, ModuleLoading::eager, false, std::nullopt, {0.7, 1.0, 1.6}, "runtime, eager, inference"},
    // bounded by 94 batch ladders on 24 GB cards: at most 0.7 GiB once convolution and attention kernels have run
    {Vendor::nvidia, ModuleLoading::lazy, true, std::nullopt, {0.5, 0.7, 0.9}, "runtime, lazy, training", ConstantKind::prior, 94, 2},
    {Vendor::nvidia, ModuleLoading::lazy, false, std::nullopt, {0.3, 0.45, 0.7}, "runtime, lazy, inference"},
    // prior: ROCm keeps code objects and scratch for every kernel that ran
    {Vendor::amd, ModuleLoading::lazy, true, std::nullopt, {0.5, 0.9, 1.6}, "runtime, ROCm, training"},
    {Vendor::amd, ModuleLoading::lazy, false, std::nullopt, {0.4, 0.7, 1.4}, "runtime, ROCm, inference"},
}};

constexpr auto k_band_rows = [] {
  std::array<BandRow, k_runtime_rows.size()> bands;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const RuntimeRow& row = k_runtime_rows[i];
    bands[i] = {row.name, row.gib.low / row.gib.expected, row.gib.high / row.gib.expected, row.kind, row.n, 0.0, row.sources};
  }
  return bands;
}();

// prior: Metal, Level Zero and the makers' own stacks share code with the host's driver
constexpr Interval k_other_vendor_gib = {0.2, 0.5, 1.3};

constexpr bool matches(const RuntimeRow& row, bool training, ModuleLoading loading, Vendor vendor, Architecture family) {
  if (row.vendor != vendor || row.training != training) {
    return false;
  }
  // Module loading is a setting of CUDA alone.
  if (vendor == Vendor::nvidia && row.loading != loading) {
    return false;
  }
  return !row.family || *row.family == family;
}

constexpr double k_blas_bytes = 8519680.0;            // 2 x 4 MiB + 8 x 16 KiB, one handle and stream (counted)
constexpr double k_blas_bytes_hopper = 32.0 * k_mib;  // from compute capability 9.0 (counted)
constexpr double k_blas_handles = 2.0;                // forward, and the thread that runs backward

}  // namespace

std::span<const BandRow> runtime_band_rows() {
  return k_band_rows;
}

Interval runtime_bytes(bool training, ModuleLoading loading, const Gpu* gpu) {
  const Vendor vendor = gpu != nullptr ? gpu->vendor : Vendor::nvidia;
  const Architecture family = gpu != nullptr ? gpu->family : Architecture::other;
  for (const RuntimeRow& row : k_runtime_rows) {
    if (matches(row, training, loading, vendor, family)) {
      return row.gib.scaled(k_gib);
    }
  }
  return k_other_vendor_gib.scaled(k_gib);
}

double blas_workspace_bytes(const Gpu* gpu) {
  const bool hopper_or_newer = gpu != nullptr && gpu->compute_capability && *gpu->compute_capability >= 9.0;
  return k_blas_handles * (hopper_or_newer ? k_blas_bytes_hopper : k_blas_bytes);
}

}  // namespace gpuadvise::estimate
