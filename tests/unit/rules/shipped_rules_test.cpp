// Every shipped rule: what makes it fire, and the one difference that keeps it silent.
#include "catch.hpp"
#include "unit/rules/rule_cases.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace gpuadvise::rules::test {
namespace {

std::vector<RuleCase> all_cases() {
  std::vector<RuleCase> all;
  for (const auto& cases : {cases_of_machine(), cases_of_software(), cases_of_work()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace

TEST_CASE("every shipped rule fires where it should and is silent one step beside", "[rules]") {
  const CompiledRules compiled = compile_rules(shipped_files());
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  for (const RuleCase& each : all_cases()) {
    INFO(each.id);
    Bench bench;
    CHECK_FALSE(bench.fires(rules, each.id));
    each.fires(bench);
    CHECK(bench.fires(rules, each.id));
    each.undo(bench);
    CHECK_FALSE(bench.fires(rules, each.id));
  }
}

TEST_CASE("no shipped rule is without a case, a reason and a source", "[rules]") {
  const CompiledRules compiled = compile_rules(shipped_files());
  CHECK(compiled.rules.size() >= 60);
  std::set<std::string_view> tested;
  for (const RuleCase& each : all_cases()) {
    CHECK(tested.insert(each.id).second);
  }
  for (const Rule& rule : compiled.rules) {
    INFO(rule.id);
    CHECK(tested.count(rule.id) == 1);
    CHECK_FALSE(rule.why.empty());
    CHECK_FALSE(rule.source.empty());
  }
  CHECK(tested.size() == compiled.rules.size());
}

TEST_CASE("no message puts an article before a word that it does not know", "[rules]") {
  for (const RuleFile& file : shipped_files()) {
    const nlohmann::json root = nlohmann::json::parse(file.text);
    for (const auto& rule : root.at("rules")) {
      const std::string message = " " + rule.at("message").get<std::string>();
      INFO(message);
      CHECK(message.find(" a {") == std::string::npos);
    }
  }
}

TEST_CASE("a rented card says nothing of what buying it costs", "[rules]") {
  const CompiledRules compiled = compile_rules(shipped_files());
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  const auto silent = [&rules](PriceKind kind, Availability availability, std::string_view rule) {
    Bench bench;
    bench.cost.price->kind = kind;
    bench.gpu.availability = availability;
    CHECK(bench.fires(rules, rule));
    bench.source = Sourcing::rent;
    bench.cost.rent_usd_per_hour = 2;
    CHECK_FALSE(bench.fires(rules, rule));
  };
  silent(PriceKind::estimate, Availability::current, "price-is-estimate");
  silent(PriceKind::used, Availability::current, "used-card");
  silent(PriceKind::launch, Availability::discontinued, "price-is-launch");
}

TEST_CASE("a format asks of the card what the library that serves it asks", "[rules]") {
  std::ifstream stream(std::string(GPUADVISE_SOURCE_DIR) + "/data/software/libraries.json");
  const nlohmann::json libraries = nlohmann::json::parse(stream).at("libraries");
  const auto floor_of = [&libraries](std::string_view id) {
    for (const auto& library : libraries) {
      if (library.at("id") == id) {
        return library.at("capability_from").get<double>() / 10.0;
      }
    }
    return 0.0;
  };
  const CompiledRules compiled = compile_rules(shipped_files());
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  const auto begins_at = [&rules](Bench bench, std::string_view rule, double floor) {
    INFO(rule);
    REQUIRE(floor > 0.0);
    bench.gpu.compute_capability = floor - 0.1;
    CHECK(bench.fires(rules, rule));
    bench.gpu.compute_capability = floor;
    CHECK_FALSE(bench.fires(rules, rule));
  };
  Bench tuned;
  tuned.train();
  tuned.workload().optimizer = Optimizer::adamw_8bit;
  begins_at(tuned, "bitsandbytes-capability", floor_of("bitsandbytes"));
  for (const Engine engine : {Engine::transformers, Engine::diffusers}) {
    Bench bench;
    bench.workload().engine = engine;
    bench.precision(PrecisionKind::nf4);
    begins_at(bench, "bitsandbytes-4bit", floor_of("bitsandbytes"));
    bench.precision(PrecisionKind::int8);
    begins_at(bench, "llm-int8-capability", floor_of("llm-int8"));
  }
  Bench base;
  base.train();
  base.workload().method = Method::lora;
  base.workload().weights = Precision{PrecisionKind::int8, GgufMix::none, 0.0, 0.0};
  begins_at(base, "llm-int8-capability", floor_of("llm-int8"));
  Bench own;  // kernels of its own
  own.workload().engine = Engine::tensorrt;
  own.precision(PrecisionKind::int8);
  own.capability(6.1, Architecture::pascal);
  CHECK_FALSE(own.fires(rules, "llm-int8-capability"));
}

}  // namespace gpuadvise::rules::test
