#include "advise/strategies.hpp"

#include "advise/card_findings.hpp"
#include "advise/explain.hpp"
#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>

namespace gpuadvise::advise::test {
namespace {

std::vector<TriedWay> tried(const RealCatalog& catalog, std::string_view gpu, const std::vector<Setting>& request) {
  const Gpu& card = catalog.gpu(gpu);
  return try_ways(catalog.resolve(request), card, estimate::default_use(card, false));
}

const TriedWay* way_of(const std::vector<TriedWay>& ways, std::string_view words) {
  const auto found = std::find_if(ways.begin(), ways.end(), [words](const TriedWay& way) { return way_words(way.workload) == words; });
  return found == ways.end() ? nullptr : &*found;
}

Advice advised(const RealCatalog& catalog, const std::vector<Setting>& request, std::vector<std::string> candidates) {
  Preferences wants;
  wants.candidates = std::move(candidates);
  AdviceOptions options;
  options.remedies = false;
  return recommend(catalog.resolve(request), wants, catalog.view(), options);
}

TriedWay made(Strategy strategy, Verdict verdict, double throughput) {
  TriedWay way;
  way.workload.strategy = strategy;
  way.workload.gpus = 4.0;
  way.figures.fit = Fit{};
  way.figures.fit->verdict = verdict;
  way.figures.speed = SpeedFigures{};
  way.figures.speed->throughput = {throughput / 2, throughput, throughput * 2};
  way.accepted = verdict != Verdict::no;
  return way;
}

}  // namespace

TEST_CASE("the fastest sound way is taken, the simplest of equals, a tight one only for twice the speed", "[advise][strategies]") {
  using enum Verdict;
  CHECK(best_way(std::vector{made(Strategy::ddp, no, 900), made(Strategy::zero2, fits, 100), made(Strategy::fsdp, fits, 150)}) == 2U);
  CHECK(best_way(std::vector{made(Strategy::ddp, fits, 100), made(Strategy::zero1, fits, 105)}) == 0U);
  CHECK(best_way(std::vector{made(Strategy::ddp, tight, 180), made(Strategy::fsdp, fits, 100)}) == 1U);
  CHECK(best_way(std::vector{made(Strategy::ddp, tight, 220), made(Strategy::fsdp, fits, 100)}) == 0U);
  CHECK(best_way(std::vector{made(Strategy::ddp, no, 100), made(Strategy::fsdp, tight, 10)}) == 1U);
  CHECK_FALSE(best_way(std::vector{made(Strategy::ddp, no, 100), made(Strategy::fsdp, no, 10)}));
  CHECK_FALSE(best_way(std::vector<TriedWay>{}));
}

TEST_CASE("a program is offered only what it can do", "[advise][strategies]") {
  const RealCatalog catalog;
  const auto plain = tried(catalog, "a100-80gb-sxm", settings({{"model", "llama-3.1-8b"}, {"task", "train"}, {"gpus", "8"}}));
  for (const char* words : {"ddp", "zero1", "zero2", "fsdp", "tp 8", "tp 4 x pp 2", "pp 8"}) {
    INFO(words);
    CHECK(way_of(plain, words) != nullptr);
  }
  const auto trainer = tried(catalog, "a100-80gb-sxm", settings({{"model", "llama-3.1-8b"}, {"task", "finetune"}, {"gpus", "8"}}));
  CHECK(way_of(trainer, "fsdp") != nullptr);
  CHECK(way_of(trainer, "tp 8") == nullptr);
  const auto adapters =
      tried(catalog, "a100-80gb-sxm", settings({{"model", "llama-3.1-8b"}, {"task", "finetune"}, {"method", "lora"}, {"gpus", "8"}}));
  CHECK(way_of(adapters, "zero2") == nullptr);  // there is nothing to shard but the frozen base
  CHECK(tried(catalog, "rtx-3090", settings({{"model", "resnet50"}, {"gpus", "2"}})).empty());
  CHECK(tried(catalog, "rtx-3090", settings({{"model", "bert-base"}})).empty());
}

TEST_CASE("servers split matrices inside a node and layers between nodes", "[advise][strategies]") {
  const RealCatalog catalog;
  const auto request = settings({{"model", "llama-3.1-70b"},
                                 {"task", "infer"},
                                 {"engine", "vllm"},
                                 {"gpus", "4"},
                                 {"nodes", "2"},
                                 {"concurrency", "64"},
                                 {"network_gbit_s", "25"}});
  const auto ways = tried(catalog, "a100-80gb-pcie", request);
  REQUIRE(way_of(ways, "tp 8") != nullptr);
  REQUIRE(way_of(ways, "tp 4 x pp 2") != nullptr);
  CHECK(way_of(ways, "8 copies")->figures.fit->verdict == Verdict::no);
  CHECK(way_of(ways, "8 copies")->figures.speed_refused);
  const auto best = best_way(ways);
  REQUIRE(best);
  CHECK(way_words(ways[*best].workload) == "tp 4 x pp 2");
  const std::string reason = way_reason(ways, *best, catalog.gpu("a100-80gb-pcie"));
  CHECK_THAT(reason, ContainsSubstring("tp 4 x pp 2"));
  CHECK_THAT(reason, ContainsSubstring("tp 8 would give x0."));
}

TEST_CASE("a small model is served fastest as copies", "[advise][strategies]") {
  const RealCatalog catalog;
  const auto ways = tried(catalog, "l40s", settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "vllm"}, {"gpus", "4"}}));
  const auto best = best_way(ways);
  REQUIRE(best);
  CHECK(way_words(ways[*best].workload) == "4 copies");
}

