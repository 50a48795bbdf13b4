// Engines that allocate a cache of the full length at the start and little else.
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/inference_state.hpp"
#include "estimate/memory/runtime.hpp"
#include "model/inventory.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

struct StaticRow {
  Engine engine = Engine::other;
  double pass_tokens = 0;     // of the prompt that one pass handles; 0 = all
  double scratch_per_ff = 0;  // bytes a token and MLP width
  double scratch_per_hidden = 0;
  double logit_bytes = 0;          // a token of the pass and word of the vocabulary
  double logit_tokens = 0;         // 0 = all of the pass
  double score_bytes = 0;          // a head and pair of tokens of the pass
  bool scores_if_grouped = false;  // only grouped attention, which is expanded, takes the slow path
  double weight_overhead = 0;      // share of the weights: padding, copies
  double expert_overhead = 0;      // the same for models with experts
  bool fuses_qkv = false;          // joins query, key and value matrices: old and new are alive at the end of loading
  double constant_gib = 0;
  double cache_multiple = 1;  // tokens
  bool embedding_on_host = false;
  bool whole_sequence = false;  // scores a text: no answer is generated
  BandRow band;
};

// All priors: AutoAWQ rests on 28 rows of 1 source, GPTQ-for-LLaMa on 27 of 1, exllama on 5 of 2, MLX on 11 of 1, and MLC is
// made in their image; one source does not show how far another lies, so no band is narrower than that of the servers.
// clang-format off
constexpr auto k_static = std::to_array<StaticRow>({
    {.engine = Engine::autoawq, .logit_bytes = 6, .score_bytes = 6, .scores_if_grouped = true, .expert_overhead = 0.10, .fuses_qkv = true,
     .band = {"llm-infer autoawq", 0.92, 1.12, ConstantKind::prior, 28, 0.02, 1}},
    {.engine = Engine::gptq_for_llama, .logit_bytes = 2, .whole_sequence = true,
     .band = {"llm-infer gptq", 0.93, 1.08, ConstantKind::prior, 27, 0.006, 1}},
    {.engine = Engine::exllama, .pass_tokens = 2048, .scratch_per_ff = 8, .weight_overhead = 0.045, .constant_gib = 0.25,
     .embedding_on_host = true, .band = {"llm-infer exllama", 0.9, 1.12, ConstantKind::prior, 5, 0.03, 2}},
    {.engine = Engine::mlx, .pass_tokens = 2048, .scratch_per_ff = 6, .scratch_per_hidden = 8, .score_bytes = 4, .cache_multiple = 256,
     .band = {"llm-infer mlx", 0.93, 1.08, ConstantKind::prior, 11, 0.01, 1}},
    {.engine = Engine::mlc_llm, .pass_tokens = 2048, .scratch_per_ff = 6, .scratch_per_hidden = 8, .logit_bytes = 6, .logit_tokens = 1,
     .constant_gib = 0.2, .cache_multiple = 16, .band = {"llm-infer mlc", 0.88, 1.15, ConstantKind::prior, 0, 0}},
});
// clang-format on
constexpr auto k_band_rows = bands_of(k_static);

const StaticRow& row_of(Engine engine) {
  for (const StaticRow& row : k_static) {
    if (row.engine == engine) {
      return row;
    }
  }
  return k_static.back();
}

}  // namespace

std::span<const BandRow> static_cache_band_rows() {
  return k_band_rows;
}

InferenceEstimate static_cache_memory(const InferenceInput& input) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const StaticRow& row = row_of(w.engine);
  const Tokens tokens = request_tokens(w);
  const double gpus = input.split.gpus();
  const double prompt = row.whole_sequence ? tokens.total : tokens.prompt;
  const double pass = row.pass_tokens > 0 ? row.pass_tokens : prompt;
  const double cache = kv_cache_bytes(s, w, {row.cache_multiple, WindowPolicy::full, 0}, tokens.total, tokens.sequences);
  const bool scores = !row.scores_if_grouped || s.kv_heads < s.heads;
  // Where layers are placed one by one, the look-up table was left on the host with the first of them.
  const bool table_placed = w.offload.kind == OffloadKind::layers && input.placement.host > 0;
  const double host = row.embedding_on_host && !table_placed ? input.weights.embedding : 0;
  const double weights = input.placement.gpu - host / gpus;
  const double weights_all = input.placement.all_gpus - host;
  const double overhead = row.weight_overhead + (s.moe.experts > 0 ? row.expert_overhead : 0);

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
  const double joined = row.fuses_qkv ? input.weights.split_qkv : 0;
  e.allocated = std::max(e.gpu.sum(), weights + joined / gpus);
  e.allocated_all = std::max(e.all.sum(), weights_all + joined);
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
