// Values of a config.json under the names that different model classes use. A nested language part goes first, then the outer
// object; null is absent, truth values are no numbers, and numbers are whole and bounded.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise::importer {

class ConfigKeys {
 public:
  // Both must outlive this; `part` may be null.
  ConfigKeys(const nlohmann::json& root, const nlohmann::json* part, std::string file) : root_(root), part_(part), file_(std::move(file)) {}

  // The first of these keys that has a value; "a.b" is key b of object a. A list counts as the mean of its numbers.
  // Throws Error{bad_data} for what is no number from 0 to `largest`.
  [[nodiscard]] std::optional<double> number(std::initializer_list<std::string_view> keys, double largest) const;
  [[nodiscard]] double number_or(std::initializer_list<std::string_view> keys, double largest, double fallback) const {
    return number(keys, largest).value_or(fallback);
  }
  [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
  [[nodiscard]] std::string text(std::initializer_list<std::string_view> keys) const;
  // Null where absent or of another kind.
  [[nodiscard]] const nlohmann::json* list(std::string_view key) const;
  [[nodiscard]] const nlohmann::json* object(std::string_view key) const;
  // How many elements of a list are this text, or this number.
  [[nodiscard]] double count_in(std::string_view key, std::string_view text) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, const std::string& reason) const;

  const nlohmann::json& root_;
  const nlohmann::json* part_;
  std::string file_;
};

// Limits beyond any model; they keep products finite.
namespace limit {
inline constexpr double layers = 10'000;
inline constexpr double width = 1 << 24;
inline constexpr double heads = 65'536;
inline constexpr double vocab = 1 << 26;
inline constexpr double experts = 65'536;
inline constexpr double context = 1e9;
}  // namespace limit

}  // namespace gpuadvise::importer
