#include "estimate/memory/inference_terms.hpp"

#include <gpuadvise/estimate.hpp>

#include "estimate/memory/assemble.hpp"
#include "model/inventory.hpp"

#include <algorithm>

namespace gpuadvise::estimate {

double model_copies(const InferenceInput& input) {
  return std::max(1.0, input.workload.all_gpus() / input.split.gpus());
}

InferenceInput inference_input(const Workload& workload, const TransformerShape& shape, const Gpu* gpu) {
  const DeviceSplit split = device_split(workload);
  const WeightBytes weights = weight_bytes(workload, shape, gpu);
  return {workload, shape, gpu, split, weights, place_weights(weights, split, workload)};
}

MemoryFigures inference_figures(const InferenceEstimate& estimate) {
  const double outside = estimate.gpu.runtime + estimate.gpu.communication;
  const double device = estimate.gpu.sum();
  const double reserved = device - outside;
  const Interval runtime = {std::min(estimate.runtime.low, estimate.gpu.runtime), estimate.gpu.runtime,
                            std::max(estimate.runtime.high, estimate.gpu.runtime)};
  MemoryParts parts;
  parts.allocated = banded(estimate.allocated, estimate.band);
  parts.reserved = banded(reserved, estimate.band);
  parts.device = shifted(sum_independent(parts.reserved, runtime), estimate.gpu.communication);
  parts.runtime = runtime;
  parts.communication_bytes = estimate.gpu.communication;
  parts.components = estimate.gpu;
  parts.steady = banded(estimate.steady, estimate.band);
  parts.host_bytes = estimate.host_bytes;
  MemoryFigures figures = assemble(parts);

  const MemoryComponents all = estimate.all.scaled(estimate.copies);
  const double outside_all = all.runtime + all.communication;
  figures.all_gpus.allocated = banded(estimate.allocated_all * estimate.copies, estimate.band);
  figures.all_gpus.reserved = banded(all.sum() - outside_all, estimate.band);
  figures.all_gpus.device = shifted(figures.all_gpus.reserved, outside_all);
  figures.all_gpus.steady = banded(estimate.steady_all * estimate.copies, estimate.band);
  figures.all_gpus.components = all;
  if (estimate.minimum_card && *estimate.minimum_card > figures.need.expected) {
    figures.need = banded(*estimate.minimum_card, estimate.band);
  }
  return figures;
}

Tokens request_tokens(const Workload& workload) {
  Tokens tokens;
  // Requests in flight hold a cache each; a program that has no scheduler of its own runs them as one batch.
  tokens.sequences = std::max({1.0, workload.batch, workload.concurrency.value_or(1.0)});
  tokens.total = workload.prompt_len + workload.gen_len;
  if (tokens.total <= 0) {
    tokens.total = workload.seq;
  }
  tokens.prompt = workload.prompt_len > 0 ? workload.prompt_len : tokens.total;
  return tokens;
}

double mlp_width_of_token(const TransformerShape& shape) {
  if (shape.moe.experts <= 0) {
    return shape.ffn;
  }
  return shape.moe.active * shape.moe.expert_ffn + model::shared_expert_width(shape) + shape.moe.dense_residual_ffn;
}

double activation_bytes_per_token(const TransformerShape& shape, double element_bytes) {
  // Experts take turns: half of a token's expert outputs are alive together (prior, one family).
  const double width =
      shape.moe.experts > 0 ? std::max(model::shared_expert_width(shape), 0.5 * shape.moe.active * shape.moe.expert_ffn) : shape.ffn;
  const double mlp = (shape.gated_mlp ? 3 : 2) * width + 4 * shape.hidden;
  const double attention = 2 * model::query_width(shape) + 2 * model::key_width(shape, true) + 4 * shape.hidden;
  return element_bytes * std::max(mlp, attention);
}

std::optional<double> device_total_bytes(const Workload& workload, const Gpu* gpu) {
  if (workload.gpu_memory_gib) {
    return *workload.gpu_memory_gib * k_gib;
  }
  if (gpu == nullptr) {
    return std::nullopt;
  }
  // The driver's tool reports more than CUDA gives on data-centre cards, whose nominal size counts what CUDA gives.
  Gpu nominal = *gpu;
  nominal.reported_memory_mib.reset();
  return std::max(visible_bytes(*gpu), visible_bytes(nominal));
}

}  // namespace gpuadvise::estimate
