// Engines against figures that their logs print.
#include <gpuadvise/estimate.hpp>
#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "estimate/memory/fit.hpp"
#include "estimate/memory/inference_memory.hpp"
#include "unit/model/catalog_shape.hpp"

#include <algorithm>

using namespace gpuadvise;
using namespace gpuadvise::estimate;
using test::catalog_gpu;
using test::catalog_pipeline;
using test::catalog_shape;

namespace {

Workload request(Engine engine, PrecisionKind kind, double prompt, double answer) {
  Workload w;
  w.task = Task::infer;
  w.field = Field::language;
  w.engine = engine;
  w.precision = {kind, GgufMix::none, 0, 0};
  w.prompt_len = prompt;
  w.gen_len = answer;
  w.seq = prompt + answer;
  return w;
}

Workload serving(PrecisionKind kind, double gpus) {
  Workload w = request(Engine::vllm, kind, 7680, 512);
  w.gpus = gpus;
  w.strategy = gpus > 1 ? Strategy::tp : Strategy::none;
  return w;
}

Fit fit_on(std::string_view model, std::string_view gpu_id, const Workload& w) {
  const Gpu& gpu = catalog_gpu(gpu_id);
  const MemoryFigures memory = inference_memory(w, catalog_shape(model), &gpu, nullptr);
  return fit(memory, visible_bytes(gpu), usable_bytes(gpu, default_use(gpu, false)));
}

Verdict verdict(std::string_view model, std::string_view gpu_id, const Workload& w) {
  return fit_on(model, gpu_id, w).verdict;
}

double chance(std::string_view model, std::string_view gpu_id, const Workload& w) {
  return fit_on(model, gpu_id, w).probability;
}

}  // namespace

TEST_CASE("vLLM's pool is what its share of the card leaves") {
  Workload w = serving(PrecisionKind::bf16, 1);
  w.gpu_memory_gib = 79.18;
  Capacity capacity;
  const MemoryFigures one = inference_memory(w, catalog_shape("llama-3.1-8b"), &catalog_gpu("h100-80gb-sxm"), &capacity);
  CHECK(one.components.activations / k_gib == Approx(4.76).epsilon(0.01));
  CHECK(one.components.kv_cache / k_gib == Approx(51.38).epsilon(0.01));
  REQUIRE(capacity.kv_tokens);
  CHECK(*capacity.kv_tokens * 128 * k_kib / k_gib == Approx(51.38).epsilon(0.01));
  w.gpus = 2;
  w.strategy = Strategy::tp;
  const MemoryFigures two = inference_memory(w, catalog_shape("qwen3-32b"), &catalog_gpu("h100-80gb-sxm"), nullptr);
  CHECK(two.components.weights / k_gib == Approx(30.59).epsilon(0.003));
  CHECK(two.components.kv_cache / k_gib == Approx(34.49).epsilon(0.01));
}

TEST_CASE("SGLang's pool is its share of what was free, less the weights") {
  // sglang pull request 4826: Gemma-3-4B on an H200 of 139.8 GiB, 834615 tokens; a vision tower lowers the default share, which was
  // 0.88 of every card then and is 0.907 of this one since
  Workload w = request(Engine::sglang, PrecisionKind::bf16, 7680, 512);
  Capacity capacity;
  static_cast<void>(inference_memory(w, catalog_shape("gemma-3-4b"), &catalog_gpu("h200-141gb-sxm"), &capacity));
  REQUIRE(capacity.kv_tokens);
  CHECK(*capacity.kv_tokens == Approx(834615).epsilon(0.02));
  // vLLM issue 21348: Qwen3-235B-A22B in FP8 on 4 H100, share 0.93, 367404 tokens
  w = request(Engine::sglang, PrecisionKind::fp8, 7680, 512);
  w.gpus = 4;
  w.strategy = Strategy::tp;
  w.gpu_memory_utilization = 0.93;
  static_cast<void>(inference_memory(w, catalog_shape("qwen3-235b-a22b"), &catalog_gpu("h100-80gb-sxm"), &capacity));
  CHECK(*capacity.kv_tokens == Approx(367404).epsilon(0.02));
}

