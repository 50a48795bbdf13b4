// Engines that take a share of the card at the start and fill it with a pool of key-value blocks:
// pool = share x total - weights - activations of a profiling run - what lies outside the allocator (vLLM);
// pool = share x (total - what lies outside) - weights, activations from what the share leaves (SGLang);
// pool = share x (total - all the rest) (TensorRT-LLM).
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

enum class ShareOf : std::uint8_t { card, free_before_loading, free_after_loading };

struct ServerRow {
  Engine engine = Engine::other;
  double share = 0.9;
  bool by_card = false;  // the share and the batch follow from the card's size (k_cards)
  ShareOf share_of = ShareOf::card;
  WindowPolicy window = WindowPolicy::full;
  double block_tokens = 16;
  double batched_tokens = 2048;        // of one forward pass
  double batched_tokens_large = 8192;  // the same on large cards
  double sequences = 256;
  double sequences_large = 1024;
  double sampler_bytes = 0;         // a sequence and word of the vocabulary, in the profiling run
  bool profiles_images = false;     // the profiling run sends images through the vision tower
  double outside_gib = 0;           // outside the allocator and inside the share, one GPU
  double outside_slots_gib = 0;     // with tensor parallelism over PCIe slots
  double outside_parallel_gib = 0;  // with tensor parallelism over links
  double context_gib = 0.35;        // the driver's context, where the above does not hold it
  double graphs_gib = 0;            // CUDA graphs, beyond the share: constant and a layer
  double graphs_layer_gib = 0;
  BandRow band;
};

// Shares, blocks and batch limits are the engines' own defaults. vLLM's sampler: fp32 logits, softmax and sort copies, fitted, n = 10
// rows of 4 sources (38.3 - 41.2). Outside: fitted, n = 13 rows of 6 sources (+- 0.1 GiB); over slots a prior, 5 logs of 5 sources
// (0.12 - 0.33; vLLM issues 13061, 14447, 14452, 15815, pull request 12660). Graphs: 4 rows, 0.1 - 1.0 GiB. SGLang: 5 rows;
// TensorRT-LLM: 1 row.
// clang-format off
constexpr auto k_servers = std::to_array<ServerRow>({
    {.engine = Engine::vllm, .window = WindowPolicy::window, .sampler_bytes = 38.9, .profiles_images = true,
     .outside_gib = 0.14, .outside_slots_gib = 0.25, .outside_parallel_gib = 0.55, .graphs_gib = 0.1, .graphs_layer_gib = 0.006,
     .band = {"llm-infer vllm", 0.93, 1.08, ConstantKind::fitted, 70, 0.01, 22}},
    {.engine = Engine::sglang, .share = 0.88, .by_card = true, .share_of = ShareOf::free_before_loading, .block_tokens = 1,
     .outside_gib = 0.55, .outside_slots_gib = 0.8, .outside_parallel_gib = 1.9, .context_gib = 0, .graphs_gib = 0.07,
     .graphs_layer_gib = 0.018, .band = {"llm-infer sglang", 0.9, 1.12, ConstantKind::prior, 5, 0.05}},
    {.engine = Engine::tensorrt_llm, .share_of = ShareOf::free_after_loading, .block_tokens = 32, .batched_tokens = 8192, .sequences = 2048,
     .sequences_large = 2048, .sampler_bytes = 12, .outside_gib = 2.5, .outside_slots_gib = 2.7, .outside_parallel_gib = 3,
     .graphs_gib = 0.1, .graphs_layer_gib = 0.006, .band = {"llm-infer tensorrt-llm", 0.88, 1.15, ConstantKind::prior, 1, 0.05}},
});
// clang-format on
constexpr auto k_band_rows = bands_of(k_servers);

const ServerRow& row_of(Engine engine) {
  for (const ServerRow& row : k_servers) {
    if (row.engine == engine) {
      return row;
    }
  }
  return k_servers.front();
}

