// Units and the text people write for them. Sizes are bytes unless a name says otherwise;
// GiB = 2^30 bytes and GB = 10^9 bytes are never mixed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise {

inline constexpr double k_kib = 1024.0;
inline constexpr double k_mib = 1024.0 * 1024.0;
inline constexpr double k_gib = 1024.0 * 1024.0 * 1024.0;
inline constexpr double k_gb = 1e9;
inline constexpr double k_tera = 1e12;

// A quantity with the interval in which 90 % of measurements should lie; low <= expected <= high.
struct Interval {
  double low = 0.0;
  double expected = 0.0;
  double high = 0.0;

  [[nodiscard]] constexpr Interval scaled(double factor) const { return {low * factor, expected * factor, high * factor}; }
  [[nodiscard]] friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

// "24", "24G", "24GiB", "24GB", "512 MiB" -> bytes; a bare number is GiB. nullopt when malformed, negative or not finite.
[[nodiscard]] std::optional<double> parse_size_bytes(std::string_view text);
// "500", "$500", "1,299.50", "2k" -> US dollars. nullopt when malformed, negative or not finite.
[[nodiscard]] std::optional<double> parse_usd(std::string_view text);
// "7B", "350M", "1.5e9", "7000000000" -> a count. nullopt when malformed, negative or not finite.
[[nodiscard]] std::optional<double> parse_count(std::string_view text);
// A finite decimal number that spans the whole text; nullopt otherwise.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// 3915526144 -> "3.65 GiB" (three significant digits).
[[nodiscard]] std::string format_gib(double bytes);
// Three significant digits without an exponent: 0.0123, 1.23, 12.3, 123, 1230.
[[nodiscard]] std::string format_significant(double value, int digits = 3);
[[nodiscard]] std::string format_usd(double usd);
// 0.045 -> "45 ms", 95 -> "95 s", 7200 -> "2.0 h", 200000 -> "2.3 d".
[[nodiscard]] std::string format_duration(double seconds);
// 6738415616 -> "6.74B".
[[nodiscard]] std::string format_count(double count);

}  // namespace gpuadvise
