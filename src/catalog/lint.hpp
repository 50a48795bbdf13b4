// Checks of a data file as `gpuadvise lint` shows them: keys, types and words, then plausibility.
#pragma once

#include <gpuadvise/finding.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// The lint of another kind of file, which this folder cannot know: its top-level key and its checks.
struct LintHook {
  std::string_view key;
  std::vector<Finding> (*lint)(std::string_view json_text, std::string_view file_name);
};

struct LintContext {
  std::span<const std::string_view> known_gpus;  // ids that prices and offers may name besides the file's own cards; empty = any
  std::span<const LintHook> hooks;
};

// Nothing found = an empty list. Never throws for what the text holds. reject = the file cannot be used as it is.
[[nodiscard]] std::vector<Finding> lint_text(std::string_view json_text, std::string_view file_name, const LintContext& context = {});

}  // namespace gpuadvise::catalog
