// The 90 % interval around an expected figure: factors from the errors that a class of estimates has shown.
#pragma once

#include <gpuadvise/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpuadvise::estimate {

enum class ConstantKind : std::uint8_t { counted, fitted, prior };

// low = below * expected, high = above * expected. n, median_error and sources (publications, 0 = not recorded) say what
// stands behind the factors.
struct BandRow {
  std::string_view class_name;
  double below = 1.0;
  double above = 1.0;
  ConstantKind kind = ConstantKind::prior;
  int n = 0;
  double median_error = 0.0;
  int sources = 0;
};

// The bands of a table whose rows hold more than a band.
template <typename Row, std::size_t size>
[[nodiscard]] constexpr std::array<BandRow, size> bands_of(const std::array<Row, size>& rows) {
  std::array<BandRow, size> bands;
  for (std::size_t i = 0; i < size; ++i) {
    bands[i] = rows[i].band;
  }
  return bands;
}

[[nodiscard]] constexpr Interval banded(double expected, const BandRow& row) {
  return {expected * row.below, expected, expected * row.above};
}

// Widens an interval about its expected value in ratio terms: factor 2 squares both ratios.
[[nodiscard]] Interval widened(const Interval& interval, double factor);

// Adds a part known exactly, or a second interval whose error is independent of the first.
[[nodiscard]] constexpr Interval shifted(const Interval& interval, double bytes) {
  return {interval.low + bytes, interval.expected + bytes, interval.high + bytes};
}
[[nodiscard]] Interval sum_independent(const Interval& a, const Interval& b);

}  // namespace gpuadvise::estimate
