// What doctor found in a log, for people and as JSON.
#pragma once

#include "report/style.hpp"
#include "software/diagnosis.hpp"

#include <string>

namespace gpuadvise::report {

[[nodiscard]] std::string doctor_text(const software::LogReport& report, const TextStyle& style);
[[nodiscard]] std::string doctor_json(const software::LogReport& report);

}  // namespace gpuadvise::report