// SGLang's defaults since 0.5 (server_args): tokens of a prefill chunk and sequences of the largest CUDA graph by the card's size.
struct CardRow {
  double below_gib = 0;
  double chunk_tokens = 0;
  double graph_sequences = 0;
  double graph_sequences_split = 0;  // with 4 tensor-parallel ranks and more
};
constexpr auto k_cards = std::to_array<CardRow>({
    {20, 2048, 8, 8},
    {35, 2048, 24, 80},
    {60, 4096, 32, 160},
    {160, 8192, 256, 512},
    {1e9, 16384, 512, 512},
});
// What it leaves free, MiB: constant, a token of the chunk, a sequence of the graph, a rank; at least so much on large cards.
constexpr double k_left_mib = 512;
constexpr double k_left_token_mib = 1.5;
constexpr double k_left_sequence_mib = 2;
constexpr double k_left_rank_mib = 128;
constexpr double k_left_large_mib = 10240;
constexpr double k_left_large_from_gib = 60;
// A vision tower takes 5 % of the share, more for one larger than ViT-L.
constexpr double k_vision_share = 0.95;
constexpr double k_vision_share_slope = 0.1;
constexpr double k_vit_large_params = 12.0 * 24 * 1024 * 1024;

constexpr double k_large_card_bytes = 70 * k_gib;
constexpr double k_hopper = 9.0;
constexpr double k_one_group = 1.25;      // kinds of layers that differ less in number share a size of group
constexpr double k_activation_width = 6;  // gate, up and their product in 16 bits; three hidden vectors

// Weights and cache are counted; the profiling run's activations follow limits that versions set differently.
constexpr double k_weights_below = 0.985;
constexpr double k_weights_above = 1.02;
constexpr double k_activations_below = 0.5;
constexpr double k_activations_above = 1.25;

// The profiling run of a model with a vision tower sends images of the batch's tokens through it, or one of its largest: 16384
// tokens of 4 patches (Qwen2-VL and later) where the model does not say. A patch and width takes 40 bytes: the two hidden
// vectors, query, key and value twice and their rotation in fp32 (prior, 1 log: 40; two logs of another tower, 70 and 88,
// bound it).
constexpr double k_largest_image_tokens = 16384;
constexpr double k_patches_of_token = 4;
constexpr double k_bytes_of_patch = 40;
constexpr double k_bytes_of_patch_above = 80;
constexpr double k_tower_layers = 30;

struct ActivationPeak {
  double expected = 0;
  double high = 0;
};

BandRow band_of(const ServerRow& row, double weights, const ActivationPeak& activations, double cache) {
  BandRow band = row.band;
  const double all = weights + activations.expected + cache;
  band.below = std::max(band.below, (k_weights_below * weights + k_activations_below * activations.expected + cache) / all);
  band.above = (k_weights_above * weights + activations.high + cache) / all;
  return band;
}

// Cards on which vLLM raises its batch limits: from 70 GiB, the A100 excepted.
bool large_card(const Workload& workload, const Gpu* gpu) {
  const std::optional<double> total = device_total_bytes(workload, gpu);
  if (gpu == nullptr || !total || *total < k_large_card_bytes) {
    return false;
  }
  return gpu->vendor == Vendor::amd || (gpu->compute_capability && *gpu->compute_capability >= k_hopper);
}

// The size that the driver's tool shows.
double shown_mib(const InferenceInput& input) {
  const double given = input.workload.gpu_memory_gib.value_or(input.gpu->memory_gib) * k_gib / k_mib;
  return input.workload.gpu_memory_gib ? given : input.gpu->reported_memory_mib.value_or(given);
}

const CardRow& card_row(const InferenceInput& input) {
  const double gib = shown_mib(input) * k_mib / k_gib;
  return *std::find_if(k_cards.begin(), k_cards.end() - 1, [gib](const CardRow& row) { return gib < row.below_gib; });
}

double batch_tokens(const InferenceInput& input, const ServerRow& row) {
  const bool large = large_card(input.workload, input.gpu);
  const double usual = row.by_card && input.gpu != nullptr ? card_row(input).chunk_tokens
                       : large                             ? row.batched_tokens_large
                                                           : row.batched_tokens;
  return input.workload.max_num_batched_tokens.value_or(usual);
}

// Width of the tower: 12 widths squared of parameters a layer.
double tower_width(const TransformerShape& shape) {
  return std::sqrt(shape.vision_params / (12 * k_tower_layers));
}

