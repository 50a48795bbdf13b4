// A compiled rule: a flat tree of plain nodes over pools, which the data compiler can write as constant tables.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/finding.hpp>

#include "rules/facts.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace gpuadvise::rules {

enum class Op : std::uint8_t {
  null,
  boolean,
  number,
  text,
  list,
  item,
  fact,  // leaves; list holds its children
  equal,
  not_equal,
  same,
  not_same,
  less,
  less_equal,
  greater,
  greater_equal,
  all_of,
  any_of,
  negate,
  truth,
  choose,
  otherwise,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  minimum,
  maximum,
  in,
  join,
  missing,
  missing_some,
  some,
  every,
  none,
};

// Nodes lie in prefix order: a node, then its children one after the other. `size` counts the node with all below it, so the next
// sibling of node i is node i + size.
struct Node {
  Op op = Op::null;
  std::uint8_t children = 0;
  std::uint16_t operand = 0;  // index of a number, a text or a fact; the value of a boolean
  std::uint16_t size = 1;
};

// up and down round away from what would be refused, so that a suggested limit is one that works.
enum class Style : std::uint8_t { plain, fixed, usd, up, down };

// A stretch of a message: a literal text, or a fact with its format.
struct Piece {
  FactIndex fact = k_no_fact;
  std::uint16_t text = 0;
  Style style = Style::plain;
  std::uint8_t digits = 0;
};

struct Rule {
  std::string_view id;
  std::string_view why;
  std::string_view source;
  Severity severity = Severity::note;
  std::uint8_t scope = 0;  // union of the scopes of all facts of the condition
  bool has_effect = false;
  Objective objective = Objective::risk;
  double delta = 0.0;  // added to the objective's value, which is then clamped to 0..1
  std::uint32_t first_node = 0;
  std::uint32_t first_piece = 0;
  std::uint32_t pieces = 0;
  std::uint32_t first_change = 0;  // what would admit a rejected card, as a message
  std::uint32_t change_pieces = 0;
};

struct RuleTable {
  std::span<const Rule> rules;
  std::span<const Node> nodes;
  std::span<const Piece> pieces;
  std::span<const double> numbers;
  std::span<const std::string_view> texts;
};

}  // namespace gpuadvise::rules
