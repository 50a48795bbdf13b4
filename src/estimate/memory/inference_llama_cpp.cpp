// llama.cpp: everything is allocated at the start. One graph is reserved for a whole micro-batch; its buffer is as
// large as the logits of the batch or, without flash attention, as the scores of one layer.
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/inference_state.hpp"
#include "estimate/memory/runtime.hpp"
#include "model/inventory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

constexpr double k_micro_batch = 512;  // n_ubatch
constexpr double k_batch = 2048;       // n_batch
constexpr double k_context_multiple = 256;
constexpr double k_fp32 = 4;
constexpr double k_fp16 = 2;

// ROCm keeps far more beside the buffers (1 row, 2.3 GiB); CUDA 0.3 - 0.8 GiB.
constexpr Interval k_cuda_gib = {0.3, 0.55, 0.85};
constexpr Interval k_rocm_gib = {0.6, 2.0, 2.6};
constexpr Interval k_other_gib = {0.1, 0.25, 0.6};

// n = 12 rows for the compute buffer (exact on most), weights and cache are counted
constexpr BandRow k_band = {"llm-infer llama.cpp", 0.95, 1.05, ConstantKind::counted, 100, 0.002};
constexpr BandRow k_band_recipe = {"llm-infer llama.cpp, recipe known by name", 0.75, 1.3, ConstantKind::prior, 10, 0.1};
constexpr std::array<BandRow, 2> k_band_rows = {k_band, k_band_recipe};

struct Graph {
  double batch = 0;    // tokens of a micro-batch
  double context = 0;  // padded
};

Graph graph_of(const Workload& workload) {
  const Tokens tokens = request_tokens(workload);
  Graph graph;
  graph.context = std::ceil(std::max(workload.seq, tokens.total) * tokens.sequences / k_context_multiple) * k_context_multiple;
  graph.batch = std::min({workload.n_ubatch.value_or(k_micro_batch), workload.n_batch.value_or(k_batch), graph.context});
  return graph;
}

// Scores of all heads in fp32 and a mask row, the layer's working rows. Exact within 0.3 % on 4 models.
double attention_buffer(const TransformerShape& s, const Workload& w, const Graph& g) {
  const double query = model::query_width(s);
  if (w.flash_attn) {
    if (s.attention == AttentionKind::mla && w.mla == MlaMode::absorbed) {
      return 2 * k_fp32 * g.batch * s.heads * (s.mla.kv_lora_rank + s.mla.qk_rope_head_dim);
    }
    return k_fp16 * g.batch * g.context + k_fp32 * g.batch * (4 * s.hidden + 2 * query);
  }
  return k_fp32 * g.batch * (g.context * (s.heads + 1) + 2 * s.hidden + 2 * query);
}

// A card multiplies large batches by matrices that lie on the host as well: they are copied into the buffer, one at a time.
constexpr double k_offloaded_batch = 32;  // tokens from which it does (GGML_OP_OFFLOAD_MIN_BATCH)

bool copies_host_matrices(const Gpu* gpu, const Graph& g) {
  return g.batch >= k_offloaded_batch && (gpu == nullptr || !gpu->unified_memory);
}

bool head_on_host(const InferenceInput& input) {
  return input.workload.offload.kind == OffloadKind::layers && input.workload.offload.layers_on_gpu <= input.weights.layer_count;
}

// Counted: 669.5 MiB for Llama-3.1-8B in Q4_K_M with layers on the host is 258.5 of logits and 411 of a Q6_K head.
double logits_buffer(const InferenceInput& input, const Graph& g) {
  const TransformerShape& s = input.shape;
  if (s.kind == TransformerKind::encoder || s.kind == TransformerKind::embedding_decoder) {
    return 0;
  }
  if (head_on_host(input)) {
    const double head = input.weights.head > 0 ? input.weights.head : input.weights.embedding;
    return copies_host_matrices(input.gpu, g) ? head + k_fp32 * g.batch * (s.vocab + s.hidden) : 0;
  }
  // A graph that crosses devices copies its inputs once more.
  const double copies = input.workload.offload.kind == OffloadKind::none ? 1 : 2;
  return k_fp32 * g.batch * (s.vocab + copies * s.hidden);
}

