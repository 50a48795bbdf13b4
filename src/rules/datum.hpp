// A value inside a rule: what a fact reads and what an operator returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuadvise::rules {

enum class Kind : std::uint8_t { null, boolean, number, text };

// null = not known. Views point into catalog tables, requests or rule pools, which outlive the evaluation.
struct Datum {
  Kind kind = Kind::null;
  double number = 0.0;  // booleans are 0 or 1
  std::string_view text;

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  // JsonLogic's truth: null, false, 0 and "" are false.
  [[nodiscard]] bool truthy() const { return kind == Kind::text ? !text.empty() : number != 0.0; }
};

[[nodiscard]] constexpr Datum boolean(bool value) {
  return {Kind::boolean, value ? 1.0 : 0.0, {}};
}
[[nodiscard]] constexpr Datum number(double value) {
  return {Kind::number, value, {}};
}
[[nodiscard]] constexpr Datum number(const std::optional<double>& value) {
  return value ? Datum{Kind::number, *value, {}} : Datum{};
}
// An empty text is an unknown one.
[[nodiscard]] constexpr Datum text(std::string_view value) {
  return value.empty() ? Datum{} : Datum{Kind::text, 0.0, value};
}

}  // namespace gpuadvise::rules
