#include "estimate/speed/llm_training.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/parallel.hpp"
#include "estimate/speed/transformer.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

constexpr double k_bytes_16bit = 2.0;
// A pipeline is run with several micro-batches a stage, else it idles; large model-parallel jobs accumulate.
constexpr double k_pipeline_fill = 4.0;
constexpr double k_usual_accumulation = 8.0;

// Loops written for throughput against trainers that do bookkeeping between layers and steps.
bool lean_loop(const Workload& workload) {
  switch (workload.stack) {
    case Stack::torchtitan:
    case Stack::llm_foundry:
    case Stack::megatron:
    case Stack::torchtune:
    case Stack::litgpt:
    case Stack::torchao:
    case Stack::fsdp_qlora:
    case Stack::unsloth:
      return true;
    default:
      return workload.engine != Engine::transformers && workload.stack == Stack::none;
  }
}

// The trainer's loop reaches less of the card in its products. Megatron's fused norms, rotary embeddings and attention speed
// up everything.
double product_factor(const Workload& workload) {
  return lean_loop(workload) ? 1.0 : constant(row("llm_training.engine.trainer"));
}

double fusion_factor(const Workload& workload) {
  return workload.stack == Stack::megatron ? constant(row("llm_training.engine.megatron")) : 1.0;
}

// 8-bit training pays only with compiled or hand-fused kernels; the programs that offer it use them.
bool fused_kernels(const Workload& workload, MathPath path) {
  return workload.compile || path == MathPath::fp8;
}

constexpr double k_selective = 0.2;  // attention and norms again, no large products

// Share of the forward pass that is computed again. Scripts around a trainer turn checkpointing on unless told otherwise, and
// torchtitan's presets keep all but the large products: where nothing is stated, speed is that of the usual recipe.
double recomputed(const Workload& workload) {
  switch (workload.checkpointing) {
    case Checkpointing::full:
      return 1.0;
    case Checkpointing::selective:
      return k_selective;
    case Checkpointing::none:
      break;
  }
  if (workload.given.checkpointing) {
    return 0.0;
  }
  return !lean_loop(workload) ? 1.0 : workload.stack == Stack::torchtitan ? k_selective : 0.0;
}

double efficiency_of(MathPath path, const Rate& rate) {
  return constant(path == MathPath::fp8 && !rate.emulated ? row("llm_training.efficiency.fp8") : row("llm_training.efficiency.half"));
}

double attention_efficiency(const Gpu& gpu) {
  const bool newer = gpu.family == Architecture::hopper || gpu.family == Architecture::blackwell_dc || gpu.family == Architecture::rubin;
  return constant(newer ? row("llm_training.attention.hopper") : row("llm_training.attention.default"));
}

// One micro-batch of `tokens` on a group of cards, per card.
StepTime micro_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Division& division, double tokens) {
  const MathPath path = training_path(workload.precision, gpu, false);
  const Rate rate = sustained_rate(gpu, path);
  const Rate attention_rate = sustained_rate(gpu, path == MathPath::fp8 ? MathPath::bfloat : path);
  const double mature = maturity(gpu).matmul;
  const double full = workload.method == Method::full ? 3.0 : 2.0;  // frozen weights need no gradients of their own
  const double again = recomputed(workload);
  const double layers = stacked_layers(shape);
  const double inverse_bandwidth = seconds_per_terabyte(gpu, constant(row("traffic.general")));

  // A causal token meets half of the sequence on average; backward attention is 2.5 times the forward.
  const double products = 2e-12 * matmul_params(shape) * (full + again);
  const double attention = 2e-12 * attention_macs(shape, workload.seq / 2.0) * (3.5 + again);
  const double passes = constant(row("llm_training.passes")) * (1.0 + again / 3.0) * full / 3.0 *
                        (fused_kernels(workload, path) ? constant(row("llm_training.compiled_passes")) : 1.0);
  const double scores = workload.attention == AttentionBackend::eager
                            ? constant(row("encoder.passes.scores")) * shape.heads * workload.seq * (full + again)
                            : 0.0;
  const double bytes = k_bytes_16bit * layers * (passes * shape.hidden + scores);

  StepTime time;
  time.compute = tokens / division.group() *
                 (products / (efficiency_of(path, rate) * product_factor(workload) * mature * rate.tflops) +
                  attention / (attention_efficiency(gpu) * mature * attention_rate.tflops));
  time.traffic = tokens / division.group() * bytes * 1e-12 * inverse_bandwidth;
  if (workload.method == Method::qlora) {
    time.traffic += constant(row("llm_training.dequantise_bytes")) * shape.params * (2.0 + again) / 3.0 * 1e-12 * inverse_bandwidth;
  }
  time.compute /= fusion_factor(workload);
  time.traffic /= fusion_factor(workload);
  const double adapters = workload.method == Method::full ? 1.0 : constant(row("llm_training.adapter_layer"));
  const double each = constant(lean_loop(workload) ? row("llm_training.layer.lean") : row("llm_training.layer.trainer"));
  time.host = layers / division.pipeline * each * 1e-6 * adapters * (workload.compile ? 0.3 : 1.0);
  return time;
}