ActivationPeak activation_peak(const InferenceInput& input, const ServerRow& row) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const bool large = large_card(w, input.gpu);
  const double tokens = batch_tokens(input, row);
  // Each sequence of the run has at least a token.
  const double sequences = std::min(tokens, w.max_num_seqs.value_or(large ? row.sequences_large : row.sequences));
  // A limit below the context cuts prompts into chunks. Versions before the V1 engine then sampled few sequences in the profiling
  // run; later ones sample as many as ever, so the upper bound keeps the sampler.
  const bool chunked = w.max_num_batched_tokens && *w.max_num_batched_tokens < w.seq;
  const double sampler = row.sampler_bytes * s.vocab * sequences;
  const double layer = tokens * k_activation_width * (mlp_width_of_token(s) / input.split.tensor + s.hidden);
  const double image_tokens = std::max(tokens, s.image_tokens > 0 ? s.image_tokens : k_largest_image_tokens);
  const double images = row.profiles_images ? image_tokens * k_patches_of_token * k_bytes_of_patch * tower_width(s) : 0;
  const double expected = std::max({chunked ? 0.0 : sampler, layer, images});
  const double images_above = k_largest_image_tokens * k_patches_of_token * k_bytes_of_patch_above * tower_width(s);
  return {expected, std::max({k_activations_above * expected, sampler, images_above})};
}

// A bridge joins pairs; links beyond two cards are a board's own.
double outside_bytes(const InferenceInput& input, const ServerRow& row) {
  if (input.split.gpus() <= 1) {
    return row.outside_gib * k_gib;
  }
  const bool linked = input.gpu == nullptr || input.gpu->link_max_gpus.value_or(0) > 2;
  return (linked ? row.outside_parallel_gib : row.outside_slots_gib) * k_gib;
}

struct Budget {
  double share = 0.9;
  double weights = 0;
  double activations = 0;
  double outside = 0;
};

double pool_bytes(const ServerRow& row, const Budget& b, double total) {
  switch (row.share_of) {
    case ShareOf::card:
      return b.share * total - b.weights - b.activations - b.outside;
    case ShareOf::free_before_loading:
      return b.share * (total - b.outside) - b.weights;
    case ShareOf::free_after_loading:
      return b.share * (total - b.weights - b.activations - b.outside);
  }
  return 0;
}

// The least card whose pool holds `cache`, by the same equations.
double least_card(const ServerRow& row, const Budget& b, double cache) {
  switch (row.share_of) {
    case ShareOf::card:
      return (b.weights + b.activations + b.outside + cache) / b.share;
    case ShareOf::free_before_loading:
      return std::max((b.weights + cache) / b.share, b.weights + cache + b.activations) + b.outside;
    case ShareOf::free_after_loading:
      return cache / b.share + b.weights + b.activations + b.outside;
  }
  return 0;
}

// What is left free of a card for the activations of a chunk and CUDA graphs, as a share of it.
double share_by_card(const InferenceInput& input) {
  const CardRow& card = card_row(input);
  const double mib = shown_mib(input);
  const double sequences = input.split.tensor < 4 ? card.graph_sequences : card.graph_sequences_split;
  double left = k_left_mib + k_left_token_mib * card.chunk_tokens + k_left_sequence_mib * sequences + k_left_rank_mib * input.split.gpus();
  if (mib * k_mib > k_left_large_from_gib * k_gib) {
    left = std::max(left, k_left_large_mib);
  }
  double share = (mib - left) / mib;
  if (input.shape.vision_params > 0) {
    const double larger = input.shape.vision_params / k_vit_large_params - 1;
    share *= k_vision_share * std::clamp(1 - k_vision_share_slope * larger, 0.8, 1.05);
  }
  return share;
}

double share_of(const InferenceInput& input, const ServerRow& row) {
  const double usual = row.by_card && input.gpu != nullptr ? share_by_card(input) : row.share;
  return input.workload.gpu_memory_utilization.value_or(usual);
}

// What a token takes in the pool of one GPU. Where layers with and without a window alternate, vLLM gives each kind pages of
// its own and makes groups of equally many layers: Gemma-3-27B's 52 + 10 layers become 7 groups of 10.
CacheBytes pooled_cache(const InferenceInput& input, const ServerRow& row) {
  const TransformerShape& s = input.shape;
  CacheBytes cache = cache_bytes(s, input.workload.kv_precision, MlaMode::absorbed);
  const double global = model::global_attention_layers(s);
  const double sliding = model::sliding_attention_layers(s);
  if (row.window == WindowPolicy::window && global > 0 && sliding > 0) {
    const double fewer = std::min(global, sliding);
    const double more = std::max(global, sliding);
    const double group = more < k_one_group * fewer ? more : fewer;
    cache.per_global_token *= std::ceil(global / group) * group / global;
    cache.per_sliding_token *= std::ceil(sliding / group) * group / sliding;
  }
  const double share = kv_share_of_rank(s, input.split.tensor) / input.split.stages;
  return {cache.per_global_token * share, cache.per_sliding_token * share, 0};
}

