// The condition language, and what is refused.
#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "unit/rules/bench.hpp"

namespace gpuadvise::rules::test {
namespace {

std::string file_with(const std::string& when, const std::string& rest = R"("severity": "note", "message": "m")") {
  return R"({"rules": [{"id": "one", "when": )" + when + ", " + rest + "}]}";
}

bool holds_for(const std::string& when, const Bench& bench = {}) {
  const CompiledRules compiled = compile_rules({{"test.json", file_with(when)}});
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  return bench.fires(rules, "one");
}

Error refusal_of(const std::string& text) {
  try {
    static_cast<void>(compile_rules({{"mine.json", text}}));
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::internal, "not refused"};
}

}  // namespace

TEST_CASE("comparisons and logic follow JsonLogic", "[rules]") {
  CHECK(holds_for(R"({"==": [1, "1"]})"));
  CHECK_FALSE(holds_for(R"({"===": [1, "1"]})"));
  CHECK(holds_for(R"({"!=": [1, 2]})"));
  CHECK(holds_for(R"({"!==": [1, "1"]})"));
  CHECK(holds_for(R"({"<": [1, 2, 3]})"));
  CHECK_FALSE(holds_for(R"({"<": [1, 3, 3]})"));
  CHECK(holds_for(R"({"<=": [1, 3, 3]})"));
  CHECK(holds_for(R"({">": [2, 1]})"));
  CHECK(holds_for(R"({">=": [2, 2]})"));
  CHECK(holds_for(R"({"and": [true, 1, "x"]})"));
  CHECK_FALSE(holds_for(R"({"and": [true, ""]})"));
  CHECK(holds_for(R"({"or": [false, 0, 3]})"));
  CHECK(holds_for(R"({"!": [0]})"));
  CHECK(holds_for(R"({"!": false})"));
  CHECK_FALSE(holds_for(R"({"!!": [0]})"));
  CHECK(holds_for(R"({"==": [{"if": [false, 1, false, 2, 3]}, 3]})"));
  CHECK(holds_for(R"({"==": [{"if": [true, 1, 2]}, 1]})"));
}

TEST_CASE("arithmetic, lists and texts", "[rules]") {
  CHECK(holds_for(R"({"==": [{"+": [1, 2, 3]}, 6]})"));
  CHECK(holds_for(R"({"==": [{"-": [5, 2]}, 3]})"));
  CHECK(holds_for(R"({"==": [{"-": [5]}, -5]})"));
  CHECK(holds_for(R"({"==": [{"*": [2, 3]}, 6]})"));
  CHECK(holds_for(R"({"==": [{"/": [6, 4]}, 1.5]})"));
  CHECK_FALSE(holds_for(R"({"<": [{"/": [6, 0]}, 1]})"));
  CHECK_FALSE(holds_for(R"({">": [{"/": [6, 0]}, 1]})"));
  CHECK(holds_for(R"({"==": [{"%": [7, 4]}, 3]})"));
  CHECK(holds_for(R"({"==": [{"min": [3, 1, 2]}, 1]})"));
  CHECK(holds_for(R"({"==": [{"max": [3, 1, 2]}, 3]})"));
  CHECK(holds_for(R"({"in": ["b", ["a", "b"]]})"));
  CHECK_FALSE(holds_for(R"({"in": ["c", ["a", "b"]]})"));
  CHECK(holds_for(R"({"in": ["mper", {"var": "gpu.architecture"}]})"));
  CHECK(holds_for(R"({"==": [{"cat": ["a", 1]}, "a1"]})"));
  CHECK(holds_for(R"({"some": [[1, 2], {"==": [{"var": ""}, 2]}]})"));
  CHECK_FALSE(holds_for(R"({"all": [[1, 2], {"==": [{"var": ""}, 2]}]})"));
  CHECK(holds_for(R"({"none": [[1, 2], {"==": [{"var": ""}, 3]}]})"));
}

TEST_CASE("an unknown fact decides nothing", "[rules]") {
  Bench bench;
  bench.gpu.tdp_w.reset();
  CHECK_FALSE(holds_for(R"({"<": [{"var": "gpu.tdp_w"}, 100]})", bench));
  CHECK_FALSE(holds_for(R"({">": [{"var": "gpu.tdp_w"}, 100]})", bench));
  CHECK_FALSE(holds_for(R"({"<": [{"+": [{"var": "gpu.tdp_w"}, 1]}, 100]})", bench));
  CHECK(holds_for(R"({"missing": ["gpu.tdp_w"]})", bench));
  CHECK_FALSE(holds_for(R"({"missing": ["gpu.memory_gib"]})", bench));
  CHECK(holds_for(R"({"==": [{"var": ["gpu.tdp_w", 7]}, 7]})", bench));
  CHECK(holds_for(R"({"missing_some": [2, ["gpu.tdp_w", "gpu.memory_gib"]]})", bench));
  CHECK_FALSE(holds_for(R"({"missing_some": [1, ["gpu.tdp_w", "gpu.memory_gib"]]})", bench));
}

TEST_CASE("a malformed rule is refused with file, id and path", "[rules]") {
  const Error unknown_fact = refusal_of(file_with(R"({"and": [true, {"==": [{"var": "gpu.memory_gb"}, 8]}]})"));
  CHECK(unknown_fact.code() == ErrorCode::bad_data);
  CHECK_THAT(unknown_fact.where(),
             ContainsSubstring("mine.json") && ContainsSubstring("'one'") && ContainsSubstring("/when/and/1/==/0/var"));
  CHECK_THAT(unknown_fact.hint(), ContainsSubstring("gpu.memory_gib"));
  CHECK_THAT(refusal_of(file_with(R"({"equals": [1, 2]})")).message(), ContainsSubstring("unknown operator 'equals'"));
  CHECK_THAT(refusal_of(file_with(R"({"==": [1]})")).message(), ContainsSubstring("takes 2 operands"));
  CHECK_THAT(refusal_of(file_with(R"({"==": [1, 2], "!=": [1, 2]})")).message(), ContainsSubstring("one key"));
  CHECK_THAT(refusal_of(file_with("true", R"("severity": "fatal", "message": "m")")).message(), ContainsSubstring("unknown severity"));
  CHECK_THAT(refusal_of(file_with("true", R"("severity": "note", "message": "{gpu.nam}")")).hint(), ContainsSubstring("gpu.name"));
  CHECK_THAT(refusal_of(file_with("true", R"("severity": "note", "message": "{gpu.name")")).message(), ContainsSubstring("brace"));
  CHECK_THAT(refusal_of(file_with("true", R"("severity": "note", "message": "{gpu.tdp_w:x}")")).message(),
             ContainsSubstring("unknown format"));
  CHECK_THAT(refusal_of(file_with("true", R"("severity": "note", "message": "m", "effect": {"joy": 1})")).message(),
             ContainsSubstring("unknown objective"));
  CHECK_THAT(refusal_of(file_with("true", R"("severity": "note", "message": "m", "colour": 1)")).message(),
             ContainsSubstring("unknown key"));
  CHECK_THAT(refusal_of(R"({"rules": [{"when": true}]})").message(), ContainsSubstring("'id' is missing"));
  CHECK_THAT(refusal_of(R"([])").message(), ContainsSubstring("'rules'"));
}

TEST_CASE("messages show facts in their formats", "[rules]") {
  const std::string text = file_with(
      "true",
      R"("severity": "note", "message": "{{{gpu.name}}} {memory.need_gib:.1f} {cost.purchase_usd:usd} {gpu.tensor_cores} {gpu.ecc} {cost.power_w:up0} {memory.usable_gib:down1}")");
  const CompiledRules compiled = compile_rules({{"test.json", text}});
  const RuleTable table = compiled.table();
  Bench bench;
  bench.cost.power_w = 170.2;
  bench.need(4.0, 11.19);
  Subject subject;
  subject.gpu = &bench.gpu;
  subject.cost = &bench.cost;
  subject.figures = &bench.figures;
  CHECK(message_of(table, table.rules[0], subject) == "{Test Card} 4.0 " + format_usd(300.0) + " 112 unknown 171 11.1");
}

TEST_CASE("a user's rules add, replace and disable by id", "[rules]") {
  const auto one = [](const std::string& id, const std::string& message) {
    return R"({"rules": [{"id": ")" + id + R"(", "when": true, "severity": "note", "message": ")" + message + R"("}]})";
  };
  const CompiledRules base = compile_rules({{"base.json", one("one", "first")}});
  const RuleTable table = base.table();
  RuleSet rules(table);
  rules.overlay(compile_rules({{"mine.json", one("two", "second")}}), "mine.json");
  rules.overlay(compile_rules({{"mine.json", one("one", "replaced")}}), "mine.json");
  REQUIRE(rules.entries().size() == 2);
  CHECK(rules.entries()[0].finding({}).message == "replaced");
  CHECK(rules.entries()[1].finding({}).message == "second");
  rules.overlay(compile_rules({{"mine.json", R"({"rules": [{"id": "one", "disabled": true}]})"}}), "mine.json");
  REQUIRE(rules.entries().size() == 1);
  CHECK(rules.entries()[0].rule->id == "two");
  CHECK_THROWS_AS(rules.overlay(compile_rules({{"mine.json", R"({"rules": [{"id": "tow", "disabled": true}]})"}}), "mine.json"), Error);
}

}  // namespace gpuadvise::rules::test
