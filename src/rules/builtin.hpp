// The rules and objectives that the data compiler wrote as constant tables.
#pragma once

#include "rules/objectives.hpp"
#include "rules/rule.hpp"

namespace gpuadvise::rules {

[[nodiscard]] const RuleTable& builtin_rules();
[[nodiscard]] const ObjectiveTable& builtin_objectives();

}  // namespace gpuadvise::rules
