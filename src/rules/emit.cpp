#include "rules/emit.hpp"

#include <array>
#include <charconv>

namespace gpuadvise::rules {
namespace {

std::string literal(std::string_view value) {
  static constexpr std::string_view k_octal = "01234567";
  std::string out = "\"";
  for (const char each : value) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out += '\\';
      out += each;
    } else if (byte < 0x20 || byte >= 0x7f || each == '?') {
      // Three octal digits: no digit that follows can join them, and no trigraph arises.
      out += {'\\', k_octal[byte >> 6], k_octal[(byte >> 3) & 7], k_octal[byte & 7]};
    } else {
      out += each;
    }
  }
  return out + '"';
}

std::string shortest(double value) {
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end.ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

template <class E>
std::string cast(std::string_view type, E value) {
  return std::string(type) + "(" + std::to_string(static_cast<int>(value)) + ")";
}

std::string row(const Rule& rule) {
  return "  {" + literal(rule.id) + ", " + literal(rule.why) + ", " + literal(rule.source) + ", " + cast("Severity", rule.severity) + ", " +
         std::to_string(rule.scope) + ", " + (rule.has_effect ? "true" : "false") + ", " + cast("Objective", rule.objective) + ", " +
         shortest(rule.delta) + ", " + std::to_string(rule.first_node) + ", " + std::to_string(rule.first_piece) + ", " +
         std::to_string(rule.pieces) + ", " + std::to_string(rule.first_change) + ", " + std::to_string(rule.change_pieces) + "},\n";
}

std::string row(const Node& node) {
  return "  {" + cast("Op", node.op) + ", " + std::to_string(node.children) + ", " + std::to_string(node.operand) + ", " +
         std::to_string(node.size) + "},\n";
}

std::string row(const Piece& piece) {
  return "  {" + std::to_string(piece.fact) + ", " + std::to_string(piece.text) + ", " + cast("Style", piece.style) + ", " +
         std::to_string(piece.digits) + "},\n";
}

std::string row(double value) {
  return "  " + shortest(value) + ",\n";
}

std::string row(std::string_view value) {
  return "  " + literal(value) + ",\n";
}

std::string row(const ObjectiveSpec& spec) {
  return "  ObjectiveSpec{" + cast("Objective", spec.objective) + ", " + std::to_string(spec.fact) + ", " +
         (spec.logarithmic ? "true" : "false") + ", " + shortest(spec.at_zero) + ", " + shortest(spec.at_one) + ", " +
         shortest(spec.unknown) + ", " + literal(spec.title) + ", " + literal(spec.why) + "},\n";
}

template <class Items>
std::string array(std::string_view type, std::string_view name, const Items& items) {
  std::string out = "constexpr " + std::string(type) + " " + std::string(name) + "[] = {\n";
  for (const auto& each : items) {
    out += row(each);
  }
  return out + "};\n";
}

}  // namespace

std::string table_source(const CompiledRules& rules, const ObjectiveTable& objectives) {
  std::string out = "#include \"rules/builtin.hpp\"\n\nnamespace gpuadvise::rules {\nnamespace {\n\n";
  out += array("Rule", "k_rules", rules.rules);
  out += array("Node", "k_nodes", rules.nodes);
  out += array("Piece", "k_pieces", rules.pieces);
  out += array("double", "k_numbers", rules.numbers);
  out += array("std::string_view", "k_texts", rules.texts);
  out += "constexpr RuleTable k_table{k_rules, k_nodes, k_pieces, k_numbers, k_texts};\n";
  out += "constexpr ObjectiveTable k_objectives_table{" + literal(objectives.reference_gpu) + ", {{\n";
  for (const ObjectiveSpec& spec : objectives.objectives) {
    out += row(spec);
  }
  out += "}}, {{\n";
  for (const auto& weights : objectives.weights) {
    out += "  {{";
    for (const double weight : weights) {
      out += shortest(weight) + ", ";
    }
    out += "}},\n";
  }
  return out +
         "}}};\n\n}  // namespace\n\nconst RuleTable& builtin_rules() {\n  return k_table;\n}\n\n"
         "const ObjectiveTable& builtin_objectives() {\n  return k_objectives_table;\n}\n\n}  // namespace gpuadvise::rules\n";
}

}  // namespace gpuadvise::rules
