#include "workload/resolve.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "catalog/near_name.hpp"
#include "workload/defaults.hpp"
#include "workload/draft.hpp"
#include "workload/field_job.hpp"
#include "workload/keys.hpp"
#include "workload/validate.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

constexpr double k_usual_embedding_dim = 128;
// Below this a bare number of parameters is an image network rather than a language model.
constexpr double k_smallest_language_model = 60e6;

void unknown_key(Draft& draft, const std::string& key) {
  std::vector<std::string_view> names;
  names.reserve(keys().size());
  for (const KeySpec& spec : keys()) {
    names.push_back(spec.name);
  }
  const std::string shown = quoted(Value(key));
  const auto near = key.size() <= 80 ? catalog::near_names(key, names, 1) : std::vector<std::string_view>();
  draft.fault(ErrorCode::unknown_key, key.substr(0, 80), "unknown key " + shown,
              near.empty() ? std::string("see gpuadvise estimate --help") : "did you mean '" + std::string(near.front()) + "'?");
}

void read_settings(Draft& draft, std::span<const Setting> settings) {
  for (const Setting& setting : settings) {
    if (const KeySpec* spec = find_key(setting.key)) {
      apply_value(draft, *spec, setting.value, setting.origin);
    } else {
      unknown_key(draft, setting.key);
    }
  }
}

