// The answer of setup: steps that can be pasted, and as JSON.
#pragma once

#include "report/style.hpp"
#include "software/install.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

struct Setup {
  const software::Question& question;
  const software::Compatibility& answer;
  const software::InstallPlan& plan;
  std::string verify_command;  // prints the program that checks the result
};

[[nodiscard]] std::string setup_text(const Setup& setup, const TextStyle& style);
[[nodiscard]] std::string setup_json(const Setup& setup, std::string_view data_version);

}  // namespace gpuadvise::report
