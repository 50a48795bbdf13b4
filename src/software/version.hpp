// Versions as numbers with points: of PyTorch, CUDA, drivers and Python.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise::software {

struct Version {
  std::array<int, 4> parts{};
  std::size_t count = 0;

  // Missing parts count as zero: 2.8 == 2.8.0.
  [[nodiscard]] std::strong_ordering operator<=>(const Version& other) const { return parts <=> other.parts; }
  [[nodiscard]] bool operator==(const Version& other) const { return parts == other.parts; }
  [[nodiscard]] std::string text() const;
};

// "2.8", "2.8.0+cu128", "v535.104.05", "R580"; nothing when it does not begin with a number.
[[nodiscard]] std::optional<Version> parse_version(std::string_view text);

// 2.8 holds 2.8 and 2.8.1; a part that the shorter of the two leaves open matches any.
[[nodiscard]] bool same_as_far_as_given(const Version& a, const Version& b);

// Is "have" at least "least", reading what "have" leaves open in its favour: driver 525 serves where 525.60.13 is asked.
[[nodiscard]] bool reaches(const Version& have, const Version& least);

}  // namespace gpuadvise::software
