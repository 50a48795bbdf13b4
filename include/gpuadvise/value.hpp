// A setting as it was given: on the command line (text), or in JSON (any kind). Keeps public headers free of a JSON library.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gpuadvise {

struct Value {
  using List = std::vector<Value>;
  std::variant<std::monostate, bool, double, std::string, List> data;

  Value() = default;
  Value(bool flag) : data(flag) {}                      // NOLINT(google-explicit-constructor)
  Value(double number) : data(number) {}                // NOLINT(google-explicit-constructor)
  Value(std::string text) : data(std::move(text)) {}    // NOLINT(google-explicit-constructor)
  Value(const char* text) : data(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Value(List list) : data(std::move(list)) {}           // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&data); }
  [[nodiscard]] const double* number() const { return std::get_if<double>(&data); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data); }
  [[nodiscard]] const List* list() const { return std::get_if<List>(&data); }
};

// Where a setting came from. file = a JSON request or a configuration file; stack = the training program's preset.
enum class Origin : unsigned char { unset, fallback, preset, inferred, file, user };

}  // namespace gpuadvise
