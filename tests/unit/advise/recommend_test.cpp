#include "catch.hpp"
#include "unit/advise/fake_catalog.hpp"

#include <cmath>

namespace gpuadvise::advise::test {
namespace {

const Rejection* rejection_of(const Advice& advice, std::string_view id) {
  for (const Rejection& rejection : advice.rejected) {
    if (rejection.gpu->id == id) {
      return &rejection;
    }
  }
  return nullptr;
}

bool has_finding(const Recommendation& result, std::string_view rule) {
  return std::any_of(result.findings.begin(), result.findings.end(), [rule](const Finding& finding) { return finding.rule == rule; });
}

}  // namespace

TEST_CASE("cards that fit the memory and the budget are ranked, the others say why not", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("small", 8.0), 200.0);
  catalog.add(card("good", 24.0), 600.0);
  catalog.add(card("dear", 48.0), 3000.0);
  Gpu module = card("module", 80.0);
  module.form_factor = FormFactor::sxm;
  catalog.add(module, 500.0);
  Preferences wants;
  wants.budget_usd = 1000.0;
  Request request = language_request(Task::infer);
  request.origins[WorkloadKey::gpus] = Origin::user;  // one GPU, not several small ones
  const Advice advice = recommend(request, wants, catalog.view());
  REQUIRE(advice.results.size() == 1);
  CHECK(advice.results[0].gpu->id == "good");
  CHECK(advice.results[0].rank == 1);
  CHECK(advice.results[0].pareto);
  CHECK_FALSE(advice.results[0].reasons.empty());
  CHECK(rejection_of(advice, "small")->rule == "does-not-fit");
  CHECK(rejection_of(advice, "dear")->rule == "over-budget");
  CHECK_THAT(rejection_of(advice, "dear")->smallest_change, ContainsSubstring("--budget 3000"));
  CHECK(rejection_of(advice, "module")->rule == "form-module");
}

TEST_CASE("a named card is judged although its form would keep it out", "[advise]") {
  FakeCatalog catalog;
  Gpu passive = card("passive", 24.0);
  passive.cooling = Cooling::passive;
  catalog.add(passive, 500.0);
  Preferences wants;
  CHECK(recommend(language_request(Task::infer), wants, catalog.view()).results.empty());
  wants.candidates = {"passive"};
  const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
  REQUIRE(advice.results.size() == 1);
  CHECK(has_finding(advice.results[0], "passive-in-desktop"));
  wants.exclude = {"passive"};
  CHECK_THROWS_AS(recommend(language_request(Task::infer), wants, catalog.view()), Error);
}

TEST_CASE("a card without bfloat16 is planned in fp16 unless bfloat16 was asked for", "[advise]") {
  FakeCatalog catalog;
  Gpu turing = card("turing", 24.0);
  turing.compute_capability = 7.5;
  turing.family = Architecture::turing;
  turing.tflops.bf16_tensor.reset();
  turing.tflops.tf32_tensor.reset();
  catalog.add(turing, 500.0);
  Request request = language_request(Task::infer);
  const Advice planned = recommend(request, {}, catalog.view());
  REQUIRE(planned.results.size() == 1);
  CHECK(planned.results[0].workload.precision.kind == PrecisionKind::fp16);
  CHECK(has_finding(planned.results[0], "bf16-replaced"));
  request.origins[WorkloadKey::precision] = Origin::user;
  const Advice asked = recommend(request, {}, catalog.view());
  REQUIRE(asked.results.size() == 1);
  CHECK(asked.results[0].workload.precision.kind == PrecisionKind::bf16);
  CHECK(has_finding(asked.results[0], "bf16-not-native"));
}

TEST_CASE("several GPUs of a kind are planned where one does not do, by a strategy that pools memory", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twelve", 12.0), 300.0);
  const Advice advice = recommend(language_request(Task::infer), {}, catalog.view());
  REQUIRE(advice.results.size() == 1);
  CHECK(advice.results[0].count > 1.0);
  CHECK(advice.results[0].workload.strategy == Strategy::layer_split);
  CHECK(*advice.results[0].cost.purchase_usd == Approx(300.0 * advice.results[0].count));
  CHECK(has_finding(advice.results[0], "pooled-strategy"));

  Request replicated = language_request(Task::infer);
  replicated.workload.strategy = Strategy::ddp;
  replicated.workload.gpus = 2.0;
  replicated.origins[WorkloadKey::strategy] = Origin::user;
  replicated.origins[WorkloadKey::gpus] = Origin::user;
  const Advice refused = recommend(replicated, {}, catalog.view());
  CHECK(refused.results.empty());
  REQUIRE(rejection_of(refused, "twelve") != nullptr);
  CHECK(rejection_of(refused, "twelve")->rule == "ddp-does-not-pool");
  CHECK_THAT(rejection_of(refused, "twelve")->message, ContainsSubstring("not pooled"));
}

TEST_CASE("contributions sum to the score under every preference", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("one", 24.0), 600.0);
  catalog.add(card("two", 48.0, 2.0), 2600.0);
  for (const Prefer prefer : {Prefer::balanced, Prefer::value, Prefer::speed, Prefer::memory, Prefer::efficiency}) {
    Preferences wants;
    wants.prefer = prefer;
    const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
    REQUIRE(advice.results.size() == 2);
    for (const Recommendation& result : advice.results) {
      double sum = 0.0;
      for (const ScorePart& part : result.score.parts) {
        CHECK(part.contribution == Approx(part.weight * part.value).margin(1e-12));
        sum += part.contribution;
      }
      CHECK(std::abs(sum - result.score.total) < 1e-9);
    }
  }
}

TEST_CASE("full tuning that fits nowhere names LoRA and QLoRA with their settings", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  Preferences wants;
  wants.budget_usd = 700.0;
  const Advice advice = recommend(language_request(Task::finetune), wants, catalog.view());
  CHECK(advice.results.empty());
  REQUIRE(advice.nearest.size() == 1);
  std::string ids;
  for (const Remedy& remedy : advice.remedies) {
    ids += remedy.id + " ";
    REQUIRE(remedy.figures.fit.has_value());
    CHECK(remedy.figures.fit->verdict == Verdict::fits);
    CHECK_FALSE(remedy.settings.empty());
  }
  CHECK_THAT(ids, ContainsSubstring("lora"));
  CHECK_THAT(ids, ContainsSubstring("qlora"));
  CHECK(advice.remedies.size() <= 5);
}

TEST_CASE("where only money is missing the next card up is a remedy", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("good", 24.0), 600.0);
  Preferences wants;
  wants.budget_usd = 500.0;
  const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
  CHECK(advice.results.empty());
  REQUIRE_FALSE(advice.remedies.empty());
  CHECK(advice.remedies.back().id == "next_card_up");
  CHECK(*advice.remedies.back().extra_usd == Approx(100.0));
}

TEST_CASE("an unknown card is an error, not silence", "[advise]") {
  FakeCatalog catalog;
  Preferences wants;
  wants.candidates = {"nonsense"};
  CHECK_THROWS_AS(recommend(language_request(Task::infer), wants, catalog.view()), Error);
}

}  // namespace gpuadvise::advise::test
