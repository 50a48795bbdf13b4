// Runs a compiled condition.
//
// Where JavaScript's JsonLogic turns null into 0, this one keeps it unknown: an order comparison with null is false and arithmetic
// with null is null. A fact nobody knows must never decide against a card.
#pragma once

#include "rules/rule.hpp"

#include <string>

namespace gpuadvise::rules {

[[nodiscard]] bool holds(const RuleTable& table, std::uint32_t node, const Subject& subject);
// Union of the scopes of the facts below a node.
[[nodiscard]] std::uint8_t scope_of(const RuleTable& table, std::uint32_t node);
// What would admit the card; empty where the rule does not say.
[[nodiscard]] std::string change_of(const RuleTable& table, const Rule& rule, const Subject& subject);
[[nodiscard]] std::string message_of(const RuleTable& table, const Rule& rule, const Subject& subject);

}  // namespace gpuadvise::rules
