#include "workload/field_job.hpp"

#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>

namespace gpuadvise::workload {
namespace {

using advise::test::RealCatalog;
using K = WorkloadKey;

std::string message_of(const RealCatalog& real, std::initializer_list<std::pair<const char*, const char*>> pairs) {
  try {
    static_cast<void>(real.resolve(advise::test::settings(pairs)));
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

}  // namespace

TEST_CASE("a field alone stands for its usual job, shown as a preset") {
  const RealCatalog real;
  const Request vision = real.resolve(advise::test::settings({{"field", "vision"}}));
  CHECK(vision.model.id == "resnet50");
  CHECK(vision.workload.training());
  CHECK(vision.workload.batch == 64);
  CHECK(is_amp(vision.workload.precision));
  for (const K key : {K::model, K::batch, K::precision}) {
    CHECK(vision.origins[key] == Origin::preset);
  }
  CHECK(std::any_of(vision.findings.begin(), vision.findings.end(), [](const Finding& f) { return f.rule == "field-usual-job"; }));
  const Request llm = real.resolve(advise::test::settings({{"field", "llm"}}));
  CHECK(llm.model.id == "llama-3.1-8b");
  CHECK(llm.workload.task == Task::infer);
  CHECK(llm.workload.engine == Engine::llama_cpp);
  CHECK(llm.workload.precision.kind == PrecisionKind::gguf);
  CHECK(real.resolve(advise::test::settings({{"field", "llm"}, {"precision", "bf16"}})).workload.engine == Engine::transformers);
  CHECK(real.resolve(advise::test::settings({{"field", "llm"}, {"concurrency", "32"}})).workload.engine == Engine::vllm);
  CHECK(real.resolve(advise::test::settings({{"field", "diffusion"}})).model.id == "sdxl");
}

TEST_CASE("a sign of training makes a field's job one of tuning; what is said stays") {
  const RealCatalog real;
  const Request tuned = real.resolve(advise::test::settings({{"field", "llm"}, {"epochs", "3"}, {"dataset_size", "1000"}}));
  CHECK(tuned.workload.task == Task::finetune);
  CHECK(tuned.workload.method == Method::qlora);
  CHECK(tuned.origins[K::method] == Origin::preset);
  CHECK(real.resolve(advise::test::settings({{"field", "llm"}, {"method", "lora"}})).workload.method == Method::lora);
  const Request vision = real.resolve(advise::test::settings({{"field", "vision"}, {"batch", "8"}}));
  CHECK(vision.workload.batch == 8);
  CHECK(vision.origins[K::batch] == Origin::user);
  CHECK(real.resolve(advise::test::settings({{"field", "vision"}, {"task", "infer"}})).workload.precision.kind == PrecisionKind::fp32);
}

TEST_CASE("beside a size the field decides the shape") {
  const RealCatalog real;
  CHECK(real.resolve(advise::test::settings({{"params", "300M"}, {"field", "encoder"}})).model.field == Field::encoder);
  CHECK(real.resolve(advise::test::settings({{"params", "300M"}, {"field", "vision"}})).model.image() != nullptr);
  CHECK(real.resolve(advise::test::settings({{"params", "3B"}, {"field", "diffusion"}})).model.diffusion() != nullptr);
  CHECK(real.resolve(advise::test::settings({{"params", "3B"}})).model.field == Field::language);
}

TEST_CASE("beside a model the field must agree, by itself or by its family") {
  const RealCatalog real;
  const std::string message = message_of(real, {{"model", "llama-3.1-8b"}, {"field", "vision"}});
  CHECK_THAT(message, ContainsSubstring("field vision"));
  CHECK_THAT(message, ContainsSubstring("llama-3.1-8b"));
  CHECK(message_of(real, {{"model", "resnet50"}, {"field", "vision"}}).empty());
  CHECK(message_of(real, {{"model", "mask-rcnn-r50-fpn"}, {"field", "vision"}}).empty());
  CHECK_FALSE(message_of(real, {{"model", "resnet50"}, {"field", "detection"}}).empty());
  CHECK_THAT(message_of(real, {{"field", "video"}}), ContainsSubstring("too little"));
  CHECK_FALSE(message_of(real, {{"field", "cooking"}, {"model", "resnet50"}}).empty());
}

TEST_CASE("beside a model the field changes nothing, and says so") {
  const RealCatalog real;
  const auto noted = [](const Request& request) {
    return std::any_of(request.findings.begin(), request.findings.end(),
                       [](const Finding& each) { return each.rule == "field-only-checks"; });
  };
  const Request both = real.resolve(advise::test::settings({{"model", "resnet50"}, {"field", "vision"}}));
  const Request alone = real.resolve(advise::test::settings({{"model", "resnet50"}}));
  CHECK(both.workload.batch == alone.workload.batch);
  CHECK(both.workload.precision == alone.workload.precision);
  CHECK(noted(both));
  CHECK_FALSE(noted(alone));
  CHECK_FALSE(noted(real.resolve(advise::test::settings({{"field", "vision"}}))));
}

TEST_CASE("a size in place of a model's name is a size") {
  const RealCatalog real;
  const Request seven = real.resolve(advise::test::settings({{"model", "7b"}, {"task", "infer"}}));
  CHECK(seven.model.params() == Approx(7e9).epsilon(0.05));
  CHECK(seven.origins[K::params] == Origin::inferred);
  const Request mixed = real.resolve(advise::test::settings({{"model", "27B Q4_K_M"}, {"task", "infer"}}));
  CHECK(mixed.model.params() == Approx(27e9).epsilon(0.05));
  CHECK(mixed.workload.precision.kind == PrecisionKind::gguf);
  CHECK_THAT(message_of(real, {{"model", "7b of something"}}), ContainsSubstring("unknown model"));
  CHECK_THAT(message_of(real, {{"model", "70"}}), ContainsSubstring("unknown model"));
}

TEST_CASE("a quantised precision beside adapters is that of the frozen base") {
  const RealCatalog real;
  const Request qlora = real.resolve(advise::test::settings({{"model", "llama-2-7b"}, {"method", "qlora"}, {"precision", "4bit"}}));
  REQUIRE(qlora.workload.weights);
  CHECK(qlora.workload.weights->kind == PrecisionKind::nf4);
  CHECK(qlora.workload.precision.kind == PrecisionKind::amp_bf16);
  const Request lora = real.resolve(advise::test::settings({{"model", "llama-2-7b"}, {"method", "lora"}, {"precision", "int8"}}));
  CHECK(lora.workload.weights->kind == PrecisionKind::int8);
  CHECK_FALSE(message_of(real, {{"model", "llama-2-7b"}, {"task", "finetune"}, {"precision", "nf4"}}).empty());
}

}  // namespace gpuadvise::workload
