// The cases of all shipped rules, by topic.
#pragma once

#include "unit/rules/bench.hpp"

#include <span>
#include <string_view>

namespace gpuadvise::rules::test {

struct RuleCase {
  std::string_view id;
  void (*fires)(Bench&);
  void (*undo)(Bench&);  // applied on top; the rule must fall silent
};

[[nodiscard]] std::span<const RuleCase> cases_of_machine();
[[nodiscard]] std::span<const RuleCase> cases_of_software();
[[nodiscard]] std::span<const RuleCase> cases_of_work();

}  // namespace gpuadvise::rules::test
