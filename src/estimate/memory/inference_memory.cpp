#include "estimate/memory/inference_memory.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/inference_state.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

InferenceEstimate by_engine(const InferenceInput& input, Capacity* capacity) {
  const TransformerKind kind = input.shape.kind;
  if (kind == TransformerKind::speech) {
    return speech_memory(input);
  }
  // Encoders keep nothing between passes: servers reserve no pool for them.
  if (kind == TransformerKind::encoder && input.workload.engine != Engine::llama_cpp) {
    return encoder_memory(input);
  }
  switch (input.workload.engine) {
    case Engine::vllm:
    case Engine::sglang:
    case Engine::tensorrt_llm:
      return server_memory(input, capacity);
    case Engine::llama_cpp:
      return llama_cpp_memory(input);
    case Engine::exllama:
    case Engine::mlc_llm:
    case Engine::mlx:
    case Engine::autoawq:
    case Engine::gptq_for_llama:
      return static_cache_memory(input);
    default:
      break;
  }
  return kind == TransformerKind::embedding_decoder ? encoder_memory(input) : transformers_memory(input);
}

// Engines without a pool: how many cached tokens the card could hold beside everything else, by the rule for what a card needs.
void fill_room_for_tokens(const InferenceInput& input, const InferenceEstimate& estimate, Capacity& capacity) {
  const std::optional<double> total = device_total_bytes(input.workload, input.gpu);
  // Sliding layers have taken what they take; only the others grow.
  const double per_token = cache_bytes(input.shape, input.workload.kv_precision, input.workload.mla).per_global_token *
                           kv_share_of_rank(input.shape, input.split.tensor) / input.split.stages * input.placement.kv_share;
  const bool caches =
      estimate.gpu.kv_cache > 0 && input.shape.kind != TransformerKind::encoder && input.shape.kind != TransformerKind::speech;
  if (!total || per_token <= 0 || !caches) {
    return;
  }
  const double live = (*total - estimate.gpu.runtime - estimate.gpu.communication) / k_need_per_allocated;
  const double beside = estimate.allocated - estimate.gpu.kv_cache;
  capacity.kv_tokens = std::floor(std::max(0.0, live - beside) / per_token);
}

// An architecture that is not known, read as the nearest one: its cache and working memory may be other than that one's (shared or
// latent caches, states, experts), and so are weights that no file states (priors).
constexpr Interval k_nearest_rest = {0.6, 1, 1.6};
constexpr Interval k_nearest_weights = {0.9, 1, 1.15};

void widen_for_nearest_family(const TransformerShape& shape, InferenceEstimate& e) {
  if (!shape.nearest_family || e.allocated <= 0) {
    return;
  }
  const Interval weights = shape.stored.bytes > 0 ? Interval{1, 1, 1} : k_nearest_weights;
  const double share = std::min(1.0, e.gpu.weights / e.allocated);
  e.band.below *= share * weights.low + (1 - share) * k_nearest_rest.low;
  e.band.above *= share * weights.high + (1 - share) * k_nearest_rest.high;
}

}  // namespace

MemoryFigures inference_memory(const Workload& workload, const TransformerShape& shape, const Gpu* gpu, Capacity* capacity) {
  const InferenceInput input = inference_input(workload, shape, gpu);
  InferenceEstimate estimate = by_engine(input, capacity);
  widen_for_nearest_family(shape, estimate);
  if (capacity != nullptr && !capacity->kv_tokens && !estimate.minimum_card) {
    fill_room_for_tokens(input, estimate, *capacity);
  }
  return inference_figures(estimate);
}

}  // namespace gpuadvise::estimate