TEST_CASE("SGLang leaves free what a card of its size needs for a chunk and its graphs") {
  const auto pool_and_weights_gib = [](std::string_view card, double gpus) {
    Workload w = request(Engine::sglang, PrecisionKind::bf16, 7680, 512);
    w.gpus = gpus;
    w.strategy = gpus > 1 ? Strategy::tp : Strategy::none;
    const MemoryComponents c = inference_memory(w, catalog_shape("llama-3.1-8b"), &catalog_gpu(card), nullptr).components;
    return (c.kv_cache + c.weights) / k_gib;
  };
  // 512 MiB, 1.5 a token of the chunk, 2 a sequence of the largest graph, 128 a rank; of what is free before loading
  CHECK(pool_and_weights_gib("rtx-4090", 1) / (23.65 - 0.55) == Approx(1 - (512 + 3072 + 48 + 128) / 24564.0).epsilon(0.005));
  CHECK(pool_and_weights_gib("h100-80gb-sxm", 1) / (79.18 - 0.55) == Approx(1 - (512 + 12288 + 512 + 128) / 81559.0).epsilon(0.005));
  CHECK(pool_and_weights_gib("h100-80gb-sxm", 8) / (79.18 - 1.9) == Approx(1 - (512 + 12288 + 1024 + 1024) / 81559.0).epsilon(0.005));
}

TEST_CASE("a server that profiles few tokens samples few sequences, and a window's pages come back") {
  Workload w = serving(PrecisionKind::bf16, 1);
  w.max_num_batched_tokens = 128;
  w.seq = 128;
  const TransformerShape& llama = catalog_shape("llama-3.1-8b");
  const double few = inference_memory(w, llama, &catalog_gpu("rtx-4090"), nullptr).components.activations;
  CHECK(few == Approx(38.9 * llama.vocab * 128));
  const auto asked = [](const TransformerShape& s, double prompt) {
    Workload long_prompt = request(Engine::vllm, PrecisionKind::bf16, prompt, 512);
    return inference_memory(long_prompt, s, nullptr, nullptr).components.kv_cache;
  };
  const TransformerShape& gemma = catalog_shape("gemma-3-27b");
  TransformerShape all_global = gemma;
  all_global.sliding_layers = 0;
  CHECK(asked(gemma, 1024) < asked(gemma, 65536));
  CHECK(asked(gemma, 65536) < 0.3 * asked(all_global, 65536));
  Capacity windows;
  Capacity whole;
  w = request(Engine::vllm, PrecisionKind::bf16, 65024, 512);
  static_cast<void>(inference_memory(w, gemma, &catalog_gpu("h200-141gb-sxm"), &windows));
  static_cast<void>(inference_memory(w, all_global, &catalog_gpu("h200-141gb-sxm"), &whole));
  CHECK(*windows.max_concurrency > 3 * *whole.max_concurrency);
  CHECK(*windows.kv_tokens < *whole.kv_tokens);  // 70 layers of pages for 62
}

TEST_CASE("what vLLM reserves is not what the work needs") {
  const MemoryFigures memory =
      inference_memory(serving(PrecisionKind::bf16, 1), catalog_shape("qwen2.5-0.5b"), &catalog_gpu("h100-80gb-sxm"), nullptr);
  CHECK(memory.device.expected > 0.88 * 79 * k_gib);
  CHECK(memory.need.expected < 12 * k_gib);
  CHECK(memory.need.expected > memory.allocated.expected);
}

TEST_CASE("vLLM's profiling run sends an image through the vision tower") {
  const auto activations_gib = [](Engine engine, std::string_view id) {
    Workload w = serving(PrecisionKind::bf16, 1);
    w.engine = engine;
    return inference_memory(w, catalog_shape(id), &catalog_gpu("a100-80gb-sxm"), nullptr).components.activations / k_gib;
  };
  const double text = activations_gib(Engine::vllm, "qwen2.5-7b");
  // 65536 patches of 1280: more than the sampler's 256 sequences, and no more than the largest log shows
  CHECK(activations_gib(Engine::vllm, "qwen2.5-vl-7b") > 2 * text);
  CHECK(activations_gib(Engine::vllm, "qwen2.5-vl-7b") < 6.9);
  CHECK(activations_gib(Engine::sglang, "qwen2.5-vl-7b") < 2 * text);
}