double trainable_bytes(const Workload& workload, const TransformerShape& shape) {
  if (workload.method == Method::full) {
    return 4.0 * shape.params;
  }
  // Two thin matrices beside the query and value projections of every layer at least.
  return 4.0 * 4.0 * workload.lora_rank * shape.hidden * stacked_layers(shape);
}

// Tensor-parallel all-reduces of a micro-batch: two forward and two backward a layer, two more when recomputed.
double tensor_communication(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Division& division,
                            double tokens) {
  const Link link = group_link(gpu, workload, division.tensor);
  const double message = tokens / (division.context * division.pipeline) * shape.hidden * k_bytes_16bit;
  return tensor_parallel_seconds(link, division.tensor, message, stacked_layers(shape) * (4.0 + 2.0 * recomputed(workload)));
}

double micro_communication(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Division& division, double tokens,
                           double micro) {
  double seconds = tensor_communication(workload, shape, gpu, division, tokens);
  const double split = division.tensor * division.pipeline;
  if (division.sharded && division.replicas * division.context > 1.0) {
    const Link link = cluster_link(gpu, workload, cluster_of(workload, gpu), split);
    const double gathers = workload.method == Method::full ? 3.0 : 2.0 + recomputed(workload);
    seconds += sharded_seconds(link, division.replicas * division.context, gathers * k_bytes_16bit * shape.params / split, micro);
  }
  if (division.pipeline > 1.0) {
    const double message = tokens / division.context * shape.hidden * k_bytes_16bit;
    seconds += stage_seconds(group_link(gpu, workload, split), message, micro);
  }
  return seconds;
}

}  // namespace

Division training_division(const Workload& workload) {
  Division division;
  const double cards = workload.all_gpus();
  division.tensor = workload.strategy == Strategy::tp && workload.tp <= 1.0 ? cards : std::max(1.0, workload.tp);
  division.pipeline = workload.strategy == Strategy::pp && workload.pp <= 1.0 ? cards : std::max(1.0, workload.pp);
  division.context = std::max(1.0, workload.cp);
  division.replicas = std::max(1.0, cards / division.group());
  // Megatron keeps whole weights on each card of a model-parallel group and shards the optimizer alone.
  division.sharded = (workload.strategy == Strategy::fsdp || workload.strategy == Strategy::zero3) && workload.stack != Stack::megatron;
  return division;
}

std::optional<LlmTrainingStep> llm_training_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  if (!(sustained_rate(gpu, training_path(workload.precision, gpu, false)).tflops > 0.0) || !(workload.seq > 0.0)) {
    return std::nullopt;
  }
  const Division division = training_division(workload);
  const double tokens = workload.batch * workload.seq;
  StepTime micro = micro_step(workload, shape, gpu, division, tokens);
  micro.communication = micro_communication(workload, shape, gpu, division, tokens, micro.total());

  const double micro_batches = std::max(1.0, workload.accumulate);
  const double busy = pipeline_efficiency(division.pipeline, std::max(micro_batches, k_pipeline_fill * division.pipeline));
  StepTime step = micro.scaled(micro_batches / busy);
  const bool model_parallel = workload.stack == Stack::megatron;
  const bool states_split =
      division.sharded || model_parallel || workload.strategy == Strategy::zero1 || workload.strategy == Strategy::zero2;
  if (workload.method == Method::full) {
    const double shards = division.tensor * division.pipeline * (states_split ? division.replicas : 1.0);
    step.traffic += constant(row("llm_training.optimizer_bytes")) * shape.params / shards * 1e-12 *
                    seconds_per_terabyte(gpu, constant(row("traffic.general")));
  }
  if (!division.sharded && division.replicas > 1.0) {
    const double split = division.tensor * division.pipeline;
    const Link link = cluster_link(gpu, workload, cluster_of(workload, gpu), split);
    const double gradients = trainable_bytes(workload, shape) / split;
    const double once = data_parallel_seconds(link, division.replicas, gradients, micro.total());
    step.communication += model_parallel ? once * micro_batches / std::max(micro_batches, k_usual_accumulation) : once;
  }
  return LlmTrainingStep{step, tokens * micro_batches * division.replicas};
}

}  // namespace gpuadvise::estimate
