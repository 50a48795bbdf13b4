// What a streaming multiprocessor (CU, Xe core) of each silicon family does in one clock, to check stated rates.
#pragma once

#include <gpuadvise/gpu.hpp>

#include <optional>

namespace gpuadvise::catalog {

// Dense operations a clock, one multiply-add = 2; 0 = the family has no such unit or no rule is known.
struct RatesPerClock {
  double fp16 = 0;  // FP32 accumulate
  double bf16 = 0;
  double tf32 = 0;
  double fp8 = 0;
  double int8 = 0;
  double fp4 = 0;
};

// nullopt where the maker clocks tensor work apart from the stated boost (Hopper, Blackwell of data centers) or nothing is known.
[[nodiscard]] std::optional<RatesPerClock> tensor_rates_per_clock(const Gpu& gpu);

// FP32 lanes of one SM, CU or Xe core; 0 = no rule.
[[nodiscard]] double lanes_per_unit(const Gpu& gpu);

// FP32 operations of one lane a clock: 2, or 4 where a lane issues two (RDNA 3 and 4 by flag) or packed FP32 counts (CDNA 3 and 4).
[[nodiscard]] double fp32_per_lane(const Gpu& gpu);

struct CapabilityRange {
  double low = 0;
  double high = 0;
};
// CUDA capabilities of the family; nullopt for other makers' families.
[[nodiscard]] std::optional<CapabilityRange> capabilities_of(Architecture family);

}  // namespace gpuadvise::catalog