TEST_CASE("the advisor divides a job as is best when the strategy is open, and as told when it is not", "[advise][strategies]") {
  const RealCatalog catalog;
  auto request = settings({{"model", "llama-3.1-8b"}, {"task", "train"}, {"gpus", "8"}, {"seq", "4096"}, {"grad_checkpointing", "full"}});
  const Advice open = advised(catalog, request, {"a100-80gb-sxm"});
  REQUIRE(open.results.size() == 1);
  const Recommendation& best = open.results.front();
  CHECK(best.figures.fit->verdict == Verdict::fits);
  REQUIRE_FALSE(best.reasons.empty());
  CHECK_THAT(best.reasons.front(), ContainsSubstring("divided as " + way_words(best.workload)));
  CHECK_THAT(best.reasons.front(), ContainsSubstring("ways that fit"));
  request.push_back({"strategy", Value("fsdp"), Origin::user});
  const Advice told = advised(catalog, request, {"a100-80gb-sxm"});
  REQUIRE(told.results.size() == 1);
  CHECK(told.results.front().workload.strategy == Strategy::fsdp);
  CHECK(told.results.front().reasons.front().find("divided as") == std::string::npos);
  CHECK(told.results.front().figures.speed->throughput.expected <= best.figures.speed->throughput.expected * 1.1);
}

TEST_CASE("what copies cannot hold is sharded, and the sentence says what the copies would need", "[advise][strategies]") {
  const RealCatalog catalog;
  const Advice advice = advised(
      catalog, settings({{"model", "gpt2-xl"}, {"task", "finetune"}, {"method", "full"}, {"gpus", "4"}, {"seq", "1024"}}), {"rtx-4090"});
  REQUIRE(advice.results.size() == 1);
  CHECK(pools_memory(advice.results.front().workload.strategy));
  CHECK_THAT(advice.results.front().reasons.front(), ContainsSubstring("ddp needs"));
}

TEST_CASE("explain lists every way with memory, speed and efficiency", "[advise][strategies][explain]") {
  const RealCatalog catalog;
  const Preferences preferences;
  const auto request = settings({{"model", "llama-3.1-8b"}, {"task", "train"}, {"gpus", "8"}});
  const Explanation explanation = explain(catalog.gpu("h100-80gb-sxm"), request, preferences, catalog.view(),
                                          [&catalog](std::span<const Setting> all) { return catalog.resolve(all); });
  CHECK(explanation.ways.size() == 7);
  REQUIRE(explanation.best);
  for (const TriedWay& way : explanation.ways) {
    INFO(way_words(way.workload));
    CHECK(way.figures.memory.need.expected > 0.0);
    if (way.figures.speed) {
      REQUIRE(way.figures.speed->scaling_efficiency);
      CHECK(*way.figures.speed->scaling_efficiency <= 1.0 + 1e-9);
    }
  }
}

