// Writes compiled rules and objectives as C++ constant tables (the definitions of rules/builtin.hpp).
#pragma once

#include "rules/compile.hpp"
#include "rules/objectives.hpp"

#include <string>

namespace gpuadvise::rules {

[[nodiscard]] std::string table_source(const CompiledRules& rules, const ObjectiveTable& objectives);

}  // namespace gpuadvise::rules
