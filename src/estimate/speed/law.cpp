#include "estimate/speed/law.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {

double soft_maximum(double a, double b) {
  const double high = std::max(a, b);
  if (high <= 0.0) {
    return 0.0;
  }
  const double ratio = std::min(a, b) / high;
  return high * std::sqrt(std::sqrt(1.0 + ratio * ratio * ratio * ratio));
}

double StepTime::total() const {
  return soft_maximum(gpu(), host) + communication;
}

SpeedShares shares_of(const StepTime& time) {
  const double total = time.total();
  if (!(total > 0.0)) {
    return {1.0, 0.0, 0.0, 0.0};
  }
  // Inside the soft maximum each side counts by its fourth power: the smaller one costs next to nothing.
  const double gpu4 = std::pow(time.gpu() / total, 4);
  const double host4 = std::pow(time.host / total, 4);
  const double communication = time.communication / total;
  const double rest = 1.0 - communication;
  const double gpu = gpu4 + host4 > 0.0 ? rest * gpu4 / (gpu4 + host4) : rest;
  const double each = time.gpu() > 0.0 ? gpu / time.gpu() : 0.0;
  const double compute = each * time.compute;
  const double traffic = each * time.traffic;
  return {compute, traffic, std::max(0.0, rest - compute - traffic), communication};  // rounding may leave less than nothing
}

Bound bound_of(const SpeedShares& shares) {
  const double largest = std::max({shares.compute, shares.traffic, shares.host, shares.communication});
  if (largest == shares.compute) {
    return Bound::compute;
  }
  if (largest == shares.traffic) {
    return Bound::bandwidth;
  }
  return largest == shares.host ? Bound::launch : Bound::communication;
}

}  // namespace gpuadvise::estimate
