#include <gpuadvise/units.hpp>

#include "catalog/near_name.hpp"
#include "workload/choices.hpp"
#include "workload/draft.hpp"
#include "workload/parse_value.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace gpuadvise::workload {
namespace {

void bad_value(Draft& draft, const KeySpec& spec, const Value& value, std::string hint) {
  draft.fault(ErrorCode::invalid_value, spec.name, std::string(spec.name) + ": " + quoted(value) + " is not understood", std::move(hint));
}

// "did you mean 'vllm'?", or "one of none, selective, full" with each meaning once.
std::string choices_hint(std::span<const Choice> choices, std::string_view text) {
  std::vector<std::string_view> names;
  names.reserve(choices.size());
  for (const Choice& choice : choices) {
    if (choice_name(choices, choice.value) == choice.name) {
      names.push_back(choice.name);
    }
  }
  const auto near = text.size() > 40 ? std::vector<std::string_view>() : catalog::near_names(text, names, 1);
  if (!near.empty()) {
    return "did you mean '" + std::string(near.front()) + "'?";
  }
  std::string list = "one of ";
  for (const std::string_view name : names) {
    list += (name == names.front() ? "" : ", ") + std::string(name);
  }
  return list;
}

bool read_number(Draft& draft, const KeySpec& spec, const Value& value, double& result) {
  const bool whole = spec.kind == ValueKind::count;
  // Memory is written as people write it ("24G"); every other number has one unit.
  const auto bytes = spec.unit == "GiB" && value.text() != nullptr ? parse_size_bytes(*value.text()) : std::nullopt;
  const auto number = bytes ? std::optional<double>(*bytes / k_gib) : to_number(value);
  if (number && *number >= spec.low && *number <= spec.high && (!whole || *number == std::floor(*number))) {
    result = *number;
    return true;
  }
  const std::string range = number_text(spec.low) + " to " + number_text(spec.high);
  draft.fault(ErrorCode::invalid_value, spec.name,
              std::string(spec.name) + " must be a " + (whole ? "whole number" : "number") + " from " + range + ", not " + quoted(value));
  return false;
}

bool apply_number(Draft& draft, const KeySpec& spec, const Value& value) {
  double number = 0.0;
  if (!read_number(draft, spec, value, number)) {
    return false;
  }
  Workload& workload = draft.request.workload;
  if (const auto* plain = std::get_if<double Workload::*>(&spec.slot)) {
    workload.*(*plain) = number;
  } else if (const auto* optional = std::get_if<std::optional<double> Workload::*>(&spec.slot)) {
    workload.*(*optional) = number;
  } else if (spec.key == WorkloadKey::params) {
    draft.request.params_hint = number;
  } else if (spec.key == WorkloadKey::embedding_rows) {
    draft.embedding_rows = number;
  } else {
    draft.embedding_dim = number;
  }
  return true;
}

bool apply_boolean(Draft& draft, const KeySpec& spec, const Value& value) {
  const auto flag = to_boolean(value);
  if (!flag) {
    bad_value(draft, spec, value, "true or false");
    return false;
  }
  draft.request.workload.*std::get<bool Workload::*>(spec.slot) = *flag;
  return true;
}

bool apply_choice(Draft& draft, const KeySpec& spec, const Value& value) {
  const auto* text = value.text();
  // `grad_checkpointing: true` is how most training programs write it.
  const bool* flag = value.boolean();
  const std::string_view word = text != nullptr ? std::string_view(*text) : flag == nullptr ? std::string_view() : *flag ? "true" : "false";
  const Choice* found = find_word(spec.choices, word);
  if (found == nullptr) {
    bad_value(draft, spec, value, choices_hint(spec.choices, word));
    return false;
  }
  std::get<EnumSlot>(spec.slot).set(draft.request.workload, found->value);
  if (found->approximate) {
    const bool engine = spec.key == WorkloadKey::engine && static_cast<Engine>(found->value) == Engine::other;
    draft.note("taken-for", Severity::note,
               std::string(spec.name) + " " + quoted(value) + " is not modelled: figures are those of " +
                   (engine ? "plain PyTorch" : std::string(choice_name(spec.choices, found->value))));
  }
  return true;
}

bool apply_precision(Draft& draft, const KeySpec& spec, const Value& value) {
  const auto* text = value.text();
  const auto precision = text == nullptr ? std::nullopt : parse_precision(*text);
  if (!precision) {
    bad_value(draft, spec, value, "such as fp32, amp-bf16, bf16, fp8, int4-awq, nf4, gguf:Q4_K_M; see gpuadvise list precisions");
    return false;
  }
  if (spec.key == WorkloadKey::weights) {
    draft.request.workload.weights = *precision;
  } else {
    draft.request.workload.precision = *precision;
  }
  return true;
}

template <class T, class Read>
bool apply_read(Draft& draft, const KeySpec& spec, const Value& value, T& slot, const Read& read, std::string_view hint) {
  const auto parsed = read(value);
  if (!parsed) {
    bad_value(draft, spec, value, std::string(hint));
    return false;
  }
  slot = *parsed;
  return true;
}

// For readers of text: nullopt for every other kind of value, and for texts no name is long enough to fill.
template <class Read>
auto of_text(const Read& read) {
  return [&read](const Value& value) -> decltype(read(std::string_view())) {
    const auto* text = value.text();
    return text == nullptr || text->size() > 4096 ? std::nullopt : read(*text);
  };
}

bool apply_lora_targets(Draft& draft, const KeySpec& spec, const Value& value) {
  std::string joined;
  const std::string* text = value.text();
  if (const auto* list = value.list()) {
    for (const Value& item : *list) {
      if (item.text() == nullptr) {
        bad_value(draft, spec, value, "module names, such as q,v or all-linear");
        return false;
      }
      joined += *item.text() + ",";
    }
    text = &joined;
  }
  if (text == nullptr || text->find_first_not_of(",; |+") == std::string::npos) {
    bad_value(draft, spec, value, "module names, such as q,v or all-linear");
    return false;
  }
  const ParsedTargets parsed = parse_lora_targets(*text);
  if (!parsed.unknown.empty()) {
    draft.fault(ErrorCode::invalid_value, spec.name,
                "lora_targets: " + quoted(Value(std::string(parsed.unknown))) + " is no known module name",
                "q,v · q,k,v · attention · all-linear · names such as q_proj, c_attn, query_key_value, to_q");
    return false;
  }
  draft.request.workload.lora_targets = parsed.targets;
  return true;
}

bool apply_text(Draft& draft, const KeySpec& spec, const Value& value) {
  const auto* text = value.text();
  if (text == nullptr || text->empty() || text->size() > 4096) {
    bad_value(draft, spec, value, std::string(spec.help));
    return false;
  }
  Request& request = draft.request;
  (spec.key == WorkloadKey::model ? request.model_text : spec.key == WorkloadKey::config ? request.config : request.model_file) = *text;
  return true;
}

bool store(Draft& draft, const KeySpec& spec, const Value& value) {
  Workload& workload = draft.request.workload;
  switch (spec.kind) {
    case ValueKind::text:
      return apply_text(draft, spec, value);
    case ValueKind::size:
    case ValueKind::count:
    case ValueKind::number:
      return apply_number(draft, spec, value);
    case ValueKind::boolean:
      return apply_boolean(draft, spec, value);
    case ValueKind::choice:
      return apply_choice(draft, spec, value);
    case ValueKind::precision:
      return apply_precision(draft, spec, value);
    case ValueKind::lora_targets:
      return apply_lora_targets(draft, spec, value);
    case ValueKind::kv_precision:
      return apply_read(draft, spec, value, workload.kv_precision, of_text(to_kv_precision),
                        "fp16, bf16, fp8, int8, q8_0, q5_1, q4_0, iq4_nl, or K/V");
    case ValueKind::image:
      return apply_read(draft, spec, value, draft.image, to_image, "224, or h,w, or frames,h,w");
    case ValueKind::resolution:
      return apply_read(draft, spec, value, draft.resolution, to_resolution, "1024x1024, or 848x480x81f with frames");
    case ValueKind::frozen:
      return apply_read(draft, spec, value, workload.frozen, to_frozen, "frozen-bn, bn-eval-mode, frozen-stages, backbone");
    case ValueKind::offload:
      return apply_read(draft, spec, value, workload.offload, of_text(to_offload),
                        "none, optimizer, params, activations, model, sequential, or layers:<n on GPU>");
  }
  return false;
}

}  // namespace

void apply_value(Draft& draft, const KeySpec& spec, const Value& value, Origin origin) {
  Origin& known = draft.request.origins[spec.key];
  // null is "not given"; a file does not override the command line, a preset overrides neither.
  if (value.is_null() || origin < known) {
    return;
  }
  if (store(draft, spec, value)) {
    known = origin;
  }
}

}  // namespace gpuadvise::workload
