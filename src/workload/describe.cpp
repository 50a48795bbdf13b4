#include "workload/describe.hpp"

#include <gpuadvise/units.hpp>

#include "workload/fault.hpp"
#include "workload/keys.hpp"
#include "workload/parse_value.hpp"

#include <array>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

Value image_value(const ImageSize& image) {
  Value::List sides;
  if (image.frames > 1) {
    sides.emplace_back(image.frames);
  }
  if (image.frames <= 1 && image.height == image.width) {
    return image.height;
  }
  sides.emplace_back(image.height);
  sides.emplace_back(image.width);
  return sides;
}

std::string resolution_text(const ImageSize& image) {
  std::string text = number_text(image.width) + "x" + number_text(image.height);
  return image.frames > 1 ? text + "x" + number_text(image.frames) + "f" : text;
}

Value text_or_null(const std::string& text) {
  return text.empty() ? Value() : Value(text);
}

Value optional_value(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

Value frozen_value(const Frozen& frozen) {
  Value::List words;
  const std::string text = to_text(frozen);
  for (std::size_t start = 0; start < text.size();) {
    const auto comma = text.find(',', start);
    const auto end = comma == std::string::npos ? text.size() : comma;
    words.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

// Keys whose value is no plain member of the workload.
Value special_value(const Request& request, K key) {
  const Workload& w = request.workload;
  switch (key) {
    case K::model:
      return request.model_text.empty() ? text_or_null(std::string(request.model.id)) : Value(request.model_text);
    case K::config:
      return text_or_null(request.config);
    case K::model_file:
      return text_or_null(request.model_file);
    case K::params:
      return optional_value(request.params_hint);
    case K::lora_targets:
      return to_text(w.lora_targets);
    case K::precision:
      return gpuadvise::to_string(w.precision);
    case K::weights:
      return w.weights ? Value(gpuadvise::to_string(*w.weights)) : Value();
    case K::kv_precision:
      return to_text(w.kv_precision);
    case K::image:
      return image_value(w.image);
    case K::resolution:
      return resolution_text(w.image);
    case K::frozen:
      return frozen_value(w.frozen);
    case K::offload:
      return to_text(w.offload);
    case K::embedding_rows:
      return request.model.recommender() != nullptr ? Value(request.model.recommender()->rows) : Value();
    case K::embedding_dim:
      return request.model.recommender() != nullptr ? Value(request.model.recommender()->dim) : Value();
    default:
      return {};
  }
}

void append_item(std::string& line, std::string_view text) {
  line += line.empty() ? "" : ", ";
  line += text;
}

}  // namespace

Value value_of(const Request& request, WorkloadKey key) {
  const KeySpec& spec = spec_of(key);
  const Workload& w = request.workload;
  if (const auto* plain = std::get_if<double Workload::*>(&spec.slot)) {
    return w.*(*plain);
  }
  if (const auto* optional = std::get_if<std::optional<double> Workload::*>(&spec.slot)) {
    return optional_value(w.*(*optional));
  }
  if (const auto* flag = std::get_if<bool Workload::*>(&spec.slot)) {
    return w.*(*flag);
  }
  if (const auto* choice = std::get_if<EnumSlot>(&spec.slot)) {
    return std::string(choice_name(spec.choices, choice->get(w)));
  }
  return special_value(request, key);
}

std::string value_text(const Request& request, WorkloadKey key) {
  const Value value = value_of(request, key);
  if (value.is_null()) {
    return {};
  }
  if (const auto* text = value.text()) {
    return *text;
  }
  const std::string quotes = quoted(value);
  return quotes.substr(1, quotes.size() - 2);
}

std::vector<Described> describe(const Request& request) {
  std::vector<Described> all;
  all.reserve(24);
  for (const KeySpec& spec : keys()) {
    const Origin origin = request.origins[spec.key];
    if (origin != Origin::unset) {
      all.push_back({spec.key, spec.name, value_of(request, spec.key), origin});
    }
  }
  return all;
}

std::string_view to_string(Origin origin) {
  static constexpr std::array<std::string_view, 6> names{"unset", "default", "preset", "inferred", "file", "user"};
  return names[static_cast<std::size_t>(origin)];
}

std::string summary(const Request& request, std::string_view division) {
  const Workload& w = request.workload;
  bool assumed = false;
  // What nobody said is marked, so that a reader can tell the question from what was put in for it.
  const auto marked = [&](K key, const std::string& text) {
    const bool told = request.origins[key] == Origin::user || request.origins[key] == Origin::file;
    assumed = assumed || !told;
    return told ? text : text + "*";
  };
  std::string line = request.model_text.empty() ? request.model_file : request.model_text;
  if (line.empty()) {
    line = request.params_hint ? format_count(*request.params_hint) + " parameters" : std::string(request.model.name);
  }
  if (request.origins[K::model] == Origin::preset) {
    line = marked(K::model, line);
  }
  append_item(line, marked(K::task, std::string(name_of(K::task, w.task))));
  if (w.training() && w.method != Method::full) {
    append_item(line, marked(K::method, std::string(name_of(K::method, w.method))));
  }
  append_item(line, marked(K::precision, value_text(request, K::precision)));
  append_item(line, marked(K::batch, "batch " + number_text(w.batch)));
  if (request.origins[K::seq] != Origin::unset) {
    append_item(line, marked(K::seq, "seq " + number_text(w.seq)));
  }
  if (w.image.height > 0) {
    append_item(line, marked(request.origins[K::resolution] != Origin::unset ? K::resolution : K::image, resolution_text(w.image)));
  }
  if (w.training()) {
    append_item(line, marked(K::optimizer, std::string(name_of(K::optimizer, w.optimizer))));
    if (w.checkpointing != Checkpointing::none) {
      append_item(line,
                  marked(K::grad_checkpointing, "grad-checkpointing " + std::string(name_of(K::grad_checkpointing, w.checkpointing))));
    }
  } else {
    append_item(line, marked(K::engine, std::string(name_of(K::engine, w.engine))));
  }
  if (w.all_gpus() > 1) {
    append_item(line, marked(K::gpus, number_text(w.all_gpus()) + " GPUs"));
    append_item(line, division.empty() ? marked(K::strategy, std::string(name_of(K::strategy, w.strategy))) : std::string(division));
  }
  return assumed ? line + " (* assumed)" : line;
}

}  // namespace gpuadvise::workload
