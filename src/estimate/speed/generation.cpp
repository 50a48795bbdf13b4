#include "estimate/speed/generation.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/parallel.hpp"
#include "estimate/speed/transformer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

constexpr double k_short_context = 300.0;  // chat-sized tests
constexpr double k_usual_prompt = 512.0;
constexpr double k_prompt_block = 512.0;  // llama.cpp's n_ubatch

struct EngineRow {
  Engine engine;
  std::size_t efficiency;
  std::size_t layer;
};

// Share of the effective bandwidth that weights stream at, and host time a layer and token.
constexpr std::array<EngineRow, 10> k_engines = {{
    {Engine::llama_cpp, row("decode.efficiency.llama_cpp"), row("decode.layer.llama_cpp")},
    {Engine::exllama, row("decode.efficiency.exllama"), row("decode.layer.exllama")},
    {Engine::mlc_llm, row("decode.efficiency.mlc_llm"), row("decode.layer.mlc_llm")},
    {Engine::mlx, row("decode.efficiency.mlx"), row("decode.layer.mlx")},
    {Engine::sglang, row("decode.efficiency.sglang"), row("decode.layer.sglang")},
    {Engine::vllm, row("decode.efficiency.vllm"), row("decode.layer.vllm")},
    {Engine::tensorrt_llm, row("decode.efficiency.vllm"), row("decode.layer.sglang")},
    {Engine::transformers, row("decode.efficiency.transformers"), row("decode.layer.transformers")},
    {Engine::other, row("decode.efficiency.llama_cpp"), row("decode.layer.llama_cpp")},
    {Engine::whisper_cpp, row("decode.efficiency.llama_cpp"), row("decode.layer.llama_cpp")},  // the same kernels
}};

const EngineRow& engine_row(Engine engine) {
  for (const EngineRow& entry : k_engines) {
    if (entry.engine == engine) {
      return entry;
    }
  }
  return k_engines[7];  // eager PyTorch and what builds on it
}

bool quantised_weights(const Precision& precision) {
  return weight_bits(precision) < 15.0;
}

double weight_sigma(const Precision& precision) {
  return constant(quantised_weights(precision) ? row("traffic.weights_quantised") : row("traffic.weights_16bit"));
}

// Apple's first two generations cannot unpack integers while they multiply: unpacking adds to the time of the stream.
double unpacking_seconds(const Precision& precision, const TransformerShape& shape, const Gpu& gpu) {
  const bool serial = gpu.vendor == Vendor::apple && (gpu.architecture == "M1" || gpu.architecture == "M2");
  if (!serial || !quantised_weights(precision)) {
    return 0.0;
  }
  return matmul_params(shape) * constant(row("decode.apple_unpacking")) * 1e-12 / gpu.tflops.fp32.value_or(5.0);
}

// bitsandbytes starts several kernels a matrix: activations are quantised and their outliers multiplied apart, or weights unpacked first.
double unpacking_launches(const Workload& workload) {
  if (engine_row(workload.engine).engine != Engine::transformers) {
    return 1.0;
  }
  switch (workload.precision.kind) {
    case PrecisionKind::int8:
      return constant(row("decode.bitsandbytes.int8"));
    case PrecisionKind::nf4:
    case PrecisionKind::fp4:
    case PrecisionKind::int4:
      return constant(row("decode.bitsandbytes.nf4"));
    default:
      return 1.0;
  }
}

// Short kernels end when their last threads do, which takes cycles: a card of half the clock needs twice the time. Where the
// host is slower than that, its time counts.
double kernel_slowness(const Workload& workload, const Gpu& gpu) {
  const double slow_host = gpu.vendor == Vendor::apple ? constant(row("decode.apple_launch")) : 1.0;
  const bool host_bound = engine_row(workload.engine).engine == Engine::transformers;
  return slow_host * (host_bound ? 1.0 : 2.0 / clock_ghz(gpu));
}

}  // namespace

bool serves_many(Engine engine) {
  return engine == Engine::vllm || engine == Engine::sglang || engine == Engine::tensorrt_llm;
}

double tensor_group(const Workload& workload) {
  if (workload.tp > 1.0) {
    return workload.tp;
  }
  if (workload.pp > 1.0 || workload.strategy == Strategy::layer_split || workload.strategy == Strategy::pp ||
      workload.strategy == Strategy::ddp) {
    return 1.0;
  }
  const bool splits_tensors = serves_many(workload.engine) || workload.engine == Engine::mlc_llm || workload.strategy == Strategy::tp;
  return splits_tensors ? workload.all_gpus() : 1.0;
}