bool contains(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

// What kind of network an unknown name or a bare size stands for: by the settings that only one kind has, then by the name.
Field guessed_field(const Draft& draft) {
  const Workload& w = draft.request.workload;
  if (draft.asked_field) {
    return *draft.asked_field;
  }
  if (draft.embedding_rows || draft.embedding_dim) {
    return Field::recommender;
  }
  if (draft.given(K::resolution) || draft.given(K::steps) || (draft.given(K::engine) && w.engine == Engine::diffusers)) {
    return Field::diffusion;
  }
  struct Hint {
    std::string_view word;
    Field field;
  };
  static constexpr auto hints = std::to_array<Hint>({{"whisper", Field::speech},
                                                     {"wav2vec", Field::speech},
                                                     {"diffusion", Field::diffusion},
                                                     {"rcnn", Field::detection},
                                                     {"r-cnn", Field::detection},
                                                     {"retinanet", Field::detection},
                                                     {"yolo", Field::detection},
                                                     {"deeplab", Field::segmentation},
                                                     {"bert", Field::encoder},
                                                     {"electra", Field::encoder},
                                                     {"dlrm", Field::recommender}});
  const std::string_view name = draft.request.model_text;
  for (const Hint& hint : hints) {
    if (contains(name, hint.word)) {
      return hint.field;
    }
  }
  if (draft.image) {
    return draft.image->frames > 1 ? Field::video : Field::vision;
  }
  const bool text = draft.given(K::seq) || draft.given(K::prompt_len) || draft.given(K::gen_len);
  const bool small = draft.request.params_hint && *draft.request.params_hint < k_smallest_language_model;
  return small && !text ? Field::vision : Field::language;
}

void unknown_model(Draft& draft, const ModelSource& models) {
  const std::string& text = draft.request.model_text;
  const auto near = models.near(text);
  std::string hint = "see gpuadvise list models, or give params";
  if (!near.empty()) {
    hint = "did you mean '" + near.front() + "'";
    for (std::size_t i = 1; i < std::min<std::size_t>(near.size(), 3); ++i) {
      hint += " or '" + near[i] + "'";
    }
    hint += "?";
  }
  draft.fault(ErrorCode::unknown_model, "model", "unknown model " + quoted(Value(text)), std::move(hint));
}

void take_found(Draft& draft, FoundModel& found) {
  Request& request = draft.request;
  request.model = found.model;
  if (found.inexact) {
    draft.note("model-taken-for", Severity::note,
               "model " + quoted(Value(request.model_text)) + " is not in the catalog by that name: '" + found.used_id + "' was used");
  }
  request.findings.insert(request.findings.end(), found.findings.begin(), found.findings.end());
  if (!found.quantization.empty()) {
    draft.checkpoint = parse_precision(found.quantization);
  }
}

// "Foo-35B-A3B" -> 3e9: how mixtures of experts state the parameters that work on a token.
std::optional<double> active_params_in(std::string_view name) {
  for (std::size_t at = name.find_first_of("aA"); at != std::string_view::npos; at = name.find_first_of("aA", at + 1)) {
    const std::string_view rest = name.substr(at + 1);
    const auto digits = rest.find_first_not_of("0123456789.");
    const bool separate = at > 0 && std::string_view("-_ bB").find(name[at - 1]) != std::string_view::npos;
    if (separate && digits != 0 && digits != std::string_view::npos && (rest[digits] == 'b' || rest[digits] == 'B')) {
      return parse_count(rest.substr(0, digits + 1));
    }
  }
  return std::nullopt;
}

bool take_inferred(Draft& draft, const ModelSource& models) {
  Request& request = draft.request;
  const double params = *request.params_hint;
  const Field field = guessed_field(draft);
  const auto active = active_params_in(request.model_text);
  const auto inferred = models.infer(params, active, field);
  if (!inferred) {
    return false;
  }
  request.model = *inferred;
  request.model.field = field;
  const std::string subject =
      request.model_text.empty() ? "only the size is known" : "model " + quoted(Value(request.model_text)) + " is unknown";
  draft.note(
      "model-inferred", Severity::warn,
      subject + ": a typical " + std::string(catalog::enum_name(field)) + " model of " + format_count(params) + " parameters was assumed");
  return true;
}

void take_tables(Draft& draft) {
  Request& request = draft.request;
  if (!request.model.id.empty() && request.model.recommender() == nullptr) {
    draft.fault(ErrorCode::conflict, draft.embedding_rows ? "embedding_rows" : "embedding_dim",
                "model " + quoted(Value(std::string(request.model.id))) + " has no embedding tables to size",
                "embedding_rows and embedding_dim are for recommenders");
    return;
  }
  RecommenderShape shape;
  if (const RecommenderShape* known = request.model.recommender()) {
    shape = *known;
  }
  shape.rows = draft.embedding_rows.value_or(shape.rows);
  shape.dim = draft.embedding_dim.value_or(shape.dim > 0 ? shape.dim : k_usual_embedding_dim);
  if (request.model.id.empty()) {
    request.model.id = "embedding-tables";
    request.model.name = "embedding tables";
    // Parameters beyond the tables are the dense networks around them.
    shape.dense_params = std::max(0.0, request.params_hint.value_or(0.0) - shape.rows * shape.dim);
  }
  request.model.field = Field::recommender;
  request.model.shape = shape;
}

// "7b", "27b q4_k_m": a size in place of a name, maybe with the format of its file.
void take_size_as_name(Draft& draft) {
  Request& request = draft.request;
  const std::string_view text = request.model_text;
  const auto end = std::min(text.find_first_of(" -_"), text.size());
  const bool unit = end > 1 && std::string_view("bBmM").find(text[end - 1]) != std::string_view::npos;
  const auto params = unit ? parse_count(text.substr(0, end)) : std::nullopt;
  const std::string_view rest = end < text.size() ? text.substr(end + 1) : std::string_view{};
  const auto format = rest.empty() ? std::nullopt : parse_precision(rest);
  if (!params || (!rest.empty() && !format)) {
    return;
  }
  request.params_hint = params;
  request.origins[K::params] = Origin::inferred;
  draft.checkpoint = format;
}

// By name; then by size, which is only a hint beside a name.
bool look_up(Draft& draft, const ModelSource& models) {
  const Request& request = draft.request;
  if (!request.model_text.empty()) {
    if (auto found = models.find({request.model_text, request.config, request.workload})) {
      take_found(draft, *found);
      return true;
    }
    if (!request.params_hint) {
      take_size_as_name(draft);
    }
  }
  return draft.embedding_rows || (request.params_hint && take_inferred(draft, models));
}

bool read_file(Draft& draft, const ModelSource& models) {
  if (!draft.request.model_text.empty()) {
    draft.fault(ErrorCode::conflict, "model", "model and model_file exclude each other", "give one of them");
  }
  FoundModel found = models.read_file(draft.request.model_file);
  take_found(draft, found);
  return true;
}

bool name_model(Draft& draft, const ModelSource& models) {
  const Request& request = draft.request;
  const bool file = !request.model_file.empty();
  try {
    if (file ? read_file(draft, models) : look_up(draft, models)) {
      return true;
    }
  } catch (const Error& error) {
    // One fault among the others: a file that cannot be read, a size no model has.
    draft.fault(error.code(), file ? "model_file" : request.model_text.empty() ? "params" : "model", error.message(), error.hint());
    return false;
  }
  if (!request.model_text.empty()) {
    unknown_model(draft, models);
  } else if (request.params_hint) {
    draft.fault(ErrorCode::unsupported, "params", "the size alone says too little about such a network", "name a model like it with model");
  } else if (draft.faults.empty()) {
    draft.fault(ErrorCode::usage, "model", "no model is given", "one of model, model_file, params");
  }
  return false;
}

void apply_presets(Draft& draft, std::span<const StackPreset> presets) {
  const Workload& w = draft.request.workload;
  if (w.stack == Stack::none || !w.training()) {
    return;
  }
  const std::string_view stack = name_of(K::stack, w.stack);
  const std::string_view field = catalog::enum_name(w.field);
  const std::string_view method = name_of(K::method, w.method);
  for (const StackPreset& preset : presets) {
    const bool meant =
        preset.stack == stack && (preset.field.empty() || preset.field == field) && (preset.method.empty() || preset.method == method);
    if (!meant) {
      continue;
    }
    if (const KeySpec* spec = find_key(preset.key)) {
      apply_value(draft, *spec, Value(std::string(preset.value)), Origin::preset);
    } else {
      draft.fault(ErrorCode::bad_data, preset.key,
                  "stack " + std::string(stack) + " presets an unknown key '" + std::string(preset.key) + "'");
    }
  }
}

// Image size before the model is looked up: composed networks need it.
void place_image(Draft& draft) {
  if (const auto& said = draft.resolution ? draft.resolution : draft.image) {
    draft.request.workload.image = *said;
  }
}

}  // namespace

Request resolve(std::span<const Setting> settings, const ModelSource& models, std::span<const StackPreset> presets) {
  Draft draft;
  draft.request.workload.image = {0.0, 0.0, 0.0};
  read_settings(draft, settings);
  place_field_job(draft);
  place_image(draft);
  if (name_model(draft, models)) {
    check_field(draft);
    if (draft.embedding_rows || draft.embedding_dim) {
      take_tables(draft);
    }
    apply_leading_defaults(draft);
    apply_presets(draft, presets);
    apply_defaults(draft);
    validate(draft);
  }
  if (!draft.faults.empty()) {
    throw RequestError(std::move(draft.faults));
  }
  draft.request.workload.given = {draft.stated(K::batch), draft.stated(K::seq), draft.stated(K::prompt_len) || draft.stated(K::gen_len)};
  draft.request.workload.given.checkpointing = draft.stated(K::grad_checkpointing);
  draft.request.workload.given.image = draft.resolution.has_value() || draft.image.has_value();
  models.refine(draft.request);
  return std::move(draft.request);
}

}  // namespace gpuadvise::workload
