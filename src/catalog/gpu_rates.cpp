#include "catalog/gpu_rates.hpp"

#include <array>
#include <string_view>

namespace gpuadvise::catalog {
namespace {

using A = Architecture;

// GeForce halves the FP16 rate with FP32 accumulation from Turing on; workstation and data-center parts of the same chip do not.
enum class Grade : std::uint8_t { any, geforce, professional };

struct TensorRow {
  A family;
  Grade grade;
  std::string_view chip;  // empty = any
  RatesPerClock rates;
};

// Counted from the makers' papers; each row agrees with a published peak (V100 125, T4 65, RTX 3090 71, A6000 155, A100 312,
// RTX 4090 165, L40S 362, RTX 5090 210, RTX PRO 6000 504, MI100 185, MI250X 383, MI300X 1307, MI355X 2500, RX 7900 XTX 123,
// RX 9070 XT 195, Max 1550 832). The first row that matches holds.
constexpr std::array k_tensor = {
    TensorRow{A::volta, Grade::any, "GV100", {1024, 0, 0, 0, 0, 0}},
    TensorRow{A::turing, Grade::geforce, "", {512, 0, 0, 0, 2048, 0}},
    TensorRow{A::turing, Grade::professional, "", {1024, 0, 0, 0, 2048, 0}},
    TensorRow{A::ampere_dc, Grade::any, "", {2048, 2048, 1024, 0, 4096, 0}},
    TensorRow{A::ampere, Grade::any, "GA10B", {2048, 2048, 1024, 0, 4096, 0}},
    TensorRow{A::ampere, Grade::geforce, "", {512, 512, 256, 0, 2048, 0}},
    TensorRow{A::ampere, Grade::professional, "", {1024, 1024, 512, 0, 2048, 0}},
    TensorRow{A::ada, Grade::geforce, "", {512, 512, 256, 1024, 2048, 0}},
    TensorRow{A::ada, Grade::professional, "", {1024, 1024, 512, 2048, 2048, 0}},
    TensorRow{A::blackwell, Grade::any, "GB10B", {8192, 8192, 0, 16384, 0, 32768}},
    TensorRow{A::blackwell, Grade::geforce, "", {512, 512, 256, 1024, 2048, 4096}},
    TensorRow{A::blackwell, Grade::professional, "", {1024, 1024, 512, 2048, 2048, 4096}},
    TensorRow{A::cdna1, Grade::any, "", {1024, 512, 0, 0, 1024, 0}},
    TensorRow{A::cdna2, Grade::any, "", {1024, 1024, 0, 0, 1024, 0}},
    TensorRow{A::cdna3, Grade::any, "", {2048, 2048, 1024, 4096, 4096, 0}},
    TensorRow{A::cdna4, Grade::any, "", {4096, 4096, 0, 8192, 8192, 16384}},
    TensorRow{A::rdna3, Grade::any, "", {512, 512, 0, 0, 512, 0}},
    TensorRow{A::rdna4, Grade::any, "", {1024, 1024, 0, 2048, 2048, 0}},
    TensorRow{A::xe_hpg, Grade::any, "", {2048, 2048, 0, 0, 4096, 0}},
    TensorRow{A::xe2, Grade::any, "", {2048, 2048, 1024, 0, 4096, 0}},
    TensorRow{A::xe_hpc, Grade::any, "", {4096, 4096, 2048, 0, 8192, 0}},
};

struct LaneRow {
  A family;
  std::string_view chip;
  double lanes;
};

constexpr std::array k_lanes = {
    LaneRow{A::kepler, "", 192}, LaneRow{A::maxwell, "", 128}, LaneRow{A::pascal, "GP100", 64}, LaneRow{A::pascal, "", 128},
    LaneRow{A::volta, "", 64},   LaneRow{A::turing, "", 64},   LaneRow{A::ampere_dc, "", 64},   LaneRow{A::ampere, "", 128},
    LaneRow{A::ada, "", 128},    LaneRow{A::hopper, "", 128},  LaneRow{A::blackwell, "", 128},  LaneRow{A::blackwell_dc, "", 128},
    LaneRow{A::gcn, "", 64},     LaneRow{A::rdna1, "", 64},    LaneRow{A::rdna2, "", 64},       LaneRow{A::rdna3, "", 64},
    LaneRow{A::rdna4, "", 64},   LaneRow{A::cdna1, "", 64},    LaneRow{A::cdna2, "", 64},       LaneRow{A::cdna3, "", 64},
    LaneRow{A::cdna4, "", 64},   LaneRow{A::xe_hpg, "", 128},  LaneRow{A::xe2, "", 128},        LaneRow{A::xe_hpc, "", 128},
    LaneRow{A::apple, "", 128},
};

struct CapabilityRow {
  A family;
  CapabilityRange range;
};

constexpr std::array k_capabilities = {
    CapabilityRow{A::kepler, {3.0, 3.7}},         CapabilityRow{A::maxwell, {5.0, 5.3}},
    CapabilityRow{A::pascal, {6.0, 6.2}},         CapabilityRow{A::volta, {7.0, 7.2}},
    CapabilityRow{A::turing, {7.5, 7.5}},         CapabilityRow{A::ampere_dc, {8.0, 8.0}},
    CapabilityRow{A::ampere, {8.6, 8.7}},         CapabilityRow{A::ada, {8.9, 8.9}},
    CapabilityRow{A::hopper, {9.0, 9.0}},         CapabilityRow{A::blackwell, {11.0, 12.1}},
    CapabilityRow{A::blackwell_dc, {10.0, 10.3}}, CapabilityRow{A::rubin, {10.7, 10.7}},
};

Grade grade_of(const Gpu& gpu) {
  return gpu.name.find("GeForce") != std::string_view::npos ? Grade::geforce : Grade::professional;
}

}  // namespace

std::optional<RatesPerClock> tensor_rates_per_clock(const Gpu& gpu) {
  for (const TensorRow& row : k_tensor) {
    if (row.family == gpu.family && (row.grade == Grade::any || row.grade == grade_of(gpu)) && (row.chip.empty() || row.chip == gpu.chip)) {
      return row.rates;
    }
  }
  return std::nullopt;
}

double lanes_per_unit(const Gpu& gpu) {
  for (const LaneRow& row : k_lanes) {
    if (row.family == gpu.family && (row.chip.empty() || row.chip == gpu.chip)) {
      return row.lanes;
    }
  }
  return 0;
}

double fp32_per_lane(const Gpu& gpu) {
  return gpu.fp32_dual_issue || gpu.family == A::cdna3 || gpu.family == A::cdna4 ? 4.0 : 2.0;
}

std::optional<CapabilityRange> capabilities_of(Architecture family) {
  for (const CapabilityRow& row : k_capabilities) {
    if (row.family == family) {
      return row.range;
    }
  }
  return std::nullopt;
}

}  // namespace gpuadvise::catalog