// One matrix of all experts of a layer, where experts lie on the host.
double experts_buffer(const InferenceInput& input, const Graph& g) {
  const bool hosted = input.workload.offload.kind == OffloadKind::params && input.weights.experts > 0;
  if (!hosted || !copies_host_matrices(input.gpu, g)) {
    return 0;
  }
  double matrices = 0;
  model::for_each_distinct_tensor(input.shape,
                                  [&](const model::Tensor& tensor, double repeats) { matrices += tensor.expert ? repeats : 0; });
  return input.weights.experts / std::max(1.0, matrices) + k_fp16 * g.batch * input.shape.hidden;
}

Interval runtime_of(const Gpu* gpu) {
  if (gpu == nullptr || gpu->vendor == Vendor::nvidia) {
    return k_cuda_gib.scaled(k_gib);
  }
  return (gpu->vendor == Vendor::amd ? k_rocm_gib : k_other_gib).scaled(k_gib);
}

}  // namespace

std::span<const BandRow> llama_cpp_band_rows() {
  return k_band_rows;
}

// A model that is whole on its cards: the look-up table stays on the host all the same (its "CPU model buffer"), and the head, a
// second copy of the table where the two are tied, is dealt out as one more layer. Counted: the loader's own rule; six cards that
// share 80 layers hold 14 or 13 of them, the last 12 and the head.
struct Resident {
  double weights = 0;      // of the fullest card
  double layer_share = 1;  // of all layers, on the card with most
  double host_table = 0;   // what a file counts and no card holds
};

Resident resident_of(const InferenceInput& input) {
  const WeightBytes& weights = input.weights;
  if (input.workload.offload.kind != OffloadKind::none || input.split.tensor > 1) {
    return {input.placement.gpu, 1 / input.split.stages, 0};
  }
  const bool encodes = input.shape.kind == TransformerKind::encoder || input.shape.kind == TransformerKind::embedding_decoder;
  const double head = weights.head > 0 || encodes ? weights.head : weights.embedding;
  const double table = weights.head > 0 || encodes ? weights.embedding : 0;
  const double layers = weights.layer_count;
  const double cards = std::max(1.0, input.split.stages);
  const double layer = weights.layers / layers;
  if (cards <= 1) {
    return {weights.layers + head + weights.outer, 1, table};
  }
  const double most = std::min(layers, std::ceil((layers + 1) / cards));
  const double on_last = std::max(1.0, layers + 1 - std::ceil((cards - 1) * (layers + 1) / cards));
  const double fullest = std::max(most * layer, (on_last - 1) * layer + head);
  return {fullest + weights.outer, most / layers, table};
}

InferenceEstimate llama_cpp_memory(const InferenceInput& input) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const Graph graph = graph_of(w);
  const double gpus = input.split.gpus();
  const double sequences = request_tokens(w).sequences;
  const CachePolicy policy = {k_context_multiple, WindowPolicy::window_and_batch, graph.batch};
  const double cache = kv_cache_bytes(s, w, policy, graph.context, 1) * input.placement.kv_share;
  const double state = recurrent_state_bytes(s) * sequences * input.placement.kv_share;
  const double compute = std::max({logits_buffer(input, graph), attention_buffer(s, w, graph), experts_buffer(input, graph)});

  InferenceEstimate e;
  e.gpu.weights = input.placement.gpu;
  e.gpu.kv_cache = cache / gpus;
  e.gpu.recurrent_state = state / gpus;
  e.gpu.workspace = compute;
  e.runtime = runtime_of(input.gpu);
  e.all = e.gpu.scaled(gpus);
  e.all.weights = input.placement.all_gpus;
  const Resident resident = resident_of(input);
  e.allocated = resident.weights + (cache + state) * resident.layer_share + compute;
  e.allocated_all = e.all.sum() - resident.host_table;
  e.steady = e.allocated - compute;
  e.steady_all = e.allocated_all - compute * gpus;
  e.gpu.runtime = e.runtime.expected;
  e.all.runtime = e.runtime.expected * gpus;
  // The look-up table is read on the host; its bytes are counted with the weights, where a file's size is looked for.
  e.host_bytes = input.placement.host + (input.placement.host > 0 ? 0 : input.weights.embedding);
  e.copies = model_copies(input);
  e.band = is_custom_recipe(w.weights.value_or(w.precision).mix) ? k_band_recipe : k_band;
  return e;
}

}  // namespace gpuadvise::estimate
