#include "advise/mixed.hpp"

#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>

namespace gpuadvise::advise::test {
namespace {

Advice advised(const RealCatalog& catalog, const std::vector<Setting>& request, std::vector<std::string> have,
               std::vector<std::string> candidates = {}) {
  Preferences wants;
  wants.have = std::move(have);
  wants.candidates = std::move(candidates);
  AdviceOptions options;
  options.remedies = false;
  return recommend(catalog.resolve(request), wants, catalog.view(), options);
}

const Recommendation* mixed_of(const Advice& advice) {
  const auto found = std::find_if(advice.results.begin(), advice.results.end(), [](const Recommendation& r) { return !r.mixed.empty(); });
  return found == advice.results.end() ? nullptr : &*found;
}

double alone(const RealCatalog& catalog, const std::vector<Setting>& request, std::string_view gpu) {
  const Request resolved = catalog.resolve(request);
  const Gpu& card = catalog.gpu(gpu);
  return estimate::evaluate(estimate::prepare(resolved.workload, resolved.model), &card, estimate::default_use(card, false))
      .speed->throughput.expected;
}

}  // namespace

TEST_CASE("equal parts run at the pace of the slowest card and with the memory of the smallest", "[advise][mixed]") {
  const RealCatalog catalog;
  const auto request = settings({{"model", "resnet50"}, {"batch", "64"}, {"precision", "amp-fp16"}});
  const Advice advice = advised(catalog, request, {"rtx-3090", "rtx-3060-12gb"});
  const Recommendation* both = mixed_of(advice);
  REQUIRE(both != nullptr);
  CHECK(both->count == 2.0);
  CHECK(both->gpu->id == "rtx-3060-12gb");
  CHECK(both->figures.fit->usable_bytes < 12e9 * 1.08);
  CHECK(both->cost.purchase_usd == 0.0);
  CHECK(both->cost.power_w == 520.0);
  const double slow = alone(catalog, request, "rtx-3060-12gb");
  CHECK(both->figures.speed->throughput.expected <= 2.0 * slow);
  CHECK(both->figures.speed->throughput.expected > 1.7 * slow);
  // The two numbers that matter are in the sentence: together, and the better card alone.
  CHECK_THAT(both->reasons.front(), ContainsSubstring("waits for the slowest"));
  CHECK_THAT(both->reasons.front(), ContainsSubstring("rtx-3090 alone"));
  CHECK(mixed_words(both->mixed) == "rtx-3090 + rtx-3060-12gb");
}

TEST_CASE("layers are dealt out by memory: what no card holds alone fits both", "[advise][mixed]") {
  const RealCatalog catalog;
  const auto request =
      settings({{"model", "qwen2.5-32b"}, {"task", "infer"}, {"engine", "llama.cpp"}, {"precision", "gguf:Q5_K_M"}, {"seq", "16384"}});
  const Advice advice = advised(catalog, request, {"rtx-3090", "rtx-3060-12gb"}, {"rtx-3090", "rtx-3060-12gb"});
  const Recommendation* both = mixed_of(advice);
  REQUIRE(both != nullptr);
  CHECK(both->workload.strategy == Strategy::layer_split);
  CHECK(both->figures.fit->verdict != Verdict::no);
  CHECK(both->figures.fit->usable_bytes > 34.0 * 1073741824.0);
  CHECK(both->figures.memory.need.expected > 24.0 * 1073741824.0);  // more than the larger of them has
  CHECK_THAT(both->reasons.front(), ContainsSubstring("no card of it holds the job alone"));
  const auto small = settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "llama.cpp"}});
  const Recommendation* together = nullptr;
  const Advice easy = advised(catalog, small, {"rtx-3090", "rtx-3060-12gb"});
  REQUIRE((together = mixed_of(easy)) != nullptr);
  // One after the other: between the two cards alone.
  CHECK(together->figures.speed->throughput.expected < alone(catalog, small, "rtx-3090"));
  CHECK(together->figures.speed->throughput.expected > alone(catalog, small, "rtx-3060-12gb"));
}

TEST_CASE("a machine is one candidate only where its cards differ and the request leaves them free", "[advise][mixed]") {
  const RealCatalog catalog;
  const auto request = settings({{"model", "resnet50"}, {"batch", "32"}});
  CHECK(mixed_of(advised(catalog, request, {"rtx-3090", "rtx-3090"})) == nullptr);
  CHECK(mixed_of(advised(catalog, request, {"rtx-3090"})) == nullptr);
  CHECK(mixed_of(advised(catalog, request, {"rtx-3090", "rx-7900-xtx"})) == nullptr);
  CHECK(mixed_of(advised(catalog, request, {"rtx-3090", "rtx-3060-12gb"}, {"rtx-3090"})) == nullptr);
  const auto two = settings({{"model", "resnet50"}, {"batch", "32"}, {"gpus", "2"}});
  CHECK(mixed_of(advised(catalog, two, {"rtx-3090", "rtx-3060-12gb"})) != nullptr);
  const auto four = settings({{"model", "resnet50"}, {"batch", "32"}, {"gpus", "4"}});
  CHECK(mixed_of(advised(catalog, four, {"rtx-3090", "rtx-3060-12gb"})) == nullptr);
  const Advice three = advised(catalog, request, {"rtx-3090", "rtx-3060-12gb", "rtx-3090"});
  REQUIRE(mixed_of(three) != nullptr);
  CHECK(mixed_words(mixed_of(three)->mixed) == "2x rtx-3090 + rtx-3060-12gb");
}

}  // namespace gpuadvise::advise::test