TEST_CASE("a shape read as the nearest family's has a wider range, weights of a file keep theirs") {
  TransformerShape shape = catalog_shape("llama-3.1-8b");
  const Workload w = request(Engine::transformers, PrecisionKind::bf16, 3840, 256);
  const Interval known = inference_memory(w, shape, nullptr, nullptr).allocated;
  shape.nearest_family = true;
  const Interval counted = inference_memory(w, shape, nullptr, nullptr).allocated;
  shape.stored = {"bf16", 2 * shape.params, 2 * shape.vocab * shape.hidden, 2 * shape.vocab * shape.hidden};
  const Interval of_file = inference_memory(w, shape, nullptr, nullptr).allocated;
  const auto width = [](const Interval& i) { return i.high / i.low; };
  CHECK(counted.expected == Approx(known.expected));
  CHECK(width(counted) > 1.2 * width(known));
  CHECK(width(of_file) > 1.02 * width(known));
  CHECK(width(of_file) < 0.9 * width(counted));
}

TEST_CASE("llama.cpp's compute buffer holds the logits of a micro-batch, or the scores of a layer") {
  Workload w = request(Engine::llama_cpp, PrecisionKind::gguf, 32256, 512);
  w.precision.mix = GgufMix::Q4_K_M;
  w.flash_attn = true;
  const auto buffer_mib = [&w](std::string_view id) {
    return inference_memory(w, catalog_shape(id), nullptr, nullptr).components.workspace / k_mib;
  };
  CHECK(buffer_mib("gemma-3-27b") == Approx(522.6).epsilon(0.001));
  CHECK(buffer_mib("glm-4-32b-0414") == Approx(308.0).epsilon(0.001));
  w.flash_attn = false;
  w.prompt_len = 15872;
  w.seq = 16384;
  CHECK(buffer_mib("qwen3-32b") == Approx(2136).epsilon(0.003));
}

// XiongjieDai/GPU-Benchmarks-on-LLM-Inference measured both: 8B in F16 on one RTX 4080 of 16 GB, 70B in F16 over six RTX 3090.
TEST_CASE("llama.cpp keeps the look-up table on the host and deals out the head as a layer") {
  Workload w = request(Engine::llama_cpp, PrecisionKind::gguf, 256, 256);
  w.precision.mix = GgufMix::F16;
  w.flash_attn = true;
  CHECK(chance("llama-3-8b", "rtx-4080", w) > 0.05);
  const TransformerShape& shape = catalog_shape("llama-3-8b");
  const MemoryFigures one = inference_memory(w, shape, nullptr, nullptr);
  const double table = 2.0 * shape.vocab * shape.hidden;
  CHECK(one.components.weights + one.components.kv_cache + one.components.workspace - one.allocated.expected ==
        Approx(table).epsilon(0.01));
  CHECK(one.host_bytes == Approx(table).epsilon(0.01));
  w.gpus = 6;
  w.strategy = Strategy::layer_split;
  CHECK(chance("llama-3-70b", "rtx-3090", w) > 0.05);
  const TransformerShape& large = catalog_shape("llama-3-70b");
  const MemoryFigures six = inference_memory(w, large, nullptr, nullptr);
  const double layer = (2.0 * large.params - 4.0 * large.vocab * large.hidden) / 80.0;
  const double beside = six.components.workspace + six.components.kv_cache * 6.0 * 14.0 / 80.0;
  CHECK(six.allocated.expected - beside == Approx(14.0 * layer).epsilon(0.003));
  w.gpus = 2;  // 41 layers against 39 and the head
  const MemoryFigures two = inference_memory(w, large, nullptr, nullptr);
  const double head = 2.0 * large.vocab * large.hidden;
  CHECK(two.allocated.expected - two.components.workspace - two.components.kv_cache * 2.0 * 41.0 / 80.0 ==
        Approx(std::max(41.0 * layer, 39.0 * layer + head)).epsilon(0.003));
}