struct Pool {
  double bytes = 0;  // 0: the share does not hold weights and activations
  CacheBytes cache;
};

// A sequence by its tokens, in whole blocks, and those that its windows keep.
struct PooledSequence {
  double tokens = 0;
  double windowed = 0;
};

PooledSequence pooled_sequence(const InferenceInput& input, const ServerRow& row, double tokens) {
  const auto blocks = [&row](double of) { return std::ceil(of / row.block_tokens) * row.block_tokens; };
  const bool frees = row.window == WindowPolicy::window && input.shape.sliding_window > 0;
  return {blocks(tokens), blocks(frees ? std::min(tokens, input.shape.sliding_window + batch_tokens(input, row)) : tokens)};
}

Pool pool(const InferenceInput& input, const ServerRow& row, const Budget& budget) {
  Pool result;
  result.cache = pooled_cache(input, row);
  if (const std::optional<double> total = device_total_bytes(input.workload, input.gpu)) {
    result.bytes = std::max(0.0, pool_bytes(row, budget, *total));
  }
  return result;
}

void fill_capacity(const Pool& pool, double block, const PooledSequence& each, Capacity* capacity) {
  const double per_token = pool.cache.per_token();
  if (capacity == nullptr || pool.bytes <= 0 || per_token <= 0) {
    return;
  }
  const double tokens = std::floor(pool.bytes / (per_token * block)) * block;
  capacity->kv_tokens = tokens;
  if (each.tokens > 0) {
    const double sequence = pool.cache.per_global_token * each.tokens + pool.cache.per_sliding_token * each.windowed;
    capacity->max_concurrency = tokens * per_token / sequence;
  }
}

}  // namespace

std::span<const BandRow> server_band_rows() {
  return k_band_rows;
}

InferenceEstimate server_memory(const InferenceInput& input, Capacity* capacity) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const ServerRow& row = row_of(w.engine);
  const double ranks = input.split.gpus();
  const ActivationPeak peak = activation_peak(input, row);
  const double activations = peak.expected;
  const Budget budget = {share_of(input, row), input.placement.gpu, activations, outside_bytes(input, row)};
  const Pool blocks = pool(input, row, budget);

  Tokens tokens = request_tokens(w);
  tokens.sequences = w.concurrency.value_or(tokens.sequences);
  // A window's pages are freed after a batch has passed.
  const CachePolicy policy = {row.block_tokens, row.window, batch_tokens(input, row)};
  const double state = recurrent_state_bytes(s) * tokens.sequences / ranks;
  const double asked =
      kv_cache_bytes(s, w, policy, tokens.total, tokens.sequences) * kv_share_of_rank(s, input.split.tensor) / input.split.stages;
  fill_capacity({blocks.bytes - state, blocks.cache}, row.block_tokens, pooled_sequence(input, row, tokens.total), capacity);

  InferenceEstimate e;
  e.gpu.weights = input.placement.gpu;
  e.gpu.activations = activations;
  e.gpu.recurrent_state = state;
  e.gpu.kv_cache = blocks.bytes > 0 ? std::max(0.0, blocks.bytes - state) : asked;
  e.gpu.workspace = w.enforce_eager ? 0 : (row.graphs_gib + row.graphs_layer_gib * s.layers) * k_gib;
  e.gpu.runtime = budget.outside + row.context_gib * k_gib;
  e.runtime = {0.7 * e.gpu.runtime, e.gpu.runtime, 1.5 * e.gpu.runtime};
  e.all = e.gpu.scaled(ranks);
  e.all.weights = input.placement.all_gpus;
  // What the asked work has alive, whatever the pool was made.
  e.allocated = e.gpu.weights + activations + state + asked;
  e.allocated_all = e.all.weights + (activations + state + asked) * ranks;
  e.steady = e.gpu.weights + state + asked;
  e.steady_all = e.all.weights + (state + asked) * ranks;
  e.minimum_card = least_card(row, budget, state + asked);
  e.host_bytes = input.placement.host;
  e.copies = model_copies(input);
  e.band = band_of(row, e.gpu.weights, peak, state + asked);
  return e;
}

}  // namespace gpuadvise::estimate
