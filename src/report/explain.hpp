// The answer of `explain`.
#pragma once

#include "advise/explain.hpp"
#include "report/style.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

[[nodiscard]] std::string explain_text(const advise::Explanation& explanation, const TextStyle& style);
[[nodiscard]] std::string explain_json(const advise::Explanation& explanation, std::string_view data_version);

// In four lines, for a ranked card: what its score is made of, and what its figures rest on.
[[nodiscard]] std::string explain_short(const Recommendation& result, const Request& request, const TextStyle& style);

}  // namespace gpuadvise::report