TEST_CASE("llama.cpp copies matrices that lie on the host for large batches") {
  Workload w = request(Engine::llama_cpp, PrecisionKind::gguf, 7680, 512);
  w.precision.mix = GgufMix::Q4_K_M;
  w.flash_attn = true;
  const auto buffer_mib = [&w](std::string_view id, const Gpu* gpu = nullptr) {
    return inference_memory(w, catalog_shape(id), gpu, nullptr).components.workspace / k_mib;
  };
  w.offload = {OffloadKind::layers, 20};
  // Logits of 512 tokens and a head in Q6_K, as logs print it.
  CHECK(buffer_mib("llama-3.1-8b") == Approx(669.48).epsilon(0.0005));
  CHECK(buffer_mib("llama-3.1-8b", &catalog_gpu("apple-m1-max-32core")) < 100);  // one memory: nothing to copy
  w.offload.layers_on_gpu = 33;
  CHECK(buffer_mib("llama-3.1-8b") < 300);
  w.offload.layers_on_gpu = 20;
  w.n_ubatch = 16;  // a small batch runs where its weights are
  CHECK(buffer_mib("llama-3.1-8b") < 100);
  w.n_ubatch = 2048;
  w.offload = {OffloadKind::params, 0};
  w.precision.mix = GgufMix::Q8_0;
  // 128 experts of 1536 x 4096, one of the three matrices of a layer, against 1.2 GiB of logits; small batches show it alone
  w.n_ubatch = 512;
  CHECK(buffer_mib("qwen3-235b-a22b") == Approx(816 + 4).epsilon(0.01));
}

TEST_CASE("a card tells how many tokens it could hold beside the weights") {
  Workload w = request(Engine::llama_cpp, PrecisionKind::gguf, 7680, 512);
  w.precision.mix = GgufMix::Q4_K_M;
  w.flash_attn = true;
  Capacity capacity;
  static_cast<void>(inference_memory(w, catalog_shape("llama-3.1-8b"), &catalog_gpu("rtx-3090"), &capacity));
  REQUIRE(capacity.kv_tokens);
  // (23.6 - 0.55) / 1.06 - 4.9 GiB at 128 KiB a token
  CHECK(*capacity.kv_tokens == Approx(138000).epsilon(0.03));
  Capacity unknown;
  static_cast<void>(inference_memory(w, catalog_shape("llama-3.1-8b"), nullptr, &unknown));
  CHECK_FALSE(unknown.kv_tokens);
}

TEST_CASE("transformers peaks in the prefill of a long prompt") {
  // Qwen2.5 speed benchmark, A100 80 GB: 14,336 tokens of prompt, 2,048 of answer
  const MemoryFigures memory = inference_memory(request(Engine::transformers, PrecisionKind::bf16, 14336, 2048),
                                                catalog_shape("qwen2.5-3b"), &catalog_gpu("a100-80gb-sxm"), nullptr);
  CHECK(memory.allocated.expected / k_gib == Approx(7.47).epsilon(0.02));
  CHECK(memory.steady->expected < memory.allocated.expected);
}

TEST_CASE("logits of the whole prompt outweigh the cache") {
  Workload w = request(Engine::transformers, PrecisionKind::bf16, 30720, 2048);
  w.full_seq_logits = true;
  const MemoryFigures memory = inference_memory(w, catalog_shape("qwen2-0.5b"), &catalog_gpu("a100-80gb-sxm"), nullptr);
  CHECK(memory.allocated.expected / k_gib == Approx(27.61).epsilon(0.02));
}

TEST_CASE("a decode step keeps the cache of all tokens") {
  // Qwen3 speed benchmark, H20: memory at the end of decoding
  const MemoryFigures memory = inference_memory(request(Engine::transformers, PrecisionKind::bf16, 14336, 2048), catalog_shape("qwen3-14b"),
                                                &catalog_gpu("h20-96gb"), nullptr);
  CHECK(memory.steady->expected / k_gib == Approx(30.05).epsilon(0.01));
}

TEST_CASE("whether large models fit nodes of eight") {
  CHECK(verdict("deepseek-v3", "h100-80gb-sxm", serving(PrecisionKind::fp8, 8)) == Verdict::no);
  CHECK(verdict("deepseek-v3", "h200-141gb-sxm", serving(PrecisionKind::fp8, 8)) == Verdict::fits);
  CHECK(verdict("llama-3.1-405b", "h100-80gb-sxm", serving(PrecisionKind::fp8, 8)) == Verdict::fits);
  CHECK(verdict("mixtral-8x7b", "rtx-4090", serving(PrecisionKind::fp16, 4)) == Verdict::no);
  CHECK(verdict("mixtral-8x7b", "rtx-4090", serving(PrecisionKind::int4_awq, 4)) == Verdict::fits);
}

