#include "advise/solve.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

namespace gpuadvise::advise::test {
namespace {

Solution solved(const RealCatalog& catalog, SolveQuestion question, std::string_view gpu, const std::vector<Setting>& request) {
  const Gpu& card = catalog.gpu(gpu);
  return solve(question, request, card, estimate::default_use(card, false),
               [&catalog](std::span<const Setting> all) { return catalog.resolve(all); });
}

double probability(const std::optional<SolvePoint>& point) {
  return point->figures.fit->probability;
}

}  // namespace

TEST_CASE("the largest value fits and its neighbour does not", "[advise][solve]") {
  const RealCatalog catalog;
  struct Case {
    SolveFor what;
    double step;
    std::vector<Setting> request;
  };
  const std::vector<Case> cases{
      {SolveFor::batch, 1, settings({{"model", "resnet50"}})},
      {SolveFor::seq, 16, settings({{"model", "llama-3.1-8b"}, {"task", "infer"}})},
      {SolveFor::image, 32, settings({{"model", "resnet50"}, {"batch", "32"}})},
      {SolveFor::lora_rank, 1, settings({{"model", "llama-2-7b"}, {"task", "finetune"}, {"seq", "512"}})},
      {SolveFor::concurrency, 1, settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "vllm"}, {"seq", "2048"}})},
  };
  for (const Case& each : cases) {
    INFO(to_string(each.what));
    const Solution solution = solved(catalog, {each.what, 0.95, false}, "rtx-4090", each.request);
    REQUIRE(solution.best);
    REQUIRE(solution.next);
    CHECK(solution.next->value == solution.best->value + each.step);
    CHECK(probability(solution.best) >= 0.95);
    CHECK(probability(solution.next) < 0.95);
  }
}

TEST_CASE("less certainty never allows less", "[advise][solve]") {
  const RealCatalog catalog;
  double before = 1e9;
  for (const double probability : {0.5, 0.8, 0.95, 0.99}) {
    const Solution solution = solved(catalog, {SolveFor::batch, probability, false}, "rtx-3090", settings({{"model", "resnet50"}}));
    REQUIRE(solution.best);
    CHECK(solution.best->value <= before);
    before = solution.best->value;
  }
}

TEST_CASE("rounding goes to a value that still fits", "[advise][solve]") {
  const RealCatalog catalog;
  const Solution solution =
      solved(catalog, {SolveFor::batch, 0.95, true}, "rtx-3090", settings({{"model", "resnet50"}, {"precision", "amp-fp16"}}));
  REQUIRE(solution.best);
  CHECK(static_cast<long long>(solution.best->value) % 8 == 0);
  CHECK(probability(solution.best) >= 0.95);
}

TEST_CASE("the least number of GPUs pools memory, and replicas do not help", "[advise][solve]") {
  const RealCatalog catalog;
  const auto served = settings({{"model", "llama-3.1-70b"}, {"task", "infer"}, {"precision", "fp16"}, {"engine", "vllm"}});
  const Solution solution = solved(catalog, {SolveFor::gpus, 0.95, false}, "a100-80gb-sxm", served);
  REQUIRE(solution.best);
  REQUIRE(solution.next);
  CHECK(solution.best->value > solution.next->value);
  CHECK(solution.best->request.workload.strategy == Strategy::tp);
  CHECK(probability(solution.next) < 0.95);

  const Solution replicas = solved(catalog, {SolveFor::gpus, 0.95, false}, "rtx-3060-12gb",
                                   settings({{"model", "llama-2-7b"}, {"task", "train"}, {"strategy", "ddp"}}));
  CHECK_FALSE(replicas.best);
  REQUIRE(replicas.next);
}

TEST_CASE("what ends a search other than memory is said", "[advise][solve]") {
  const RealCatalog catalog;
  const Solution solution =
      solved(catalog, {SolveFor::seq, 0.95, false}, "h100-80gb-sxm", settings({{"model", "gpt2"}, {"task", "train"}}));
  REQUIRE(solution.best);
  CHECK(solution.best->value == 1024);
  CHECK_FALSE(solution.next);
  CHECK(solution.limit.find("context") != std::string::npos);
}

TEST_CASE("the setting in question cannot be given", "[advise][solve]") {
  const RealCatalog catalog;
  CHECK_THROWS_AS(solved(catalog, {SolveFor::batch, 0.95, false}, "rtx-3090", settings({{"model", "resnet50"}, {"batch", "8"}})), Error);
}

TEST_CASE("a setting that changes nothing is not solved for", "[advise][solve]") {
  const RealCatalog catalog;
  CHECK_THROWS_AS(solved(catalog, {SolveFor::seq, 0.95, false}, "rtx-3090", settings({{"model", "resnet50"}})), Error);
}

TEST_CASE("the search begins at the least value that is allowed", "[advise][solve]") {
  const RealCatalog catalog;
  const Solution solution = solved(catalog, {SolveFor::seq, 0.95, false}, "rtx-3090",
                                   settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"prompt_len", "1000"}}));
  REQUIRE(solution.best);
  CHECK(solution.best->value > 1000);
}

TEST_CASE("names of what can be solved for read back", "[advise][solve]") {
  for (const SolveFor what :
       {SolveFor::batch, SolveFor::seq, SolveFor::image, SolveFor::gpus, SolveFor::lora_rank, SolveFor::concurrency}) {
    CHECK(parse_solve_for(to_string(what)) == what);
  }
  CHECK_FALSE(parse_solve_for("speed"));
}

}  // namespace gpuadvise::advise::test
