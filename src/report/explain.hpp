// The answer of `explain`.
#pragma once

#include "advise/explain.hpp"
#include "report/style.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

[[nodiscard]] std::string explain_text(const advise::Explanation& explanation, const TextStyle& style);
[[nodiscard]] std::string explain_json(const advise::Explanation& explanation, std::string_view data_version);

}  // namespace gpuadvise::report