TEST_CASE("FLUX.1: the decoder of a batch, or the 16-bit pipeline before it is quantised, decides") {
  Workload w;
  w.task = Task::infer;
  w.field = Field::diffusion;
  w.engine = Engine::diffusers;
  w.image = {1, 1024, 1024};
  w.precision = {PrecisionKind::bf16, GgufMix::none, 0, 0};
  const DiffusionPipeline& flux = catalog_pipeline("flux.1-dev");
  const auto peak_gib = [&]() { return diffusion_inference_memory(w, flux, &catalog_gpu("h100-80gb-sxm")).allocated.expected / k_gib; };
  w.batch = 8;
  CHECK(peak_gib() == Approx(47.509).epsilon(0.01));
  w.precision.kind = PrecisionKind::int8_weight_only;
  w.batch = 1;
  CHECK(peak_gib() == Approx(31.607).epsilon(0.01));
  w.fuse_qkv = true;
  CHECK(peak_gib() == Approx(35.617).epsilon(0.01));
  const MemoryFigures memory = diffusion_inference_memory(w, flux, nullptr);
  CHECK(memory.components.weights / k_gib == Approx(22.396).epsilon(0.01));
}

TEST_CASE("offloading whole components leaves the largest on the card") {
  Workload w;
  w.task = Task::infer;
  w.field = Field::diffusion;
  w.engine = Engine::diffusers;
  w.precision = {PrecisionKind::bf16, GgufMix::none, 0, 0};
  const DiffusionPipeline& flux = catalog_pipeline("flux.1-dev");
  const double resident = diffusion_inference_memory(w, flux, nullptr).allocated.expected;
  w.offload.kind = OffloadKind::model;
  const MemoryFigures model = diffusion_inference_memory(w, flux, nullptr);
  w.offload.kind = OffloadKind::sequential;
  const MemoryFigures sequential = diffusion_inference_memory(w, flux, nullptr);
  CHECK(model.allocated.expected < resident);
  CHECK(model.allocated.expected > 2 * flux.denoiser_params);
  CHECK(sequential.allocated.expected < model.allocated.expected);
  CHECK(model.host_bytes > 30 * k_gib);
}

TEST_CASE("a decoder in tiles") {
  Workload w;
  w.task = Task::infer;
  w.field = Field::diffusion;
  w.engine = Engine::diffusers;
  w.precision = {PrecisionKind::fp16, GgufMix::none, 0, 0};
  SECTION("a clip of CogVideoX-2B fits a 4 GB card, as its model card says of sequential offload with tiling and slicing") {
    w.offload.kind = OffloadKind::sequential;
    w.vae_tiling = true;
    CHECK(diffusion_inference_memory(w, catalog_pipeline("cogvideox-2b"), nullptr).allocated.expected / k_gib == Approx(3.6).epsilon(0.15));
  }
  SECTION("one image of the size of a tile gains nothing, four are decoded one by one") {
    const DiffusionPipeline& sdxl = catalog_pipeline("sdxl");
    const auto allocated = [&](double batch, bool tiling) {
      w.batch = batch;
      w.vae_tiling = tiling;
      return diffusion_inference_memory(w, sdxl, nullptr).allocated.expected;
    };
    CHECK(allocated(1, true) == allocated(1, false));
    CHECK(allocated(4, true) < allocated(4, false) - 5 * k_gib);
  }
}

TEST_CASE("ports of Whisper on an RTX 3070 Ti") {
  // SYSTRAN/faster-whisper README: large-v2, beam 5, totals of the driver's tool
  const TransformerShape& whisper = catalog_shape("whisper-large-v2");
  const Gpu& gpu = catalog_gpu("rtx-3070-ti");
  Workload w = request(Engine::faster_whisper, PrecisionKind::fp16, 0, 448);
  const auto device_gib = [&]() { return inference_memory(w, whisper, &gpu, nullptr).device.expected / k_gib; };
  CHECK(device_gib() == Approx(4.42).epsilon(0.04));
  w.batch = 8;
  CHECK(device_gib() == Approx(5.95).epsilon(0.04));
  w.batch = 1;
  w.precision.kind = PrecisionKind::int8;
  CHECK(device_gib() == Approx(2.86).epsilon(0.05));
  w = request(Engine::whisper_cpp, PrecisionKind::fp16, 0, 448);
  CHECK(device_gib() == Approx(4.03).epsilon(0.04));
}

