#include "estimate/memory/fit.hpp"

#include <gpuadvise/estimate.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gpuadvise::estimate {
namespace {

constexpr double k_fits_probability = 0.95;
constexpr double k_tight_probability = 0.50;
constexpr double k_95_percent_point = 1.6448536269514722;  // of the standard normal distribution

// Counted by the contract: what the driver keeps of the memory it reports, and what a desktop takes.
constexpr double k_driver_bytes = 0.15 * k_gib;
constexpr double k_driver_share = 0.0085;
constexpr double k_desktop_bytes = 0.3 * k_gib;
constexpr double k_unified_share = 0.75;
constexpr double k_inline_ecc_share = 15.0 / 16.0;  // GDDR stores its check bits in the memory itself

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

// Data-centre cards ship with ECC on; workstation cards can but do not.
bool inline_ecc(const Gpu& gpu) {
  return gpu.ecc.value_or(false) && gpu.segment == Segment::datacenter && gpu.memory_type.substr(0, 4) == "GDDR";
}

}  // namespace

double probability_at_most(const Interval& quantity, double limit) {
  if (limit <= 0) {
    return 0.0;
  }
  if (quantity.expected <= 0) {
    return 1.0;
  }
  const double bound = limit >= quantity.expected ? quantity.high : quantity.low;
  const double spread = bound > 0 ? std::abs(std::log(bound / quantity.expected)) / k_95_percent_point : 0.0;
  const double distance = std::log(limit / quantity.expected);
  if (spread <= 0) {
    return distance >= 0 ? 1.0 : 0.0;
  }
  return normal_cdf(distance / spread);
}

Fit fit(const MemoryFigures& memory, double visible, double usable) {
  Fit result;
  result.visible_bytes = visible;
  result.usable_bytes = usable;
  result.probability = probability_at_most(memory.need, usable);
  if (memory.steady && memory.steady->low > usable) {
    result.probability = 0.0;
  }
  if (result.probability >= k_fits_probability) {
    result.verdict = Verdict::fits;
  } else if (result.probability >= k_tight_probability) {
    result.verdict = Verdict::tight;
  } else {
    result.verdict = Verdict::no;
  }
  return result;
}

double visible_bytes(const Gpu& gpu) {
  if (gpu.unified_memory) {
    return gpu.memory_gib * k_gib * k_unified_share;
  }
  const double nominal = gpu.memory_gib * k_gib * (inline_ecc(gpu) ? k_inline_ecc_share : 1.0);
  const double reported = gpu.reported_memory_mib ? *gpu.reported_memory_mib * k_mib : nominal;
  return std::max(0.0, reported * (1.0 - k_driver_share) - k_driver_bytes);
}

double usable_bytes(const Gpu& gpu, CardUse use) {
  const double visible = visible_bytes(gpu);
  // The unified share already leaves room for the desktop.
  const bool desktop = !gpu.unified_memory && (use.drives_display || use.windows);
  return std::max(0.0, visible - (desktop ? k_desktop_bytes : 0.0));
}

CardUse default_use(const Gpu& gpu, bool windows) {
  const bool desktop_part = gpu.segment == Segment::consumer || gpu.segment == Segment::laptop;
  return {desktop_part && gpu.display_outputs.value_or(true), windows};
}

}  // namespace gpuadvise::estimate
