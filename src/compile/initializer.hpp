// Writes records as C++ initializers, by the same field table that reads them. Members equal to their default are left
// out: the tables stay short and compile faster.
#pragma once

#include <gpuadvise/fixed_list.hpp>

#include "catalog/fields.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpuadvise::compile {

// A C++ string literal of the text.
[[nodiscard]] std::string literal(std::string_view text);

// How a value is written; the primary template handles records with a field table.
template <class T>
struct Writer {
  [[nodiscard]] static std::string write(const T& value);
};

template <class T>
[[nodiscard]] std::string initializer(const T& value) {
  return Writer<T>::write(value);
}

template <>
struct Writer<bool> {
  [[nodiscard]] static std::string write(bool value) { return value ? "true" : "false"; }
};

template <>
struct Writer<double> {
  [[nodiscard]] static std::string write(double value) {
    std::string digits = fmt::format("{}", value);
    return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
  }
};

template <>
struct Writer<std::string_view> {
  [[nodiscard]] static std::string write(std::string_view value) { return literal(value); }
};

template <class T>
requires std::is_enum_v<T>
struct Writer<T> {
  [[nodiscard]] static std::string write(T value) { return fmt::format("Nth{{{}}}", static_cast<unsigned>(value)); }
};

template <class T>
struct Writer<std::optional<T>> {
  [[nodiscard]] static std::string write(const std::optional<T>& value) { return value ? initializer(*value) : "std::nullopt"; }
};

template <class T, std::size_t N>
struct Writer<FixedList<T, N>> {
  [[nodiscard]] static std::string write(const FixedList<T, N>& list) {
    std::string items;
    for (const T& item : list) {
      items += (items.empty() ? "" : ",") + initializer(item);
    }
    return list.empty() ? "{}" : fmt::format("{{.items={{{{{}}}}},.count={}}}", items, list.size());
  }
};

template <class T>
std::string Writer<T>::write(const T& value) {
  // The record and a default one are walked side by side; what is written alike is left out.
  const T fallback{};
  std::vector<std::string> defaults;
  catalog::visit_fields([&](std::string_view, const auto& member) { defaults.push_back(initializer(member)); }, fallback);
  std::string members;
  std::size_t i = 0;
  catalog::visit_fields(
      [&](std::string_view name, const auto& member) {
        const std::string text = initializer(member);
        if (text != defaults[i++]) {
          members += fmt::format("{}.{}={}", members.empty() ? "" : ",", name, text);
        }
      },
      value);
  return "{" + members + "}";
}

}  // namespace gpuadvise::compile
