// The answer of `compare`.
#pragma once

#include "advise/compare.hpp"
#include "report/style.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

[[nodiscard]] std::string compare_text(const advise::Comparison& comparison, const TextStyle& style);
[[nodiscard]] std::string compare_markdown(const advise::Comparison& comparison);
[[nodiscard]] std::string compare_json(const advise::Comparison& comparison, std::string_view data_version);

}  // namespace gpuadvise::report
