// The vocabulary of a workload, once: readers, flags, help and output all walk this table.
#pragma once

#include <gpuadvise/workload.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

namespace gpuadvise::workload {

enum class ValueKind : std::uint8_t {
  text,    // a name or a path
  size,    // 7B, 350M
  count,   // a whole number
  number,  // any number of the range
  boolean,
  choice,  // one word of a list
  precision,
  kv_precision,  // one type, or K/V
  image,         // 224, [h, w], [frames, h, w]
  resolution,    // WxH, WxHxNf
  lora_targets,  // module names
  frozen,        // a set of words
  offload,       // a word, or layers:N
};

enum class KeyGroup : std::uint8_t { model, task, training, inference, parallel, amount };

// A word and what it stands for; the first word of a value is the one that is shown.
struct Choice {
  std::string_view name;
  std::uint8_t value = 0;
  bool approximate = false;  // not the same thing, only the nearest that is modelled: said in a finding
};

// Reads and writes an enumeration of the workload as a number.
struct EnumSlot {
  std::uint8_t (*get)(const Workload&) = nullptr;
  void (*set)(Workload&, std::uint8_t) = nullptr;
};

// Where the value lives; empty for keys that need a reader of their own.
using Slot = std::variant<std::monostate, double Workload::*, std::optional<double> Workload::*, bool Workload::*, EnumSlot>;

struct KeySpec {
  WorkloadKey key = WorkloadKey::model;
  std::string_view name;
  ValueKind kind = ValueKind::text;
  KeyGroup group = KeyGroup::model;
  std::string_view help;  // at most 60 characters
  std::string_view unit;
  double low = 0.0;
  double high = 0.0;
  std::span<const Choice> choices;
  Slot slot;
};

// In the order of WorkloadKey.
[[nodiscard]] std::span<const KeySpec> keys();
[[nodiscard]] const KeySpec& spec_of(WorkloadKey key);
// Forgives case and '-' for '_'; nullptr when there is no such key.
[[nodiscard]] const KeySpec* find_key(std::string_view name);

// Forgives case and punctuation, and a version behind the word ("caffe2 0.8.1").
[[nodiscard]] std::optional<std::uint8_t> find_choice(std::span<const Choice> choices, std::string_view text);
// The same, as the row that matched; nullptr when none does.
[[nodiscard]] const Choice* find_word(std::span<const Choice> choices, std::string_view text);
[[nodiscard]] std::string_view choice_name(std::span<const Choice> choices, std::uint8_t value);

// The contract's word for an enumerator: name_of(WorkloadKey::engine, Engine::vllm) -> "vllm".
template <class E>
[[nodiscard]] std::string_view name_of(WorkloadKey key, E value) {
  static_assert(std::is_enum_v<E>);
  return choice_name(spec_of(key).choices, static_cast<std::uint8_t>(value));
}

}  // namespace gpuadvise::workload
