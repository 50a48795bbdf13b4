// One law for the time of a step:
//   T = (T_gpu^4 + T_host^4)^(1/4) + exposed communication,  T_gpu = FLOP / (e P) + BYTES I.
// The sum of arithmetic and traffic agrees better with measurements than their maximum; the fourth power makes the knee
// between a GPU that waits for its host and one that does not.
#pragma once

#include <gpuadvise/figures.hpp>

namespace gpuadvise::estimate {

// Seconds; parts of one step, one card's share of the work.
struct StepTime {
  double compute = 0.0;
  double traffic = 0.0;
  double kernels = 0.0;        // start and drain of each kernel: time on the card that no larger card shortens
  double host = 0.0;           // launching kernels, the framework's own time
  double communication = 0.0;  // what is not hidden behind the rest

  [[nodiscard]] double gpu() const { return compute + traffic + kernels; }
  [[nodiscard]] double total() const;
  [[nodiscard]] StepTime scaled(double factor) const {
    return {compute * factor, traffic * factor, kernels * factor, host * factor, communication * factor};
  }
};

// (a^4 + b^4)^(1/4): a soft maximum.
[[nodiscard]] double soft_maximum(double a, double b);

[[nodiscard]] SpeedShares shares_of(const StepTime& time);
[[nodiscard]] Bound bound_of(const SpeedShares& shares);

}  // namespace gpuadvise::estimate
