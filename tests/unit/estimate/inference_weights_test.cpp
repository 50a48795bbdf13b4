#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "estimate/memory/weights.hpp"
#include "unit/model/catalog_shape.hpp"

#include <optional>

using namespace gpuadvise;
using namespace gpuadvise::estimate;
using test::catalog_shape;

namespace {

Workload serving(PrecisionKind kind, Engine engine = Engine::vllm, double gpus = 1) {
  Workload w;
  w.task = Task::infer;
  w.field = Field::language;
  w.engine = engine;
  w.precision = {kind, GgufMix::none, 0, 0};
  w.gpus = gpus;
  return w;
}

double per_gpu_gib(std::string_view id, const Workload& w) {
  return weights_per_gpu(weight_bytes(w, catalog_shape(id)), device_split(w)) / k_gib;
}

}  // namespace

TEST_CASE("weights divide over tensor-parallel GPUs") {
  CHECK(per_gpu_gib("mixtral-8x7b", serving(PrecisionKind::fp16, Engine::vllm, 4)) == Approx(21.75).epsilon(0.002));
  CHECK(per_gpu_gib("llama-3-8b", serving(PrecisionKind::bf16)) == Approx(14.96).epsilon(0.002));  // vLLM pull request 10511
  CHECK(per_gpu_gib("llama-3-8b", serving(PrecisionKind::bf16, Engine::vllm, 2)) == Approx(7.48).epsilon(0.002));
  CHECK(per_gpu_gib("llama-3.1-8b", serving(PrecisionKind::bf16, Engine::vllm, 8)) == Approx(1.9028).epsilon(0.02));
  CHECK(per_gpu_gib("qwen3-30b-a3b", serving(PrecisionKind::bf16, Engine::vllm, 2)) == Approx(28.4767).epsilon(0.003));
}

TEST_CASE("an fp8 checkpoint keeps embeddings and head in 16 bits") {
  CHECK(per_gpu_gib("llama-3.3-70b", serving(PrecisionKind::fp8)) == Approx(67.72).epsilon(0.003));
  const Workload eight = serving(PrecisionKind::fp8, Engine::vllm, 8);
  CHECK(per_gpu_gib("llama-3.1-405b", eight) == Approx(47.74).epsilon(0.003));
  const std::optional<double> kept = checkpoint_extra_bytes_per_gpu(eight, catalog_shape("llama-3.1-405b"));
  REQUIRE(kept);
  CHECK(per_gpu_gib("llama-3.1-405b", eight) + *kept / k_gib == Approx(56.1).epsilon(0.003));
  CHECK(!checkpoint_extra_bytes_per_gpu(serving(PrecisionKind::bf16), catalog_shape("llama-3.1-405b")));
  CHECK(!checkpoint_extra_bytes_per_gpu(eight, catalog_shape("llama-3.3-70b")));
}

TEST_CASE("experts without a gate have two matrices") {
  TransformerShape gated = catalog_shape("mixtral-8x7b");
  TransformerShape plain = gated;
  plain.gated_mlp = false;
  const Workload w = serving(PrecisionKind::bf16);
  CHECK(weight_bytes(w, plain).experts == Approx(weight_bytes(w, gated).experts * 2 / 3));
  // A checkpoint with such experts: 31.58e9 parameters.
  CHECK(per_gpu_gib("nemotron-3-nano-30b-a3b", w) == Approx(2 * 31.577937344e9 / k_gib).epsilon(0.005));
}

TEST_CASE("MXFP4 reaches the experts alone and is stored in whole tiles by servers") {
  CHECK(per_gpu_gib("gpt-oss-120b", serving(PrecisionKind::mxfp4)) == Approx(64.38).epsilon(0.005));
  CHECK(per_gpu_gib("gpt-oss-120b", serving(PrecisionKind::mxfp4, Engine::transformers)) == Approx(60.77).epsilon(0.005));
}

