#include "catalog/record_text.hpp"

#include "catalog/builtin.hpp"
#include "catalog/json_fields.hpp"

#include <cmath>
#include <string_view>

namespace gpuadvise::catalog {
namespace {

using json = nlohmann::ordered_json;

template <class T>
json to_json(const T& value);

template <class T>
json record_json(const T& record) {
  json object = json::object();
  visit_fields(
      [&](std::string_view name, const auto& member) {
        json item = to_json(member);
        if (!item.is_null()) {
          object[std::string(name)] = std::move(item);
        }
      },
      record);
  return object;
}

template <class T>
json to_json(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? to_json(*value) : json();
  } else if constexpr (IsFixedList<T>::value) {
    json list = json::array();
    for (const auto& item : value) {
      list.push_back(to_json(item));
    }
    return list.empty() ? json() : list;
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return value.empty() ? json() : json(std::string(value));
  } else if constexpr (std::is_enum_v<T>) {
    return json(std::string(enum_name(value)));
  } else if constexpr (HasFields<const T>) {
    return record_json(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    // "24", as the data files have it, rather than "24.0".
    return value == std::trunc(value) && std::fabs(value) < 1e15 ? json(static_cast<long long>(value)) : json(value);
  } else {
    return json(value);
  }
}

// The compiled data file that lists the id, and the record in it; null where the record came from elsewhere.
json embedded_record(std::string_view folder, std::string_view list, std::string_view id) {
  const std::string quoted = "\"id\": \"" + std::string(id) + "\"";
  for (const EmbeddedFile& file : builtin_files()) {
    if (!file.path.starts_with(folder) || file.text.find(quoted) == std::string_view::npos) {
      continue;
    }
    const json root = json::parse(file.text);
    for (const json& record : root.at(std::string(list))) {
      if (record.at("id") == id) {
        return record;
      }
    }
  }
  return {};
}

// Leaves out what a fresh record has too; short records in lists are written as lists, as data files have them.
json without_defaults(const json& value, const json& fallback) {
  if (value.is_array()) {
    json list = json::array();
    for (const json& item : value) {
      json row = json::array();
      for (const auto& member : item.items()) {
        row.push_back(member.value());
      }
      list.push_back(item.is_object() ? row : item);
    }
    return list;
  }
  if (!value.is_object()) {
    return value;
  }
  json kept = json::object();
  for (const auto& [key, member] : value.items()) {
    const json usual = fallback.is_object() && fallback.contains(key) ? fallback[key] : json();
    if (member != usual) {
      kept[key] = without_defaults(member, usual);
    }
  }
  return kept;
}

template <class T>
json data_json(const T& record) {
  return without_defaults(record_json(record), record_json(T{}));
}

std::string dump(const json& record) {
  return record.dump(2, ' ', false, json::error_handler_t::replace);
}

// Facts in force may differ from the file's (an overlay): the file's record is shown only where they agree.
template <class T>
std::string text_of(const T& in_force, json embedded) {
  json fields = record_json(in_force);
  if (embedded.is_null()) {
    return dump(fields);
  }
  for (const auto& [key, value] : embedded.items()) {
    if (!fields.contains(key)) {
      fields[key] = value;
    }
  }
  return dump(fields);
}

}  // namespace

std::string gpu_record_text(const Catalog& catalog, const Gpu& gpu) {
  const bool own_data = catalog.overlay_notes().empty();
  return text_of(gpu, own_data ? embedded_record("gpus/", "gpus", gpu.id) : json());
}

std::string model_record_text(const Catalog& catalog, const Model& model) {
  json record = catalog.overlay_notes().empty() ? embedded_record("models/", "models", model.id) : json();
  json fields = json::object();
  for (const auto& [key, value] : {std::pair<const char*, std::string_view>{"id", model.id},
                                   {"name", model.name},
                                   {"hf_id", model.hf_id},
                                   {"family", model.family},
                                   {"field", enum_name(model.field)},
                                   {"source", model.source}}) {
    if (!value.empty()) {
      fields[key] = std::string(value);
    }
  }
  if (const auto* image = model.image()) {
    fields["image"] = record_json(*image);
  } else if (const auto* transformer = model.transformer()) {
    fields["transformer"] = record_json(*transformer);
  } else if (const auto* diffusion = model.diffusion()) {
    fields["diffusion"] = record_json(*diffusion);
  } else if (const auto* recommender = model.recommender()) {
    fields["recommender"] = record_json(*recommender);
  }
  for (const auto& [key, value] : record.items()) {
    if (!fields.contains(key)) {
      fields[key] = value;
    }
  }
  return dump(fields);
}

std::string model_file_text(const Model& model, const std::vector<std::string>& sources) {
  json record = json::object();
  record["id"] = std::string(model.id);
  record["name"] = std::string(model.name);
  record["family"] = std::string(model.family);
  record["field"] = std::string(enum_name(model.field));
  if (const auto* image = model.image()) {
    record["image"] = data_json(*image);
    record["image"]["source"] = std::string(enum_name(image->source));
  } else if (const auto* transformer = model.transformer()) {
    record["transformer"] = data_json(*transformer);
  }
  record["sources"] = sources;
  return dump(json{{"schema", 1}, {"models", json::array({record})}}) + "\n";
}

std::string_view price_kind_name(PriceKind kind) {
  return enum_name(kind);
}

}  // namespace gpuadvise::catalog
