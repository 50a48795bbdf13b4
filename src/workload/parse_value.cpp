#include "workload/parse_value.hpp"

#include <gpuadvise/units.hpp>

#include "workload/choices.hpp"
#include "workload/fault.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::workload {
namespace {

constexpr double k_largest_side = 1e5;
// Longer texts are no sizes or lists that anybody writes; the bound keeps hostile input cheap.
constexpr std::size_t k_longest_text = 4096;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '[' || c == ']' || c == '(' || c == ')' || c == '\'' || c == '"';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// Takes the part before the first of `separators` off the front of `rest`.
std::string_view next_part(std::string_view& rest, std::string_view separators) {
  const auto at = rest.find_first_of(separators);
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return trim(part);
}

bool is_side(double value) {
  return value >= 1.0 && value <= k_largest_side && value == std::floor(value);
}

struct Sides {
  FixedList<double, 3> sides;
  double frames = 0.0;  // from a part that ends in f
  bool good = true;
};

Sides split_sides(std::string_view text) {
  Sides result;
  if (text.size() > k_longest_text) {
    result.good = false;
    return result;
  }
  std::string_view rest = trim(text);
  while (result.good && !rest.empty()) {
    std::string_view part = next_part(rest, "xX*,");
    const bool frames = part.size() > 1 && (part.back() == 'f' || part.back() == 'F');
    if (frames) {
      part.remove_suffix(1);
    }
    const auto value = parse_number(part);
    if (!value || !is_side(*value) || (frames ? result.frames != 0.0 : result.sides.size() == 3)) {
      result.good = false;
    } else if (frames) {
      result.frames = *value;
    } else {
      result.sides.push_back(*value);
    }
  }
  result.good = result.good && !result.sides.empty() && (result.frames == 0.0 || result.sides.size() < 3);
  return result;
}

Sides sides_of(const Value& value) {
  if (const auto* text = value.text()) {
    return split_sides(*text);
  }
  Sides result;
  const auto add = [&result](const Value& item) {
    const double* number = item.number();
    if (number == nullptr || !is_side(*number) || result.sides.size() == 3) {
      result.good = false;
    } else {
      result.sides.push_back(*number);
    }
  };
  if (const auto* list = value.list()) {
    for (const Value& item : *list) {
      add(item);
    }
  } else {
    add(value);
  }
  result.good = result.good && !result.sides.empty();
  return result;
}

enum Module : unsigned { q = 1, k = 2, v = 4, o = 8, gate = 16, up = 32, down = 64, head = 128 };
constexpr unsigned k_attention = q | k | v | o;
constexpr unsigned k_mlp = gate | up | down;

struct ModuleName {
  std::string_view name;
  unsigned layers;
};

// What the linear layers are called, by family: Llama and most others; GPT-2; Falcon and GPT-NeoX; BERT; Qwen 1; Baichuan;
// GLM; MPT; Phi; OPT; T5 and Whisper; the reference Llama code; diffusers' attention and feed-forward blocks.
constexpr auto k_modules = std::to_array<ModuleName>({
    {"q", q},
    {"k", k},
    {"v", v},
    {"o", o},
    {"gate", gate},
    {"up", up},
    {"down", down},
    {"q_proj", q},
    {"k_proj", k},
    {"v_proj", v},
    {"o_proj", o},
    {"output_proj", o},
    {"out_proj", o},
    {"gate_proj", gate},
    {"up_proj", up},
    {"down_proj", down},
    {"qkv_proj", q | k | v},
    {"qkv", q | k | v},
    {"gate_up_proj", gate | up},
    {"q_a_proj", q},
    {"q_b_proj", q},
    {"kv_a_proj_with_mqa", k | v},
    {"kv_b_proj", k | v},
    {"c_attn", q | k | v},
    {"c_proj", o | down},
    {"c_fc", up},
    {"query_key_value", q | k | v},
    {"dense", o},
    {"dense_h_to_4h", gate | up},
    {"dense_4h_to_h", down},
    {"query", q},
    {"key", k},
    {"value", v},
    {"w_pack", q | k | v},
    {"wqkv", q | k | v},
    {"fc1", up},
    {"fc2", down},
    {"fc_in", up},
    {"fc_out", down},
    {"wi", gate | up},
    {"wi_0", gate},
    {"wi_1", up},
    {"wq", q},
    {"wk", k},
    {"wv", v},
    {"wo", o},
    {"w1", gate},
    {"w2", down},
    {"w3", up},
    {"to_q", q},
    {"to_k", k},
    {"to_v", v},
    {"to_out", o},
    {"to_qkv", q | k | v},
    {"to_qkv_mlp_proj", q | k | v | up},
    {"add_q_proj", q},
    {"add_k_proj", k},
    {"add_v_proj", v},
    {"to_add_out", o},
    {"linear_in", up},
    {"linear_out", down},
    {"proj_mlp", up},
    {"net", down},
    {"proj", up},
    {"ff", up | down},
    {"ffn", k_mlp},
    {"all-linear", k_attention | k_mlp},
    {"all", k_attention | k_mlp},
    {"all_linear", k_attention | k_mlp},

    {"attention", k_attention},
    {"attn", k_attention},
    {"mlp", k_mlp},
    {"lm_head", head},
    {"head", head},
    {"output", head},
    {"embed_out", head},
    {"linear1", q | k | v | up},
    {"linear2", o | down},
    {"img_mlp", up | down},
    {"txt_mlp", up | down},
    {"proj_in", up},
    {"proj_out", down},
    {"in_proj", up},
    {"wqkv_proj", q | k | v},
    {"self_attn", k_attention},
    {"self_attention", k_attention},
    {"embed_tokens", head},
});

bool same_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char x = b[i] >= 'A' && b[i] <= 'Z' ? static_cast<char>(b[i] - 'A' + 'a') : b[i];
    if (a[i] != x) {
      return false;
    }
  }
  return true;
}

