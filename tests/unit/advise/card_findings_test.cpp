// Every estimate without a speed says why.
#include "advise/card_findings.hpp"

#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "unit/estimate/speed_cards.hpp"

using namespace speed_test;
using gpuadvise::advise::speed_finding;

namespace {

Figures figures(const Workload& workload, const Model& model, const Gpu& gpu) {
  return gpuadvise::estimate::evaluate(gpuadvise::estimate::prepare(workload, model), &gpu, {});
}

}  // namespace

TEST_CASE("A card whose rate is not published says so in place of a speed") {
  Gpu unrated = rtx_3090();
  unrated.name = "New Card";
  unrated.tflops = {};
  const Workload images = train(PrecisionKind::amp_fp16, 32);
  const Figures without = figures(images, resnet50(), unrated);
  CHECK(without.fit->verdict == Verdict::fits);
  CHECK_FALSE(without.speed);
  const auto said = speed_finding(images, without, unrated);
  REQUIRE(said);
  CHECK(said->rule == "speed-unknown");
  CHECK(said->message.find("New Card") != std::string::npos);
  CHECK_FALSE(speed_finding(images, figures(images, resnet50(), rtx_3090()), rtx_3090()));
}

TEST_CASE("Tables in host memory have no speed, and it is said why") {
  gpuadvise::RecommenderShape tables;
  tables.rows = 1e8;
  tables.dim = 64.0;
  tables.dense_params = 2.4e6;
  Model model;
  model.field = gpuadvise::Field::recommender;
  model.shape = tables;
  Workload workload = train(PrecisionKind::fp32, 4096);
  workload.field = gpuadvise::Field::recommender;
  workload.optimizer = gpuadvise::Optimizer::sgd;
  Gpu roomy = rtx_3090();
  roomy.memory_gib = 80.0;
  CHECK(figures(workload, model, roomy).speed);
  workload.offload.kind = gpuadvise::OffloadKind::params;
  const Figures offloaded = figures(workload, model, roomy);
  CHECK_FALSE(offloaded.speed);
  const auto said = speed_finding(workload, offloaded, roomy);
  REQUIRE(said);
  CHECK(said->message.find("host's memory") != std::string::npos);
}
