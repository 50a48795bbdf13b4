// The answer of `solve`: the value, and what stands on either side of it.
#pragma once

#include "advise/solve.hpp"
#include "report/style.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::report {

struct Solved {
  const advise::SolveQuestion& question;
  const advise::Solution& solution;
  const Gpu& gpu;
  std::string_view data_version;
};

[[nodiscard]] std::string solve_text(const Solved& answer, const TextStyle& style);
[[nodiscard]] std::string solve_json(const Solved& answer);

}  // namespace gpuadvise::report