TEST_CASE("the kernel that runs MXFP4 experts depends on the card, and with it the padding") {
  const auto gib = [](std::string_view card, double gpus = 1) {
    const Workload w = serving(PrecisionKind::mxfp4, Engine::vllm, gpus);
    return weights_per_gpu(weight_bytes(w, catalog_shape("gpt-oss-120b"), &test::catalog_gpu(card)), device_split(w)) / k_gib;
  };
  CHECK(gib("h100-80gb-sxm") == Approx(64.38).epsilon(0.005));
  CHECK(gib("a100-80gb-sxm") == Approx(65.97).epsilon(0.003));  // vLLM issue 23278: Marlin
  CHECK(gib("b200-sxm") > gib("a100-80gb-sxm"));
  // Half of 2880 fills tiles of its own.
  CHECK(2 * gib("a100-80gb-sxm", 2) > 1.03 * gib("a100-80gb-sxm"));
}

TEST_CASE("groups of GPTQ and AWQ carry scales and zero points") {
  const double plain = per_gpu_gib("qwen2.5-7b", serving(PrecisionKind::int4_awq));
  const TransformerShape& s = catalog_shape("qwen2.5-7b");
  const double body = s.params - 2 * s.vocab * s.hidden;
  const double expected = (body * (4 + 20.0 / 128) / 8 + 2 * s.vocab * s.hidden * 2) / k_gib;
  CHECK(plain == Approx(expected).epsilon(0.001));
  CHECK(per_gpu_gib("qwen2.5-7b", serving(PrecisionKind::int4_gptq)) > plain);  // the order index
}

TEST_CASE("a tied matrix is stored once, an FP8 file of a tied model holds a head") {
  const TransformerShape& s = catalog_shape("qwen3-0.6b");
  const WeightBytes plain = weight_bytes(serving(PrecisionKind::bf16), s);
  CHECK(plain.head == 0);
  CHECK(weight_bytes(serving(PrecisionKind::fp8), s).head == Approx(2 * s.vocab * s.hidden));
  CHECK(weight_bytes(serving(PrecisionKind::int4_awq), s).untied_head == Approx(2 * s.vocab * s.hidden));
}

TEST_CASE("few key heads are copied, latent keys are on every rank") {
  CHECK(kv_share_of_rank(catalog_shape("qwen3-235b-a22b"), 4) == 0.25);
  CHECK(kv_share_of_rank(catalog_shape("qwen3-235b-a22b"), 16) == 0.25);
  CHECK(kv_share_of_rank(catalog_shape("deepseek-v3"), 8) == 1.0);
}

TEST_CASE("layers kept on the GPU bring their share of the weights and of the cache") {
  Workload w = serving(PrecisionKind::gguf, Engine::llama_cpp);
  w.precision.mix = GgufMix::Q4_K_M;
  const WeightBytes weights = weight_bytes(w, catalog_shape("llama-3.1-70b"));
  w.offload = {OffloadKind::layers, 40};
  const WeightPlacement half = place_weights(weights, device_split(w), w);
  CHECK(half.gpu == Approx(weights.layers / 2));
  CHECK(half.kv_share == Approx(0.5));
  CHECK(half.host + half.gpu == Approx(weights.total()));
  w.offload.layers_on_gpu = 81;
  CHECK(place_weights(weights, device_split(w), w).gpu == Approx(weights.total()));
}

TEST_CASE("experts can stay on the host") {
  Workload w = serving(PrecisionKind::gguf, Engine::llama_cpp);
  w.precision.mix = GgufMix::Q4_K_M;
  w.offload.kind = OffloadKind::params;
  const WeightBytes weights = weight_bytes(w, catalog_shape("deepseek-v3"));
  const WeightPlacement place = place_weights(weights, device_split(w), w);
  CHECK(place.gpu < 20 * k_gib);
  CHECK(place.host > 350 * k_gib);
}
