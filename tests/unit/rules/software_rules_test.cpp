// The versions of the user's software against the shipped rules.
#include "catch.hpp"
#include "unit/rules/bench.hpp"

#include <array>

namespace gpuadvise::rules::test {

// Each key alone, on the card that it excludes and on one that it does not.
TEST_CASE("any of the versions and the system excludes what cannot work with it") {
  const CompiledRules compiled = compile_rules(shipped_files());
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  struct Case {
    void (*ask)(Bench&);
    double excluded;
    double kept;
  };
  constexpr auto k_versions = std::to_array<Case>({
      {[](Bench& b) { b.wants.torch = "2.1"; }, 12.0, 8.6},
      {[](Bench& b) { b.wants.cuda = "12.6"; }, 12.0, 9.0},
      {[](Bench& b) { b.wants.cuda = "cu128"; }, 6.1, 12.0},
      {[](Bench& b) { b.wants.driver = "535"; }, 12.0, 8.9},
      {[](Bench& b) { b.wants.driver = "590"; }, 7.0, 7.5},
      {[](Bench& b) { b.wants.python = "3.7"; }, 10.0, 8.0},
      {[](Bench& b) {
         b.wants.torch = "2.4";
         b.wants.driver = "470";
       },
       8.9, 8.6},
  });
  for (const Case& each : k_versions) {
    Bench bench;
    each.ask(bench);
    INFO(bench.wants.torch << " " << bench.wants.cuda << " " << bench.wants.driver << " " << bench.wants.python);
    bench.gpu.compute_capability = each.excluded;
    CHECK(bench.fires(rules, "software-does-not-work"));
    bench.named = true;  // naming a card does not make it work
    CHECK(bench.fires(rules, "software-does-not-work"));
    bench.gpu.compute_capability = each.kept;
    CHECK_FALSE(bench.fires(rules, "software-does-not-work"));
  }
  Bench mac;
  mac.system(HostSystem::macos);
  CHECK(mac.fires(rules, "software-does-not-work"));
  mac.source = Sourcing::rent;  // the rented machine has a system of its own
  mac.cost.rent_usd_per_hour = 0.3;
  CHECK_FALSE(mac.fires(rules, "software-does-not-work"));
}

TEST_CASE("an old release lets in the cards that it serves") {
  const CompiledRules compiled = compile_rules(shipped_files());
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  Bench bench;
  bench.capability(3.7, Architecture::kepler);
  bench.gpu.support.end_of_support = true;
  CHECK(bench.fires(rules, "support-ended"));
  bench.wants.torch = "2.3";
  CHECK_FALSE(bench.fires(rules, "support-ended"));
  CHECK_FALSE(bench.fires(rules, "capability-too-low"));
  CHECK_FALSE(bench.fires(rules, "software-does-not-work"));
  CHECK(bench.fires(rules, "support-ended-named"));
  CHECK(bench.fires(rules, "software-limits"));
  bench.wants.torch = "2.8";
  CHECK(bench.fires(rules, "software-does-not-work"));
}

}  // namespace gpuadvise::rules::test
