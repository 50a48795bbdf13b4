#include "software/version.hpp"

#include <algorithm>

namespace gpuadvise::software {
namespace {

// No version has a part of more digits; a longer run is no version.
constexpr std::size_t k_most_digits = 6;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string Version::text() const {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += (i > 0 ? "." : "") + std::to_string(parts[i]);
  }
  return out;
}

std::optional<Version> parse_version(std::string_view text) {
  while (!text.empty() &&
         (text.front() == ' ' || text.front() == 'v' || text.front() == 'V' || text.front() == 'r' || text.front() == 'R')) {
    text.remove_prefix(1);
  }
  Version version;
  while (!text.empty() && is_digit(text.front()) && version.count < version.parts.size()) {
    std::size_t digits = 0;
    int value = 0;
    for (; digits < text.size() && is_digit(text[digits]); ++digits) {
      if (digits == k_most_digits) {
        return std::nullopt;
      }
      value = value * 10 + (text[digits] - '0');
    }
    version.parts[version.count++] = value;
    text.remove_prefix(digits);
    if (text.size() < 2 || text.front() != '.' || !is_digit(text[1])) {
      break;
    }
    text.remove_prefix(1);
  }
  return version.count > 0 ? std::optional<Version>(version) : std::nullopt;
}

bool same_as_far_as_given(const Version& a, const Version& b) {
  const auto given = static_cast<std::ptrdiff_t>(std::min(a.count, b.count));
  return std::equal(a.parts.begin(), a.parts.begin() + given, b.parts.begin());
}

bool reaches(const Version& have, const Version& least) {
  return have >= least || same_as_far_as_given(have, least);
}

}  // namespace gpuadvise::software
