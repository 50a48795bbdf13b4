#include "workload/engine_formats.hpp"

#include <array>
#include <cstdint>

namespace gpuadvise::workload {
namespace {

using P = PrecisionKind;
using Set = std::uint32_t;

constexpr Set bit(P kind) {
  return Set{1} << static_cast<unsigned>(kind);
}

constexpr Set k_plain = bit(P::fp32) | bit(P::tf32) | bit(P::amp_fp16) | bit(P::amp_bf16) | bit(P::fp16) | bit(P::bf16);
constexpr Set k_fp8 = bit(P::fp8) | bit(P::fp8_dynamic) | bit(P::fp8_weight_only) | bit(P::mxfp8);
constexpr Set k_fp4 = bit(P::fp4) | bit(P::mxfp4) | bit(P::nvfp4) | bit(P::fp6);
constexpr Set k_int =
    bit(P::int8) | bit(P::int8_dynamic) | bit(P::int8_weight_only) | bit(P::int4) | bit(P::int4_dynamic) | bit(P::int4_weight_only);
constexpr Set k_gptq = bit(P::int8_gptq) | bit(P::int4_gptq) | bit(P::int3_gptq);
constexpr Set k_awq = bit(P::int4_awq);
constexpr Set k_bnb = bit(P::nf4) | bit(P::hqq);
constexpr Set k_torch = k_plain | k_fp8 | k_fp4 | k_int | k_gptq | k_awq | k_bnb;
constexpr Set k_everything = ~Set{0};

struct EngineFormats {
  Engine engine;
  Set runs;
  bool trains;
  std::string_view hint;
};

// From the engines' lists of supported quantisations.
constexpr auto k_engines = std::to_array<EngineFormats>({
    {Engine::pytorch, k_torch, true, "fp32, bf16, fp16, fp8, int8, int4"},
    {Engine::transformers, k_torch, true, "bf16, fp16, fp8, int8, nf4, int4-awq, int4-gptq; gguf files need engine llama.cpp"},
    {Engine::vllm, k_torch | bit(P::gguf), false, "bf16, fp16, fp8, int8, int4-awq, int4-gptq, nvfp4, mxfp4"},
    {Engine::sglang, k_torch | bit(P::gguf), false, "bf16, fp16, fp8, int8, int4-awq, int4-gptq, nvfp4, mxfp4"},
    {Engine::tensorrt_llm, k_plain | k_fp8 | k_fp4 | k_int | k_gptq | k_awq, false, "bf16, fp16, fp8, int8, int4-awq, nvfp4"},
    {Engine::llama_cpp, k_plain | bit(P::gguf), false, "gguf:Q4_K_M, gguf:Q8_0, gguf:F16 and the other gguf types"},
    {Engine::exllama, k_plain | bit(P::exl2) | k_gptq, false, "exl2:4.0, int4-gptq, fp16"},
    {Engine::mlc_llm, k_plain | k_fp8 | k_int | k_awq | k_gptq, false, "int4, fp16, fp8"},
    {Engine::mlx, k_plain | bit(P::mlx) | bit(P::mxfp4), false, "mlx:4g64, mlx:8g64, bf16"},
    {Engine::autoawq, k_plain | k_awq, false, "int4-awq, fp16"},
    {Engine::gptq_for_llama, k_plain | k_gptq | bit(P::nf4), false, "int4-gptq, int8-gptq, fp16"},
    {Engine::diffusers, k_torch | bit(P::gguf), true, "fp16, bf16, fp8, int8, nf4"},
    {Engine::stable_diffusion_cpp, k_plain | bit(P::gguf), false, "gguf:Q8_0, gguf:Q4_0, fp16"},
    {Engine::openai_whisper, k_plain, false, "fp16, fp32"},
    {Engine::faster_whisper, k_plain | bit(P::int8), false, "fp16, int8"},
    {Engine::whisper_cpp, k_plain | bit(P::gguf), false, "fp16, gguf:Q5_0"},
    {Engine::tensorflow, k_plain | bit(P::int8), true, "fp32, tf32, amp-fp16"},
    {Engine::tensorrt, k_plain | k_fp8 | k_fp4 | k_int, false, "fp16, int8, fp8"},
    {Engine::other, k_everything, true, ""},
});

constexpr bool engines_in_order() {
  for (std::size_t i = 0; i < k_engines.size(); ++i) {
    if (static_cast<std::size_t>(k_engines[i].engine) != i) {
      return false;
    }
  }
  return k_engines.size() == static_cast<std::size_t>(Engine::other) + 1;
}
static_assert(engines_in_order());

constexpr Set k_trainable = k_plain | bit(P::fp8) | bit(P::fp8_dynamic) | bit(P::mxfp8) | bit(P::mxfp4) | bit(P::nvfp4) | bit(P::fp4);

const EngineFormats& formats_of(Engine engine) {
  return k_engines[static_cast<std::size_t>(engine)];
}

struct Equivalent {
  Engine engine;
  P loose;
  Precision own;
};

constexpr auto k_equivalents = std::to_array<Equivalent>({
    {Engine::llama_cpp, P::int4, {P::gguf, GgufMix::Q4_K_M, 0.0, 0.0}},
    {Engine::llama_cpp, P::int8, {P::gguf, GgufMix::Q8_0, 0.0, 0.0}},
    {Engine::llama_cpp, P::mxfp4, {P::gguf, GgufMix::MXFP4_MOE, 0.0, 0.0}},
    {Engine::stable_diffusion_cpp, P::int4, {P::gguf, GgufMix::Q4_0, 0.0, 0.0}},
    {Engine::stable_diffusion_cpp, P::int8, {P::gguf, GgufMix::Q8_0, 0.0, 0.0}},
    {Engine::whisper_cpp, P::int4, {P::gguf, GgufMix::Q4_0, 0.0, 0.0}},
    {Engine::whisper_cpp, P::int8, {P::gguf, GgufMix::Q8_0, 0.0, 0.0}},
    {Engine::exllama, P::int4, {P::int4_gptq, GgufMix::none, 0.0, 0.0}},
    {Engine::gptq_for_llama, P::int4, {P::int4_gptq, GgufMix::none, 0.0, 0.0}},
    {Engine::gptq_for_llama, P::int8, {P::int8_gptq, GgufMix::none, 0.0, 0.0}},
    {Engine::autoawq, P::int4, {P::int4_awq, GgufMix::none, 0.0, 0.0}},
    {Engine::mlx, P::int4, {P::mlx, GgufMix::none, 4.0, 64.0}},
    {Engine::mlx, P::int8, {P::mlx, GgufMix::none, 8.0, 64.0}},
});

}  // namespace

std::optional<Precision> engine_equivalent(Engine engine, const Precision& precision) {
  for (const Equivalent& row : k_equivalents) {
    if (row.engine == engine && row.loose == precision.kind) {
      return row.own;
    }
  }
  return std::nullopt;
}

Precision usual_quantised(Engine engine, int bits) {
  const bool library = engine == Engine::transformers || engine == Engine::diffusers;
  const bool server = engine == Engine::vllm || engine == Engine::sglang || engine == Engine::tensorrt_llm;
  const P four = library ? P::nf4 : server ? P::int4_awq : P::int4;
  const Precision plain{bits == 8 ? P::int8 : four, GgufMix::none, 0.0, 0.0};
  return engine_equivalent(engine, plain).value_or(plain);
}

bool by_bitsandbytes(Engine engine, const Precision& precision) {
  const bool library = engine == Engine::transformers || engine == Engine::diffusers;
  return library && (precision.kind == P::int8 || precision.kind == P::nf4);
}

bool engine_runs(Engine engine, const Precision& precision) {
  return (formats_of(engine).runs & bit(precision.kind)) != 0;
}

std::string_view engine_formats_hint(Engine engine) {
  return formats_of(engine).hint;
}

bool engine_trains(Engine engine) {
  return formats_of(engine).trains;
}

bool trains_in(const Precision& precision) {
  return (k_trainable & bit(precision.kind)) != 0;
}

}  // namespace gpuadvise::workload