TEST_CASE("engines with a static cache") {
  // casper-hansen/AutoAWQ README, RTX 4090
  Workload awq = request(Engine::autoawq, PrecisionKind::int4_awq, 2048, 2048);
  CHECK(inference_memory(awq, catalog_shape("mistral-7b-v0.1"), nullptr, nullptr).allocated.expected / k_gib == Approx(5.55).epsilon(0.04));
  awq.batch = 8;
  CHECK(inference_memory(awq, catalog_shape("mistral-7b-v0.1"), nullptr, nullptr).allocated.expected / k_gib ==
        Approx(16.82).epsilon(0.04));
  // turboderp/exllama README, without the context of CUDA
  const Workload exllama = request(Engine::exllama, PrecisionKind::int4_gptq, 1536, 512);
  CHECK(inference_memory(exllama, catalog_shape("llama-1-7b"), nullptr, nullptr).allocated.expected / k_gib == Approx(5.07).epsilon(0.04));
  // Layers that stay on the host take the look-up table with them, and it is left out once.
  Workload split = exllama;
  split.offload = {gpuadvise::OffloadKind::layers, 0};
  const auto none = inference_memory(split, catalog_shape("llama-1-7b"), nullptr, nullptr);
  CHECK(none.components.weights == 0.0);
  split.offload.layers_on_gpu = 16;
  const auto half = inference_memory(split, catalog_shape("llama-1-7b"), nullptr, nullptr);
  const auto whole = inference_memory(exllama, catalog_shape("llama-1-7b"), nullptr, nullptr);
  CHECK(half.components.weights > 0.45 * whole.components.weights);
  CHECK(half.components.weights < 0.5 * whole.components.weights);
  // ml-explore/mlx-lm BENCHMARKS.md, prompt 2048 and 128 generated
  Workload mlx = request(Engine::mlx, PrecisionKind::mlx, 2048, 128);
  mlx.precision = {PrecisionKind::mlx, GgufMix::none, 4, 64};
  CHECK(inference_memory(mlx, catalog_shape("qwen3-30b-a3b"), nullptr, nullptr).allocated.expected / k_gib == Approx(16.95).epsilon(0.03));
}

TEST_CASE("loading an AWQ file joins projections: old and new are alive together") {
  // AutoAWQ README: 8.47 GiB for Llama-2-13B with 128 tokens, 6.75 GiB of weights
  const Workload w = request(Engine::autoawq, PrecisionKind::int4_awq, 64, 64);
  const MemoryFigures memory = inference_memory(w, catalog_shape("llama-2-13b"), nullptr, nullptr);
  CHECK(memory.components.weights / k_gib == Approx(6.75).epsilon(0.01));
  CHECK(memory.allocated.expected / k_gib == Approx(8.47).epsilon(0.03));
}

TEST_CASE("Requests in flight hold a cache each in every engine, not only in servers") {
  for (const Engine engine : {Engine::transformers, Engine::llama_cpp, Engine::exllama, Engine::vllm}) {
    const PrecisionKind kind = engine == Engine::llama_cpp ? PrecisionKind::gguf : PrecisionKind::bf16;
    Workload w = request(engine, kind, 3584, 512);
    w.precision.mix = engine == Engine::llama_cpp ? GgufMix::Q4_K_M : GgufMix::none;
    const double one = inference_memory(w, catalog_shape("llama-3.1-8b"), &catalog_gpu("h100-80gb-sxm"), nullptr).need.expected;
    w.concurrency = 32;
    const double many = inference_memory(w, catalog_shape("llama-3.1-8b"), &catalog_gpu("h100-80gb-sxm"), nullptr).need.expected;
    CHECK((many - one) / k_gib > 31 * 0.4);  // 4096 tokens of 128 KiB are 0.5 GiB
  }
}
