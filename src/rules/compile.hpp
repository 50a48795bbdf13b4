// Reads rule files and compiles them. Malformed rules are refused with the file, the rule's id and the path within it.
#pragma once

#include "rules/rule.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::rules {

// Rules read at run or build time, with the pools they point into. Movable; views stay valid.
struct CompiledRules {
  std::vector<Rule> rules;
  std::vector<Node> nodes;
  std::vector<Piece> pieces;
  std::vector<double> numbers;
  std::vector<std::string_view> texts;
  std::vector<std::string_view> disabled;  // ids of rules to switch off
  std::deque<std::string> storage;

  [[nodiscard]] RuleTable table() const { return {rules, nodes, pieces, numbers, texts}; }
};

struct RuleFile {
  std::string name;  // for messages
  std::string text;
};

// Throws Error(bad_data). Ids must be unique over all files.
[[nodiscard]] CompiledRules compile_rules(const std::vector<RuleFile>& files);

}  // namespace gpuadvise::rules
