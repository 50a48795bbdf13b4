// Prefill and decode of Hugging Face transformers: live tensors are the weights, the cache so far, and either the
// activations of the whole prompt or nothing much. Which of the two is larger decides the peak.
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/inference_state.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

constexpr CachePolicy k_growing_cache = {1, WindowPolicy::window, 0};

// Versions before 4.45 make logits of every position (16 bits and an fp32 copy), keep cosine and sine tables in every
// layer, and copy the whole cache at each token (counted; residual 1.5 % on 66 rows of 2 sources).
constexpr double k_logit_bytes = 2 + 4;
constexpr double k_old_table_positions = 32768;
constexpr double k_old_cache_copies = 2;

constexpr double k_eager_score_bytes = 2 + 4;  // scores in 16 bits and their softmax in fp32, one layer at a time

constexpr double k_small_buffers = 4 * k_mib;       // masks, positions, tokens
constexpr double k_blas_bytes = 8519680.0;          // one handle, before Hopper (counted)
constexpr double k_blas_bytes_hopper = 32 * k_mib;  // from compute capability 9.0 (counted)
constexpr double k_hopper = 9.0;

// fitted, n = 11 device rows: what the caching allocator keeps of growing caches and of activations
constexpr double k_fragmentation_share = 0.05;

// n = 241 rows of 9 sources, median error 0.6 %
constexpr BandRow k_band = {"llm-infer transformers", 0.945, 1.115, ConstantKind::counted, 232, 0.006};
constexpr std::array<BandRow, 1> k_band_rows = {k_band};

bool hopper_or_newer(const Gpu* gpu) {
  return gpu != nullptr && gpu->compute_capability && *gpu->compute_capability >= k_hopper;
}

// GPTQ kernels before Hopper expand one matrix at a time into a 16-bit buffer.
double dequantise_buffer(const InferenceInput& input, bool old_version) {
  const PrecisionKind kind = input.workload.weights.value_or(input.workload.precision).kind;
  const bool gptq = kind == PrecisionKind::int4_gptq || (kind == PrecisionKind::int8_gptq && !old_version);
  return gptq && !hopper_or_newer(input.gpu) ? 2 * input.weights.largest_matrix : 0.0;
}

// The cache was a tuple that every token copied; the model families of 2023 that bring code of their own (one fused matrix for
// query, key and value, without grouped heads) still do so. 19 rows of 1 source.
bool copies_cache(const TransformerShape& shape, bool old_version) {
  return old_version || (shape.fused_qkv && shape.kv_heads == shape.heads && shape.position_embeddings <= 0);
}

// Terms on one of the GPUs that share a model: `cache_share` of the cache, and the activations of its own layers.
struct Phase {
  double cache = 0;
  double activations = 0;
  double logits = 0;

  [[nodiscard]] double sum() const { return cache + activations + logits; }
};

struct Phases {
  Phase prefill;
  Phase decode;

  [[nodiscard]] const Phase& peak() const { return prefill.sum() > decode.sum() ? prefill : decode; }
};

Phases phases(const InferenceInput& input, double cache_share, double activation_copies) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const Tokens tokens = request_tokens(w);
  const double element = compute_bytes(w.precision);
  const double prompt_tokens = tokens.sequences * tokens.prompt;
  const bool old_version = w.full_seq_logits;
  double activations = prompt_tokens * activation_bytes_per_token(s, element);
  if (w.attention == AttentionBackend::eager) {
    activations += tokens.sequences * s.heads * tokens.prompt * tokens.prompt * k_eager_score_bytes * element / 2;
  }
  Phases result;
  result.prefill.cache = kv_cache_bytes(s, w, k_growing_cache, tokens.prompt, tokens.sequences) * cache_share;
  result.prefill.activations = activations * activation_copies;
  const double kept = kv_cache_bytes(s, w, k_growing_cache, tokens.total, tokens.sequences) * cache_share;
  result.decode.cache = kept * (copies_cache(s, old_version) ? k_old_cache_copies : 1);
  result.decode.logits = tokens.sequences * s.vocab * k_logit_bytes;
  result.prefill.logits = result.decode.logits;
  if (old_version) {
    // Logits are made after the layers' activations are gone: the last GPU holds the larger of the two.
    const double logits = prompt_tokens * (k_logit_bytes * s.vocab + 2 * s.hidden);
    result.prefill.logits = std::max(0.0, logits - activations);
  }
  return result;
}

MemoryComponents components(const Phase& peak, double weights, double state, double workspace) {
  MemoryComponents c;
  c.weights = weights;
  c.kv_cache = peak.cache;
  c.activations = peak.activations;
  c.logits = peak.logits;
  c.recurrent_state = state;
  c.workspace = workspace;
  c.fragmentation = k_fragmentation_share * peak.sum();
  return c;
}

}  // namespace

std::span<const BandRow> transformers_band_rows() {
  return k_band_rows;
}

InferenceEstimate transformers_memory(const InferenceInput& input) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const Tokens tokens = request_tokens(w);
  const double gpus = input.split.gpus();
  const double cache_share = kv_share_of_rank(s, input.split.tensor) / input.split.stages;
  const Phases one = phases(input, cache_share, 1);
  const Phases every = phases(input, kv_share_of_rank(s, input.split.tensor) * input.split.tensor, gpus);

  const double tables = w.full_seq_logits ? 2 * std::min(s.max_context > 0 ? s.max_context : k_old_table_positions, k_old_table_positions) *
                                                s.head_dim * 2 * s.layers
                                          : 0.0;
  const double own_workspace =
      dequantise_buffer(input, w.full_seq_logits) + (hopper_or_newer(input.gpu) ? k_blas_bytes_hopper : k_blas_bytes);
  const double workspace = own_workspace + tables / input.split.stages + k_small_buffers;
  const double workspace_all = own_workspace * gpus + tables + k_small_buffers;
  const double state = recurrent_state_bytes(s) * tokens.sequences;

  InferenceEstimate e;
  e.gpu = components(one.peak(), input.placement.gpu, state / gpus, workspace);
  e.all = components(every.peak(), input.placement.all_gpus, state, workspace_all);
  e.allocated = e.gpu.sum() - e.gpu.fragmentation;
  e.allocated_all = e.all.sum() - e.all.fragmentation;
  // A tied model whose loader makes a head of its own first
  e.allocated = std::max(e.allocated, input.placement.gpu + input.weights.untied_head);
  e.allocated_all = std::max(e.allocated_all, input.placement.all_gpus + input.weights.untied_head);
  e.gpu.fragmentation = std::max(e.gpu.fragmentation, e.allocated - (e.gpu.sum() - e.gpu.fragmentation));
  e.all.fragmentation = std::max(e.all.fragmentation, e.allocated_all - (e.all.sum() - e.all.fragmentation));
  const double kept = kv_cache_bytes(s, w, k_growing_cache, tokens.total, tokens.sequences);
  e.steady = input.placement.gpu + kept * cache_share + state / gpus + workspace;
  e.steady_all = input.placement.all_gpus + kept + state + workspace_all;
  e.runtime = runtime_bytes(false, w.module_loading, input.gpu);
  e.gpu.runtime = e.runtime.expected;
  e.all.runtime = e.runtime.expected * gpus;
  e.copies = model_copies(input);
  e.host_bytes = input.placement.host;
  e.band = k_band;
  return e;
}

}  // namespace gpuadvise::estimate
