// From what people write to an entry of the catalog. A wrong model is worse than an unknown one: every relaxation is listed in
// the answer, and none crosses from one shape to another.
#pragma once

#include "catalog/text_pool.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// A row of the name table: a key (see model_key.hpp) and the index of its model.
struct ModelName {
  std::string_view normalised;
  std::uint32_t model = 0;
};

struct ModelNameSource {
  std::string_view id;
  std::string_view name;
  std::string_view hf_id;
  std::span<const std::string_view> aliases;
};

// Sorted by key, each key once. Ids win over aliases, these over names, these over Hugging Face ids and those over the last part
// of a Hugging Face id; between equals the later source wins, so that an overlay put behind the catalog replaces it.
[[nodiscard]] std::vector<ModelName> build_model_names(std::span<const ModelNameSource> sources, TextPool& texts);

enum class NameMatch : std::uint8_t {
  none,
  exact,      // id, alias, name or Hugging Face id
  stripped,   // without organisation, stage, date, format
  completed,  // the only model of that name ("qwen3-30b": -a3b; "llama-3.3": -70b)
  fine_tune,  // words after the size left out: taken for a fine-tune of the same shape
};

struct ModelLookup {
  NameMatch match = NameMatch::none;
  std::uint32_t model = 0;           // valid unless match is none
  std::string used_name;             // the key that matched
  std::string precision;             // a format found in the name, as the contract writes it; may be empty
  std::vector<std::string> dropped;  // the parts of the key left out

  [[nodiscard]] explicit operator bool() const { return match != NameMatch::none; }
};

// About a microsecond for an exact name. A bare name finds the same entry under any organisation.
[[nodiscard]] ModelLookup resolve_model(std::string_view text, std::span<const ModelName> names);

// Only ids, aliases, names and Hugging Face ids, without any relaxation; does not allocate.
[[nodiscard]] std::optional<std::uint32_t> find_model(std::string_view text, std::span<const ModelName> names);

// The parameter count that a name states: "some-model-7b-chat" -> 7e9, "x-30b-a3b" -> 30e9 (the first size; the second is the
// active part). nullopt without one, or with a product ("8x7b"), whose experts share a part.
[[nodiscard]] std::optional<double> params_in_name(std::string_view text);

}  // namespace gpuadvise::catalog
