// The columns of a list of recommendations: one table for every format.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::report {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string_view key;     // as in JSON and CSV
  std::string_view header;  // of a table, unit included
  Align align = Align::left;
  int priority = 0;                                      // 1 = always in a table; larger = only where there is room; 0 = never in a table
  std::string (*cell)(const Recommendation&) = nullptr;  // for people; "-" = unknown
  Value (*value)(const Recommendation&) = nullptr;       // for programs; null = unknown
};

[[nodiscard]] std::span<const Column> columns();
// nullptr when there is no such column.
[[nodiscard]] const Column* find_column(std::string_view key);

// "$299 new 2026-06", "$650 used 2026-05", "$1,499 launch 2020"; "-" without a price.
[[nodiscard]] std::string price_text(const Recommendation& candidate);
// "rtx-3090" or "2x rtx-3090".
[[nodiscard]] std::string candidate_text(const Gpu& gpu, double count);
[[nodiscard]] std::string candidate_text(const Recommendation& candidate);

}  // namespace gpuadvise::report
