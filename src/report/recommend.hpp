// The advisor's answer in every format.
#pragma once

#include <gpuadvise/advice.hpp>

#include "report/style.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::report {

struct Recommended {
  const Request& request;
  const Preferences& preferences;
  const Advice& advice;
  std::string_view data_version;
};

// What of the answer is shown.
struct View {
  std::size_t limit = 10;
  std::string sort;                      // a column's key; empty = by rank
  std::vector<std::string> column_keys;  // empty = as the width allows
};

[[nodiscard]] std::string recommend_text(const Recommended& answer, const View& view, const TextStyle& style);
[[nodiscard]] std::string recommend_json(const Recommended& answer, const View& view);
// One result a line.
[[nodiscard]] std::string recommend_jsonl(const Recommended& answer, const View& view);
[[nodiscard]] std::string recommend_separated(const Recommended& answer, const View& view, char separator);
[[nodiscard]] std::string recommend_markdown(const Recommended& answer, const View& view);
// One file without any outside reference; prints well and follows a dark theme.
[[nodiscard]] std::string recommend_html(const Recommended& answer, const View& view);

// The results to show, in order. Throws Error{usage} for a column that cannot be sorted by.
[[nodiscard]] std::vector<const Recommendation*> shown(const Recommended& answer, const View& view);

}  // namespace gpuadvise::report
