#include "import/hf_keys.hpp"

#include <gpuadvise/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gpuadvise::importer {
namespace {

using nlohmann::json;

const json* member(const json* object, std::string_view key) {
  if (object == nullptr || !object->is_object()) {
    return nullptr;
  }
  const auto found = object->find(key);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

const json* path_in(const json* object, std::string_view path) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) {
    return member(object, path);
  }
  return member(member(object, path.substr(0, dot)), path.substr(dot + 1));
}

}  // namespace

const json* ConfigKeys::find(std::string_view key) const {
  const json* found = path_in(part_, key);
  return found != nullptr ? found : path_in(&root_, key);
}

void ConfigKeys::refuse(std::string_view key, const std::string& reason) const {
  throw Error(ErrorCode::bad_data, std::string(key) + " " + reason, {}, file_);
}

std::optional<double> ConfigKeys::number(std::initializer_list<std::string_view> keys, double largest) const {
  const auto checked = [&](std::string_view key, const json& value) {
    const double number = value.is_number() ? value.get<double>() : -1.0;
    if (!value.is_number() || !std::isfinite(number) || number < 0 || number > largest || number != std::floor(number)) {
      refuse(key, "must be a whole number from 0 to " + std::to_string(static_cast<long>(largest)));
    }
    return number;
  };
  for (const std::string_view key : keys) {
    const json* value = find(key);
    // -1 says "not used" in several classes.
    if (value == nullptr || (value->is_number_integer() && !value->is_number_unsigned() && value->get<std::int64_t>() == -1)) {
      continue;
    }
    if (!value->is_array()) {
      return checked(key, *value);
    }
    if (value->empty() || value->size() > static_cast<std::size_t>(limit::layers)) {
      continue;
    }
    double sum = 0;
    for (const json& item : *value) {
      sum += item.is_null() ? 0.0 : checked(key, item);
    }
    return sum / static_cast<double>(value->size());
  }
  return std::nullopt;
}

std::optional<bool> ConfigKeys::flag(std::string_view key) const {
  const json* value = find(key);
  return value != nullptr && value->is_boolean() ? std::optional(value->get<bool>()) : std::nullopt;
}

std::string ConfigKeys::text(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    const json* value = find(key);
    if (value != nullptr && value->is_string() && value->get_ref<const std::string&>().size() <= 200) {
      return value->get<std::string>();
    }
  }
  return {};
}

const json* ConfigKeys::list(std::string_view key) const {
  const json* value = find(key);
  return value != nullptr && value->is_array() && value->size() <= static_cast<std::size_t>(limit::layers) ? value : nullptr;
}

const json* ConfigKeys::object(std::string_view key) const {
  const json* value = find(key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

double ConfigKeys::count_in(std::string_view key, std::string_view text) const {
  const json* values = list(key);
  return values == nullptr ? 0.0 : static_cast<double>(std::count_if(values->begin(), values->end(), [&](const json& item) {
    return item.is_string() && item.get_ref<const std::string&>() == text;
  }));
}

}  // namespace gpuadvise::importer
