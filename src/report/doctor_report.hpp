// What doctor found in a log, for people and as JSON.
#pragma once

#include <gpuadvise/advice.hpp>

#include "report/style.hpp"
#include "software/diagnosis.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

// The user's job on the card of the log, where memory ran out.
struct PrescribedJob {
  const Gpu* gpu = nullptr;  // the card of the log; null: not known
  std::string how_found;     // why it is that card, or why there is none
  std::string missing;       // the flags without which nothing can be computed
  const Request* request = nullptr;
  const Advice* advice = nullptr;
};

[[nodiscard]] std::string doctor_text(const software::LogReport& report, const PrescribedJob& job, const TextStyle& style);
[[nodiscard]] std::string doctor_json(const software::LogReport& report, const PrescribedJob& job, std::string_view data_version);

}  // namespace gpuadvise::report
