// What doctor found in a log, for people and as JSON.
#pragma once

#include "report/style.hpp"
#include "software/diagnosis.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

[[nodiscard]] std::string doctor_text(const software::LogReport& report, const TextStyle& style);
[[nodiscard]] std::string doctor_json(const software::LogReport& report, std::string_view data_version);

}  // namespace gpuadvise::report
