// A job that certainly does not fit has no speed; one that may has.
#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "unit/estimate/speed_cards.hpp"

using namespace speed_test;

namespace {

Figures figures(const Workload& workload, const Model& model, const Gpu& gpu) {
  return gpuadvise::estimate::evaluate(gpuadvise::estimate::prepare(workload, model), &gpu, {});
}

Workload full_tuning(double batch) {
  Workload workload = train(PrecisionKind::amp_bf16, batch);
  workload.field = Field::language;
  workload.head = Head::lm;
  workload.seq = 2048;
  workload.optimizer = Optimizer::adamw;
  workload.given.checkpointing = true;
  return workload;
}

}  // namespace

TEST_CASE("No speed is given for what certainly does not fit") {
  const Figures out = figures(full_tuning(1), llama_7b(), rtx_3090());
  CHECK(out.fit->verdict == Verdict::no);
  CHECK(out.fit->probability < 0.05);
  CHECK_FALSE(out.speed);
  CHECK(out.speed_refused);
}

TEST_CASE("A job that may fit, or does, has its speed") {
  Workload images = train(PrecisionKind::fp32, 32);
  const Figures fits = figures(images, resnet50(), rtx_3090());
  CHECK(fits.fit->verdict == Verdict::fits);
  CHECK(fits.speed);
  CHECK_FALSE(fits.speed_refused);
  // Between certain failure and an even chance the figure stays: somewhere on the way up there is such a batch.
  bool seen = false;
  for (images.batch = 200; images.batch < 420; images.batch += 1) {
    const Figures at = figures(images, resnet50(), rtx_3090());
    const bool doubtful = at.fit->probability >= 0.05 && at.fit->probability < 0.5;
    seen = seen || doubtful;
    CHECK(at.speed.has_value() == (at.fit->probability >= 0.05));
    CHECK(at.speed_refused == (at.fit->probability < 0.05));
  }
  CHECK(seen);
}

TEST_CASE("Where checkpointing is left open, the speed is that of a run with it") {
  Workload open = full_tuning(16);
  open.method = Method::lora;
  open.optimizer = Optimizer::adamw;
  open.given.checkpointing = false;
  const Figures out = figures(open, llama_7b(), a100());
  CHECK(out.fit->verdict == Verdict::no);
  REQUIRE(out.speed);
  Workload told = open;
  told.checkpointing = Checkpointing::full;
  told.given.checkpointing = true;
  CHECK(out.speed->throughput.expected == Approx(figures(told, llama_7b(), a100()).speed->throughput.expected));
  open.given.checkpointing = true;  // asked for as it is: it cannot run
  CHECK(figures(open, llama_7b(), a100()).speed_refused);
}

TEST_CASE("Where the length is left open, a short answer counts") {
  Workload workload = generate(PrecisionKind::fp16, Engine::llama_cpp, 131072);
  workload.precision = {PrecisionKind::gguf};
  workload.precision.mix = GgufMix::F16;
  workload.kv_precision = {KvType::fp16, KvType::fp16};
  CHECK(figures(workload, llama_7b(), rtx_3090()).speed_refused);
  workload.given.seq = workload.given.lengths = false;
  CHECK(figures(workload, llama_7b(), rtx_3090()).speed);
}