TEST_CASE("a network that is not stated is among the assumptions", "[advise][strategies]") {
  const RealCatalog catalog;
  const auto assumed = [&catalog](const std::vector<Setting>& request) {
    const Advice advice = advised(catalog, request, {"rtx-3090"});
    return std::any_of(advice.assumptions.begin(), advice.assumptions.end(),
                       [](const std::string& words) { return words.find("network_gbit_s") != std::string::npos; });
  };
  CHECK(assumed(settings({{"model", "bert-base"}, {"nodes", "2"}})));
  CHECK_FALSE(assumed(settings({{"model", "bert-base"}, {"nodes", "2"}, {"network_gbit_s", "10"}})));
  CHECK_FALSE(assumed(settings({{"model", "bert-base"}, {"gpus", "2"}})));
}

TEST_CASE("findings name what a card has no connector for", "[advise][findings]") {
  const RealCatalog catalog;
  Workload workload;
  workload.gpus = 2.0;
  const auto rule = [&](std::string_view gpu) {
    const auto finding = bridge_finding(workload, catalog.gpu(gpu));
    return finding ? finding->rule : std::string();
  };
  CHECK(rule("rtx-4090").empty());  // not asked for
  workload.nvlink_bridge = true;
  CHECK(rule("rtx-4090") == "no-bridge");
  CHECK(rule("rtx-3060-12gb") == "no-bridge");
  CHECK(rule("h100-80gb-sxm") == "bridge-not-needed");
  CHECK(rule("rtx-3090").empty());
  CHECK(rule("a40").empty());
  workload.gpus = 4.0;
  CHECK(rule("rtx-3090") == "bridge-joins-few");
  CHECK(rule("a40") == "bridge-joins-few");
  CHECK_THAT(bridge_finding(workload, catalog.gpu("a40"))->message, ContainsSubstring("a bridge joins 2 NVIDIA A40"));
}

TEST_CASE("findings say why there is no speed, or whose speed it is", "[advise][findings]") {
  const RealCatalog catalog;
  const auto finding = [&](std::string_view gpu, std::initializer_list<std::pair<const char*, const char*>> pairs) {
    const Request request = catalog.resolve(settings(pairs));
    const Gpu& card = catalog.gpu(gpu);
    const Figures figures = estimate::evaluate(estimate::prepare(request.workload, request.model), &card, {});
    const auto said = speed_finding(request.workload, figures, card);
    return said ? said->rule + ": " + said->message : std::string();
  };
  CHECK(finding("rtx-3090", {{"model", "resnet50"}, {"batch", "32"}}).empty());
  CHECK_THAT(finding("rtx-3090", {{"model", "llama-2-7b"}, {"task", "train"}}), ContainsSubstring("speed-refused: no speed is given"));
  CHECK_THAT(finding("a100-80gb-sxm", {{"model", "qwen2.5-14b"}, {"method", "lora"}, {"seq", "16384"}}),
             ContainsSubstring("with grad_checkpointing full"));
  CHECK_THAT(finding("rtx-4060", {{"model", "sdxl"}, {"task", "infer"}}), ContainsSubstring("speed-refused"));
}

TEST_CASE("a bridge speeds what it joins, and nothing else", "[advise][findings]") {
  const RealCatalog catalog;
  const auto speed = [&](std::string_view gpu, const char* gpus, bool bridge) {
    auto request = settings({{"model", "bert-large"}, {"batch", "8"}, {"precision", "amp-fp16"}, {"gpus", gpus}});
    request.push_back({"nvlink_bridge", Value(bridge), Origin::user});
    const Request resolved = catalog.resolve(request);
    const Gpu& card = catalog.gpu(gpu);
    return estimate::evaluate(estimate::prepare(resolved.workload, resolved.model), &card, {}).speed->throughput.expected;
  };
  CHECK(speed("rtx-3090", "2", true) > 1.05 * speed("rtx-3090", "2", false));
  CHECK(speed("a40", "2", true) > speed("a40", "2", false));
  CHECK(speed("rtx-4090", "2", true) == speed("rtx-4090", "2", false));
  CHECK(speed("h100-80gb-sxm", "8", true) == speed("h100-80gb-sxm", "8", false));
}

}  // namespace gpuadvise::advise::test
