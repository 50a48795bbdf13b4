// Engines that allocate a cache of the full length at the start and little else.
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/inference_state.hpp"
#include "estimate/memory/runtime.hpp"
#include "model/inventory.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

struct StaticRow {
  Engine engine;
  double scratch_tokens;  // of the prompt that one pass handles; 0 = the whole prompt
  double scratch_per_ff;  // bytes a token and MLP width
  double scratch_per_hidden;
  double logit_bytes;           // a token of the pass and word of the vocabulary
  double logit_tokens;          // 0 = all of the pass
  double score_bytes;           // a head and pair of tokens of the pass
  bool scores_of_grouped_only;  // grouped attention is expanded and takes the slow path
  double weight_overhead;       // share of the weights, allocator padding and copies
  double moe_overhead;
  double load_overhead;  // the same while loading
  double constant_gib;
  double cache_multiple;
  bool embedding_on_host;
  BandRow band;
};

// Fitted constants: AutoAWQ n = 28 rows of 1 source (median error 2.3 %), GPTQ-for-LLaMa n = 27 of 1 (0.6 %),
// exllama n = 5 of 2, MLX n = 11 of 1 (1 %). The others are priors in their image.
constexpr auto k_static = std::to_array<StaticRow>({
    {Engine::autoawq,
     0,
     0,
     0,
     6,
     0,
     6,
     true,
     0,
     0.10,
     0.13,
     0,
     1,
     false,
     {"llm-infer autoawq", 0.92, 1.09, ConstantKind::fitted, 28, 0.023}},
    {Engine::gptq_for_llama,
     0,
     0,
     0,
     2,
     0,
     0,
     false,
     0,
     0,
     0,
     0,
     1,
     false,
     {"llm-infer gptq", 0.95, 1.05, ConstantKind::fitted, 27, 0.006}},
    {Engine::exllama,
     2048,
     8,
     0,
     0,
     0,
     0,
     false,
     0.045,
     0,
     0,
     0.25,
     1,
     true,
     {"llm-infer exllama", 0.9, 1.12, ConstantKind::fitted, 5, 0.03}},
    {Engine::mlx, 2048, 6, 8, 0, 0, 4, false, 0, 0, 0, 0, 256, false, {"llm-infer mlx", 0.94, 1.07, ConstantKind::fitted, 11, 0.01}},
    {Engine::mlc_llm, 2048, 6, 8, 6, 1, 0, false, 0, 0, 0, 0.2, 16, false, {"llm-infer mlc", 0.88, 1.15, ConstantKind::prior, 0, 0}},
});

const StaticRow& row_of(Engine engine) {
  for (const StaticRow& row : k_static) {
    if (row.engine == engine) {
      return row;
    }
  }
  return k_static.back();
}

}  // namespace

InferenceEstimate static_cache_memory(const InferenceInput& input) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const StaticRow& row = row_of(w.engine);
  const Tokens tokens = request_tokens(w);
  const double gpus = input.split.gpus();
  // A full-sequence pass has no answer to generate.
  const double prompt = row.engine == Engine::gptq_for_llama ? tokens.total : tokens.prompt;
  const double pass = row.scratch_tokens > 0 ? row.scratch_tokens : prompt;
  const double cache = kv_cache_bytes(s, w, {row.cache_multiple, WindowPolicy::full, 0}, tokens.total, tokens.sequences);
  const bool scores = !row.scores_of_grouped_only || s.kv_heads < s.heads;
  const double host = row.embedding_on_host ? input.weights.embedding : 0;
  const double weights = input.placement.gpu - host / gpus;
  const double weights_all = input.placement.all_gpus - host;
  const double overhead = row.weight_overhead + (s.moe.experts > 0 ? row.moe_overhead : 0);

  InferenceEstimate e;
  e.gpu.weights = weights;
  e.gpu.kv_cache = cache / gpus;
  e.gpu.recurrent_state = recurrent_state_bytes(s) * tokens.sequences / gpus;
  e.gpu.activations = tokens.sequences * pass * (row.scratch_per_ff * mlp_width_of_token(s) + row.scratch_per_hidden * s.hidden) +
                      (scores ? row.score_bytes * tokens.sequences * s.heads * pass * pass : 0);
  e.gpu.logits = tokens.sequences * row.logit_bytes * s.vocab * (row.logit_tokens > 0 ? row.logit_tokens : pass);
  e.gpu.workspace = row.constant_gib * k_gib + overhead * weights;
  e.all = e.gpu.scaled(gpus);
  e.all.weights = weights_all;
  e.all.logits = e.gpu.logits;
  e.all.workspace = row.constant_gib * k_gib * gpus + overhead * weights_all;
  const auto peak = [&row](const MemoryComponents& c) { return std::max(c.sum(), (1 + row.load_overhead) * c.weights); };
  e.allocated = peak(e.gpu);
  e.allocated_all = peak(e.all);
  e.gpu.fragmentation = e.allocated - e.gpu.sum();
  e.all.fragmentation = e.allocated_all - e.all.sum();
  e.steady = e.gpu.weights + e.gpu.kv_cache + e.gpu.recurrent_state + e.gpu.workspace;
  e.steady_all = e.all.weights + e.all.kv_cache + e.all.recurrent_state + e.all.workspace;
  e.runtime = runtime_bytes(false, w.module_loading, input.gpu);
  e.gpu.runtime = e.runtime.expected;
  e.all.runtime = e.runtime.expected * gpus;
  e.host_bytes = input.placement.host + host;
  e.copies = model_copies(input);
  e.band = row.band;
  return e;
}

}  // namespace gpuadvise::estimate
