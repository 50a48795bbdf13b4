// The least change of one setting that makes a job fit a card.
#pragma once

#include "advise/assess.hpp"

#include <optional>
#include <string>

namespace gpuadvise::advise {

// The largest whole number in [1, below) for which `fits` holds, given that it holds for all smaller ones; nullopt where not even 1 does.
template <class Fits>
[[nodiscard]] std::optional<double> largest_below(double below, Fits fits) {
  if (below <= 1.0 || !fits(1.0)) {
    return std::nullopt;
  }
  double good = 1.0;
  double bad = below;
  while (bad - good > 1.0) {
    const double middle = static_cast<double>(static_cast<long long>((good + bad) / 2.0));
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

// The largest micro-batch below the request's whose fit is no worse than asked.
[[nodiscard]] std::optional<double> fitting_batch(const Assessor& assessor, const Workload& workload, const Gpu& gpu,
                                                  Verdict worst = Verdict::tight);
// The largest sequence that fits, in steps of 256 tokens.
[[nodiscard]] std::optional<double> fitting_seq(const Assessor& assessor, const Workload& workload, const Gpu& gpu,
                                                Verdict worst = Verdict::tight);

// In words and contract keys: "batch 20 instead of 32", "seq 4096 instead of 8192", or how much memory is missing.
[[nodiscard]] std::string smallest_change(const Assessor& assessor, const Workload& workload, const Gpu& gpu, const Figures& figures);

}  // namespace gpuadvise::advise