bool is_index(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "model.layers.0.self_attn.q_proj" -> "q_proj", "to_out.0" -> "to_out".
std::string_view module_of(std::string_view path) {
  auto dot = path.rfind('.');
  while (dot != std::string_view::npos && is_index(path.substr(dot + 1))) {
    path = path.substr(0, dot);
    dot = path.rfind('.');
  }
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

unsigned layers_of(std::string_view word) {
  const std::string_view module = module_of(word);
  for (const ModuleName& row : k_modules) {
    if (same_ignoring_case(row.name, module)) {
      return row.layers;
    }
  }
  return 0;
}

void add(Frozen& frozen, std::uint8_t part) {
  switch (static_cast<FrozenPart>(part)) {
    case FrozenPart::batchnorm:
      frozen.batchnorm = true;
      break;
    case FrozenPart::batchnorm_eval:
      frozen.batchnorm_eval = true;
      break;
    case FrozenPart::stages:
      frozen.stages = true;
      break;
    case FrozenPart::backbone:
      frozen.backbone = true;
      break;
  }
}

bool add_words(Frozen& frozen, std::string_view rest) {
  while (!rest.empty()) {
    const std::string_view part = next_part(rest, ",;+");
    const auto found = find_choice(k_frozen_words, part);
    if (found) {
      add(frozen, *found);
    } else if (!part.empty() && part != "none") {
      return false;
    }
  }
  return true;
}

// Appends a word with a comma where one is needed.
void append(std::string& text, bool present, std::string_view word) {
  if (present) {
    text += (text.empty() ? "" : ",");
    text += word;
  }
}

}  // namespace

std::optional<double> to_number(const Value& value) {
  if (const double* number = value.number()) {
    return std::isfinite(*number) ? std::optional<double>(*number) : std::nullopt;
  }
  const auto* text = value.text();
  if (text == nullptr || text->size() > k_longest_text) {
    return std::nullopt;
  }
  std::string_view digits = trim(*text);
  if (digits.size() > 1 && (digits.front() == 'b' || digits.front() == 'B')) {
    digits.remove_prefix(1);
  }
  if (const auto number = parse_number(digits)) {
    return number;
  }
  return parse_count(digits);
}

std::optional<bool> to_boolean(const Value& value) {
  if (const bool* flag = value.boolean()) {
    return *flag;
  }
  if (const double* number = value.number()) {
    return *number == 1.0 ? std::optional<bool>(true) : *number == 0.0 ? std::optional<bool>(false) : std::nullopt;
  }
  static constexpr auto words =
      std::to_array<Choice>({{"true", 1}, {"false", 0}, {"on", 1}, {"off", 0}, {"yes", 1}, {"no", 0}, {"1", 1}, {"0", 0}});
  const auto* text = value.text();
  // Words are compared without punctuation, and "-1" is not "1".
  const bool signed_text = text != nullptr && text->find('-') != std::string::npos;
  const auto found = text == nullptr || signed_text ? std::nullopt : find_choice(words, *text);
  return found ? std::optional<bool>(*found == 1) : std::nullopt;
}

std::optional<ImageSize> to_image(const Value& value) {
  const Sides parsed = sides_of(value);
  if (!parsed.good) {
    return std::nullopt;
  }
  const auto& sides = parsed.sides;
  switch (sides.size()) {
    case 1:
      return ImageSize{parsed.frames, sides[0], sides[0]};
    case 2:
      return ImageSize{parsed.frames, sides[0], sides[1]};
    default:
      return ImageSize{sides[0], sides[1], sides[2]};
  }
}

std::optional<ImageSize> to_resolution(const Value& value) {
  const Sides parsed = sides_of(value);
  if (!parsed.good || parsed.sides.size() == 3) {
    return std::nullopt;
  }
  const double width = parsed.sides[0];
  return ImageSize{parsed.frames, parsed.sides.size() == 2 ? parsed.sides[1] : width, width};
}

std::optional<KvPrecision> to_kv_precision(std::string_view text) {
  std::string_view rest = text;
  const std::string_view first = next_part(rest, "/");
  const auto k_type = parse_kv_type(first);
  const bool pair = text.find('/') != std::string_view::npos;
  const auto v_type = pair ? parse_kv_type(trim(rest)) : k_type;
  if (!k_type || !v_type) {
    return std::nullopt;
  }
  return KvPrecision{*k_type, *v_type};
}

std::optional<Offload> to_offload(std::string_view text) {
  std::string_view rest = text;
  const auto kind = find_choice(k_offload_words, next_part(rest, ":="));
  if (!kind) {
    return std::nullopt;
  }
  Offload offload{static_cast<OffloadKind>(*kind), 0.0};
  if ((offload.kind == OffloadKind::layers) != !rest.empty()) {
    return std::nullopt;
  }
  if (offload.kind == OffloadKind::layers) {
    const auto layers = parse_number(trim(rest));
    if (!layers || !(*layers >= 0.0 && *layers <= 1e5) || *layers != std::floor(*layers)) {
      return std::nullopt;
    }
    offload.layers_on_gpu = *layers;
  }
  return offload;
}

std::optional<Frozen> to_frozen(const Value& value) {
  Frozen frozen;
  if (const auto* text = value.text()) {
    return text->size() <= k_longest_text && add_words(frozen, *text) ? std::optional<Frozen>(frozen) : std::nullopt;
  }
  const auto* list = value.list();
  if (list == nullptr) {
    return std::nullopt;
  }
  for (const Value& item : *list) {
    const auto* word = item.text();
    if (word == nullptr || word->size() > k_longest_text || !add_words(frozen, *word)) {
      return std::nullopt;
    }
  }
  return frozen;
}

ParsedTargets parse_lora_targets(std::string_view text) {
  ParsedTargets result;
  std::string_view rest = text.substr(0, k_longest_text);
  unsigned layers = 0;
  while (!rest.empty()) {
    const std::string_view part = next_part(rest, ",; |+");
    const unsigned found = layers_of(part);
    if (found == 0 && !part.empty()) {
      result.unknown = part;
      return result;
    }
    layers |= found;
  }
  result.targets = {(layers & q) != 0,    (layers & k) != 0,  (layers & v) != 0,    (layers & o) != 0,
                    (layers & gate) != 0, (layers & up) != 0, (layers & down) != 0, (layers & head) != 0};
  return result;
}

std::string to_text(const LoraTargets& targets) {
  std::string text;
  const bool attention = targets.q && targets.k && targets.v && targets.o;
  const bool mlp = targets.gate && targets.up && targets.down;
  if (attention && (mlp || !(targets.gate || targets.up || targets.down))) {
    text = mlp ? "all-linear" : "attention";
  } else {
    append(text, targets.q, "q");
    append(text, targets.k, "k");
    append(text, targets.v, "v");
    append(text, targets.o, "o");
    append(text, targets.gate, "gate");
    append(text, targets.up, "up");
    append(text, targets.down, "down");
  }
  append(text, targets.lm_head, "lm_head");
  return text;
}

std::string to_text(const Frozen& frozen) {
  std::string text;
  append(text, frozen.batchnorm, "frozen-bn");
  append(text, frozen.batchnorm_eval, "bn-eval-mode");
  append(text, frozen.stages, "frozen-stages");
  append(text, frozen.backbone, "backbone");
  return text;
}

std::string to_text(const Offload& offload) {
  std::string text(choice_name(k_offload_words, static_cast<std::uint8_t>(offload.kind)));
  if (offload.kind == OffloadKind::layers) {
    text += ":" + number_text(offload.layers_on_gpu);
  }
  return text;
}

std::string to_text(const KvPrecision& precision) {
  std::string text(to_string(precision.k));
  if (precision.k != precision.v) {
    text += "/";
    text += to_string(precision.v);
  }
  return text;
}

}  // namespace gpuadvise::workload
