// Reads a record from JSON by its field table. Unknown keys, wrong types and unknown words are refused with the path.
// Only .cpp files that read JSON include this.
#pragma once

#include <gpuadvise/error.hpp>
#include <gpuadvise/fixed_list.hpp>

#include "catalog/enum_names.hpp"
#include "catalog/fields.hpp"
#include "catalog/text_pool.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpuadvise::catalog {

struct ReadContext {
  TextPool& texts;
  std::string file;
};

[[noreturn]] inline void refuse(const ReadContext& context, const std::string& path, const std::string& message) {
  throw Error(ErrorCode::bad_data, message + " at " + path, {}, context.file);
}

template <class T>
void read_value(const nlohmann::json& json, T& target, ReadContext& context, const std::string& path);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsFixedList : std::false_type {};
template <class T, std::size_t N>
struct IsFixedList<FixedList<T, N>> : std::true_type {};

template <class E>
void read_enum(const nlohmann::json& json, E& target, ReadContext& context, const std::string& path) {
  if (!json.is_string()) {
    refuse(context, path, "expected a word");
  }
  const auto& text = json.get_ref<const std::string&>();
  const auto value = parse_enum<E>(text);
  if (!value) {
    std::string words;
    for (const std::string_view name : EnumNames<E>::names) {
      words += words.empty() ? "" : ", ";
      words += name;
    }
    refuse(context, path, "unknown word '" + text + "' (one of " + words + ")");
  }
  target = *value;
}

// An object by key, or a compact array in field order.
template <class T>
void read_record(const nlohmann::json& json, T& target, ReadContext& context, const std::string& path,
                 std::span<const std::string_view> provenance = {}) {
  if (json.is_array()) {
    std::size_t next = 0;
    visit_fields(
        [&](std::string_view name, auto& member) {
          if (next < json.size()) {
            read_value(json[next++], member, context, path + "." + std::string(name));
          }
        },
        target);
    if (next != json.size()) {
      refuse(context, path, "too many elements");
    }
    return;
  }
  if (!json.is_object()) {
    refuse(context, path, "expected an object");
  }
  std::vector<std::string_view> known(provenance.begin(), provenance.end());
  visit_fields(
      [&](std::string_view name, auto& member) {
        known.push_back(name);
        const auto found = json.find(name);
        if (found != json.end() && !found->is_null()) {
          read_value(*found, member, context, path + "." + std::string(name));
        }
      },
      target);
  for (const auto& item : json.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      refuse(context, path, "unknown key '" + item.key() + "'");
    }
  }
}

template <class T>
void read_value(const nlohmann::json& json, T& target, ReadContext& context, const std::string& path) {
  if constexpr (IsOptional<T>::value) {
    typename T::value_type value{};
    read_value(json, value, context, path);
    target = value;
  } else if constexpr (IsFixedList<T>::value) {
    if (!json.is_array() || json.size() > T::capacity()) {
      refuse(context, path, "expected a list of at most " + std::to_string(T::capacity()) + " elements");
    }
    target = {};
    for (std::size_t i = 0; i < json.size(); ++i) {
      std::remove_cvref_t<decltype(target[0])> item{};
      read_value(json[i], item, context, path + "[" + std::to_string(i) + "]");
      target.push_back(item);
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) {
      refuse(context, path, "expected true or false");
    }
    target = json.get<bool>();
  } else if constexpr (std::is_same_v<T, double>) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) {
      refuse(context, path, "expected a number");
    }
    target = json.get<double>();
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    if (!json.is_string()) {
      refuse(context, path, "expected a text");
    }
    target = context.texts.keep(json.get<std::string>());
  } else if constexpr (std::is_enum_v<T>) {
    read_enum(json, target, context, path);
  } else {
    static_assert(HasFields<T>);
    read_record(json, target, context, path);
  }
}

}  // namespace gpuadvise::catalog
