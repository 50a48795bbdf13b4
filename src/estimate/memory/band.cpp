#include "estimate/memory/band.hpp"

#include <cmath>

namespace gpuadvise::estimate {

// In ratio terms, so that low stays above zero.
Interval widened(const Interval& interval, double factor) {
  if (interval.expected <= 0 || interval.low <= 0) {
    return interval;
  }
  const double below = std::pow(interval.low / interval.expected, factor);
  const double above = std::pow(interval.high / interval.expected, factor);
  return {interval.expected * below, interval.expected, interval.expected * above};
}

// Half widths add as squares, so that a small uncertain part does not widen a large certain one.
Interval sum_independent(const Interval& a, const Interval& b) {
  const double expected = a.expected + b.expected;
  const double below = std::hypot(a.expected - a.low, b.expected - b.low);
  const double above = std::hypot(a.high - a.expected, b.high - b.expected);
  return {expected - below, expected, expected + above};
}

}  // namespace gpuadvise::estimate
