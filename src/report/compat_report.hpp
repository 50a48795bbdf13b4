// The answer of compat, for people and as JSON.
#pragma once

#include "report/style.hpp"
#include "software/compat.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

[[nodiscard]] std::string compat_text(const software::Question& question, const software::Compatibility& answer, const TextStyle& style);
[[nodiscard]] std::string compat_json(const software::Question& question, const software::Compatibility& answer,
                                      std::string_view data_version);

}  // namespace gpuadvise::report