double mean_context(const Workload& workload) {
  if (workload.given.lengths && workload.prompt_len + workload.gen_len > 0.0) {
    return workload.prompt_len + workload.gen_len / 2.0;
  }
  return workload.given.seq ? workload.seq / 2.0 : k_short_context;
}

double prompt_tokens(const Workload& workload) {
  if (workload.given.lengths && workload.prompt_len > 0.0) {
    return workload.prompt_len;
  }
  return workload.given.seq ? std::max(workload.seq, 1.0) : k_usual_prompt;
}

std::optional<StepTime> decode_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu,
                                    const StreamedWeights& weights) {
  if (!(gpu.memory_bandwidth_gb_s > 0.0) || !(shape.params > 0.0)) {
    return std::nullopt;
  }
  const EngineRow& engine = engine_row(workload.engine);
  const double group = tensor_group(workload);
  const double inverse_bandwidth = 1e-12 * seconds_per_terabyte(gpu, weight_sigma(workload.precision), true) / maturity(gpu).decode;
  // Experts are gathered in small pieces.
  const double pieces = shape.moe.experts > 0.0 ? constant(row("decode.experts")) : 1.0;
  const bool apple = gpu.vendor == Vendor::apple;
  StepTime time;
  time.traffic = weights.active / group * inverse_bandwidth / (constant(engine.efficiency) * pieces) +
                 kv_sequence_bytes(shape, workload.kv_precision, mean_context(workload)) / group * inverse_bandwidth /
                     constant(apple ? row("decode.kv_efficiency.apple") : row("decode.kv_efficiency"));
  time.compute = unpacking_seconds(workload.precision, shape, gpu);
  time.kernels = stacked_layers(shape) * constant(engine.layer) * 1e-6 * kernel_slowness(workload, gpu) * unpacking_launches(workload);
  if (group > 1.0) {
    const Link link = group_link(gpu, workload, group);
    const double latency = 1e-6 * constant(link.switched ? row("decode.all_reduce.link") : row("decode.all_reduce.pcie"));
    // A few kilobytes: their transfer counts on a network only.
    const double volume = group > cluster_of(workload, gpu).per_node ? 4.0 * shape.hidden / (link.all_reduce_gb_s * 1e9) : 0.0;
    time.communication = 2.0 * stacked_layers(shape) * (latency + volume);
  }
  return time;
}

std::optional<StepTime> prefill_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu,
                                     const StreamedWeights& weights) {
  const bool quantised = quantised_weights(workload.precision);
  const bool local = !serves_many(workload.engine);
  const bool block_kernels = workload.engine == Engine::llama_cpp || workload.engine == Engine::mlx || workload.engine == Engine::exllama;
  const Rate rate = block_kernels ? full_accumulate_rate(gpu, quantised) : sustained_rate(gpu, inference_path(workload.precision));
  if (!(rate.tflops > 0.0) || !(shape.params > 0.0)) {
    return std::nullopt;
  }
  double efficiency = constant(row("prefill.engine.server"));
  if (block_kernels) {
    efficiency = constant(quantised ? row("prefill.efficiency.quantised") : row("prefill.efficiency.half"));
  }
  // llama.cpp's attention kernels against the fused ones of servers and PyTorch, which compute in 16 bits.
  const double half = sustained_rate(gpu, MathPath::half).tflops;
  const double attention =
      block_kernels || !(half > 0.0) ? constant(row("prefill.attention")) * rate.tflops : constant(row("serving.attention")) * half;
  const double prompt = prompt_tokens(workload);
  const double block = std::min(prompt, k_prompt_block);
  const double inverse_bandwidth = 1e-12 * seconds_per_terabyte(gpu, constant(row("traffic.weights_quantised")), true);
  StepTime time;
  time.compute = 2e-12 * matmul_params(shape) / (efficiency * maturity(gpu).prefill * rate.tflops) +
                 2e-12 * attention_macs(shape, prompt / 2.0) / attention;
  time.traffic = weights.stored * inverse_bandwidth / block;
  time.kernels = stacked_layers(shape) * constant(row("prefill.layer")) * 1e-6 / block;
  const double cards = workload.all_gpus();
  const double group = tensor_group(workload);
  if (group > 1.0) {
    const Link link = group_link(gpu, workload, group);
    time = time.scaled(1.0 / group);
    time.communication = tensor_parallel_seconds(link, group, shape.hidden * 2.0, 2.0 * stacked_layers(shape));
  } else if (local && cards > 1.0) {
    // Blocks of the prompt follow each other through the cards.
    const double blocks = std::max(1.0, prompt / k_prompt_block);
    const double ideal = blocks * cards / (blocks + cards - 1.0);
    time = time.scaled(1.0 / std::pow(ideal, constant(row("prefill.layer_split"))));
  }
  return time;
}

}  // namespace gpuadvise::estimate
