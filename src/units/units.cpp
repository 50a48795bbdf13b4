#include <gpuadvise/units.hpp>

#include "units/lower_case.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace gpuadvise {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower_case(x) == lower_case(y); });
}

struct Suffix {
  std::string_view text;
  double factor;
};

// Number followed by one of the suffixes; the empty suffix must be in the list to be allowed.
template <std::size_t N>
std::optional<double> parse_scaled(std::string_view text, const std::array<Suffix, N>& suffixes) {
  text = trim(text);
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || !std::isfinite(value) || value < 0.0) {
    return std::nullopt;
  }
  const std::string_view rest = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const Suffix& suffix : suffixes) {
    if (equals_ignoring_case(rest, suffix.text)) {
      return value * suffix.factor;
    }
  }
  return std::nullopt;
}

constexpr std::array<Suffix, 13> k_size_suffixes{{{"", k_gib},
                                                  {"g", k_gib},
                                                  {"gib", k_gib},
                                                  {"gb", k_gb},
                                                  {"m", k_mib},
                                                  {"mib", k_mib},
                                                  {"mb", 1e6},
                                                  {"t", k_gib * 1024},
                                                  {"tib", k_gib * 1024},
                                                  {"tb", 1e12},
                                                  {"k", k_kib},
                                                  {"kib", k_kib},
                                                  {"b", 1.0}}};
constexpr std::array<Suffix, 6> k_money_suffixes{{{"", 1.0}, {"k", 1e3}, {"m", 1e6}, {"usd", 1.0}, {"$", 1.0}, {"k usd", 1e3}}};
constexpr std::array<Suffix, 5> k_count_suffixes{{{"", 1.0}, {"k", 1e3}, {"m", 1e6}, {"b", 1e9}, {"t", 1e12}}};

// "1,299.50" -> "1299.50"; a comma is a thousands separator only before exactly three digits.
std::optional<std::string> without_thousands(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      digits.push_back(text[i]);
      continue;
    }
    const std::string_view after = text.substr(i + 1);
    const auto run =
        static_cast<std::size_t>(std::find_if(after.begin(), after.end(), [](char c) { return c < '0' || c > '9'; }) - after.begin());
    if (i == 0 || run != 3) {
      return std::nullopt;
    }
  }
  return digits;
}

std::string print(int decimals, double value) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return {buffer.data(), static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(buffer.size()) - 1))};
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
  }
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> parse_size_bytes(std::string_view text) {
  return parse_scaled(text, k_size_suffixes);
}

std::optional<double> parse_usd(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.front() == '$') {
    text.remove_prefix(1);
  }
  const auto digits = without_thousands(text);
  return digits ? parse_scaled(*digits, k_money_suffixes) : std::nullopt;
}

std::optional<double> parse_count(std::string_view text) {
  return parse_scaled(text, k_count_suffixes);
}

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) {
    return "-";
  }
  if (value == 0.0) {
    return "0";
  }
  const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const double scale = std::pow(10.0, digits - 1 - exponent);
  const double rounded = std::round(value * scale) / scale;
  // Rounding may carry into the next power of ten: 9.996 -> 10.0.
  const int carried = static_cast<int>(std::floor(std::log10(std::fabs(rounded)) + 1e-12));
  const int decimals = std::max(0, digits - 1 - carried);
  return print(decimals, rounded);
}

std::string format_gib(double bytes) {
  return format_significant(bytes / k_gib) + " GiB";
}

std::string format_usd(double usd) {
  if (usd != 0.0 && std::fabs(usd) < 0.01) {
    return "$" + format_significant(usd, 1);  // what costs little is not free
  }
  if (usd != 0.0 && std::fabs(usd) < 10.0) {
    return "$" + print(2, usd);
  }
  std::string digits = print(0, usd);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > (digits.front() == '-' ? 1 : 0); place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return "$" + digits;
}

std::string format_duration(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  static constexpr std::array<Unit, 6> units{{{86400 * 2, "d"}, {3600 * 2, "h"}, {120, "min"}, {1, "s"}, {1e-3, "ms"}, {0, "us"}}};
  static constexpr std::array<double, 6> divisors{86400, 3600, 60, 1, 1e-3, 1e-6};
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (seconds >= units[i].seconds) {
      return format_significant(seconds / divisors[i], 2) + " " + std::string(units[i].name);
    }
  }
  return "-";
}

std::string format_count(double count) {
  static constexpr std::array<Suffix, 4> scales{{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}, {"k", 1e3}}};
  for (const Suffix& scale : scales) {
    if (count >= scale.factor) {
      return format_significant(count / scale.factor) + std::string(scale.text);
    }
  }
  return format_significant(count);
}

}  // namespace gpuadvise
