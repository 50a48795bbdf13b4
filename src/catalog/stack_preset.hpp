// What training programs preset: rows of data/stacks.
#pragma once

#include "catalog/text_pool.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// One value that a training program presets.
struct StackPreset {
  std::string_view stack;  // the contract's name
  std::string_view field;  // only for models of this field ("segmentation"); empty = all
  std::string_view key;
  std::string_view value;
  std::string_view method = {};  // only with this tuning method; empty = all
};

// Throws Error{bad_data}.
[[nodiscard]] std::vector<StackPreset> read_stack_presets(std::string_view text, const std::string& file, TextPool& texts);

// The compiled rows.
[[nodiscard]] std::span<const StackPreset> builtin_stack_presets();

}  // namespace gpuadvise::catalog
