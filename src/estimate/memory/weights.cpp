#include "estimate/memory/weights.hpp"

#include <gpuadvise/units.hpp>

#include "model/gguf_mix.hpp"
#include "model/inventory.hpp"
#include "model/stored_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

using model::Tensor;
using model::TensorKind;

// Which matrices a format applies to; the rest stays in 16 bits.
enum class Reach : std::uint8_t { everything, all_matrices, layer_matrices, experts };

struct StorageRow {
  PrecisionKind kind;
  double bits;          // per weight, scales and zero points of groups included
  double row_bytes;     // scale of each output row
  double column_bytes;  // order index of each input column
  Reach reach;
};

// Counted from the formats: group scales are 16 bits and zero points as wide as a weight, group 128 unless said.
constexpr auto k_storage = std::to_array<StorageRow>({
    {PrecisionKind::fp32, 32, 0, 0, Reach::everything},
    {PrecisionKind::tf32, 32, 0, 0, Reach::everything},
    {PrecisionKind::amp_fp16, 32, 0, 0, Reach::everything},
    {PrecisionKind::amp_bf16, 32, 0, 0, Reach::everything},
    {PrecisionKind::fp16, 16, 0, 0, Reach::everything},
    {PrecisionKind::bf16, 16, 0, 0, Reach::everything},
    // one fp32 scale a block of 128 x 128
    {PrecisionKind::fp8, 8 + 32.0 / 16384, 0, 0, Reach::layer_matrices},
    {PrecisionKind::fp8_dynamic, 8, 4, 0, Reach::layer_matrices},
    {PrecisionKind::fp8_weight_only, 8, 4, 0, Reach::layer_matrices},
    {PrecisionKind::fp6, 6, 2, 0, Reach::layer_matrices},
    {PrecisionKind::fp4, 4.5, 0, 0, Reach::layer_matrices},
    {PrecisionKind::int8, 8, 4, 0, Reach::layer_matrices},
    {PrecisionKind::int8_dynamic, 8, 4, 0, Reach::layer_matrices},
    {PrecisionKind::int8_weight_only, 8, 4, 0, Reach::layer_matrices},
    {PrecisionKind::int4, 4 + 20.0 / 128, 0, 0, Reach::layer_matrices},
    {PrecisionKind::int4_dynamic, 4.5, 0, 0, Reach::layer_matrices},
    {PrecisionKind::int4_weight_only, 4.5, 0, 0, Reach::layer_matrices},
    {PrecisionKind::int8_gptq, 8 + 24.0 / 128, 0, 4, Reach::layer_matrices},
    {PrecisionKind::int4_gptq, 4 + 20.0 / 128, 0, 4, Reach::layer_matrices},
    {PrecisionKind::int3_gptq, 3 + 19.0 / 128, 0, 4, Reach::layer_matrices},
    {PrecisionKind::int4_awq, 4 + 20.0 / 128, 0, 0, Reach::layer_matrices},
    // one fp32 scale a block of 64
    {PrecisionKind::nf4, 4.5, 0, 0, Reach::layer_matrices},
    {PrecisionKind::mxfp4, 4.25, 0, 0, Reach::experts},
    {PrecisionKind::mxfp8, 8.25, 0, 0, Reach::layer_matrices},
    {PrecisionKind::nvfp4, 4.5, 0, 0, Reach::layer_matrices},
    {PrecisionKind::hqq, 4.5, 0, 0, Reach::layer_matrices},
});

constexpr double k_sglang_buffers = 0.06 * k_gib;  // 1 row
constexpr double k_16_bits = 16;
constexpr double k_mlx_group_bits = 32;  // a 16-bit scale and offset a group
constexpr double k_exl2_head_bits = 6;   // the published recipes' head

StorageRow storage_of(const Precision& precision) {
  if (precision.kind == PrecisionKind::mlx) {
    const double group = precision.group > 0 ? precision.group : 64;
    return {PrecisionKind::mlx, precision.bits + k_mlx_group_bits / group, 0, 0, Reach::all_matrices};
  }
  if (precision.kind == PrecisionKind::exl2) {
    return {PrecisionKind::exl2, precision.bits, 0, 0, Reach::layer_matrices};
  }
  for (const StorageRow& row : k_storage) {
    if (row.kind == precision.kind) {
      return row;
    }
  }
  return {precision.kind, k_16_bits, 0, 0, Reach::everything};
}

// GPTQ-for-LLaMa's files come with groups of 128 and without any: half of the groups' bits is expected.
StorageRow storage_for(Engine engine, const Precision& precision) {
  StorageRow row = storage_of(precision);
  if (engine == Engine::gptq_for_llama && row.reach == Reach::layer_matrices) {
    row.bits = (row.bits + std::floor(row.bits)) / 2;
  }
  return row;
}

bool reached(const StorageRow& row, const Tensor& tensor) {
  const bool outer = tensor.kind == TensorKind::token_embedding || tensor.kind == TensorKind::output_head;
  switch (row.reach) {
    case Reach::everything:
      return true;
    case Reach::all_matrices:
      return tensor.quantisable;
    case Reach::layer_matrices:
      return tensor.quantisable && !outer;
    case Reach::experts:
      return tensor.expert;
  }
  return false;
}

// Kernels of servers for MXFP4 experts want widths in whole tiles, in the rank's own part of the experts' width and in the model's.
struct ExpertTile {
  double expert_width = 1;
  double hidden = 1;
};

// Which kernel runs depends on the card, so the same file takes more on some: gpt-oss-120b, whose widths are 2880, is counted
// 64.6 GiB on Hopper (published 64.4, 2 logs) and 65.9 with the kernel of the other cards (published 65.97).
constexpr ExpertTile k_tile_hopper = {256, 1};       // Triton: the layout of its tensor cores
constexpr ExpertTile k_tile_marlin = {128, 256};     // before Hopper, and GeForce Blackwell
constexpr ExpertTile k_tile_blackwell = {256, 256};  // FlashInfer; the same on Instinct
constexpr double k_hopper = 9.0;
constexpr double k_blackwell = 10.0;
constexpr double k_geforce_blackwell = 12.0;

ExpertTile expert_tile(const Workload& workload, PrecisionKind kind, const Gpu* gpu) {
  if (kind != PrecisionKind::mxfp4 || (workload.engine != Engine::vllm && workload.engine != Engine::sglang)) {
    return {};
  }
  if (gpu == nullptr) {
    return k_tile_hopper;
  }
  if (gpu->vendor == Vendor::amd) {
    return k_tile_blackwell;
  }
  const double capability = gpu->compute_capability.value_or(k_hopper);
  if (capability < k_hopper || capability >= k_geforce_blackwell) {
    return k_tile_marlin;
  }
  return capability >= k_blackwell ? k_tile_blackwell : k_tile_hopper;
}

double in_tiles(double width, double tile) {
  return std::ceil(width / tile) * tile / width;
}

double padded_elements(const Tensor& tensor, const ExpertTile& tile, double ranks) {
  if (!tensor.expert) {
    return tensor.elements();
  }
  const bool down = tensor.kind == TensorKind::ffn_down;
  const double width = (down ? tensor.columns : tensor.rows) / ranks;
  return tensor.elements() * in_tiles(width, tile.expert_width) * in_tiles(down ? tensor.rows : tensor.columns, tile.hidden);
}

double tensor_bytes(const Tensor& tensor, const StorageRow& row, const ExpertTile& tile, double ranks) {
  if (row.kind == PrecisionKind::exl2 && tensor.kind == TensorKind::output_head) {
    return tensor.elements() * k_exl2_head_bits / 8;
  }
  if (!reached(row, tensor)) {
    return tensor.elements() * k_16_bits / 8;
  }
  return padded_elements(tensor, tile, ranks) * row.bits / 8 +
         (tensor.rows * row.row_bytes + tensor.columns * row.column_bytes) * tensor.count;
}

double share_of_rank(const Tensor& tensor, const TransformerShape& shape, double ranks) {
  switch (tensor.kind) {
    case TensorKind::norm:
    case TensorKind::router:
    case TensorKind::attention_q_a:
    case TensorKind::attention_kv_a:
      return 1.0;
    case TensorKind::attention_k:
    case TensorKind::attention_v:
      return kv_share_of_rank(shape, ranks);
    default:
      return 1.0 / ranks;
  }
}

void add(WeightBytes& sum, const Tensor& tensor, double bytes, bool in_layer) {
  if (tensor.kind == TensorKind::token_embedding) {
    sum.embedding += bytes;
  } else if (tensor.kind == TensorKind::output_head) {
    sum.head += bytes;
  } else {
    (in_layer ? sum.layers : sum.outer) += bytes;
  }
}

bool is_split_projection(TensorKind kind) {
  return kind == TensorKind::attention_q || kind == TensorKind::attention_k || kind == TensorKind::attention_v;
}

bool outside_layers(TensorKind kind) {
  return kind == TensorKind::token_embedding || kind == TensorKind::output_head || kind == TensorKind::position_embedding;
}

// Type of what no format reaches: vision tower, adapters.
double outer_params(const TransformerShape& shape) {
  return shape.vision_params + (shape.mtp_layers > 0 ? 0.0 : shape.extra_params);
}

WeightBytes gguf_weights(const TransformerShape& shape, GgufMix mix) {
  const model::GgufBytes file = model::gguf_bytes(shape, mix);
  WeightBytes sum;
  sum.embedding = file.embedding;
  sum.head = file.head;
  sum.layers = file.layers;
  sum.layers_of_rank = file.layers;
  sum.experts = file.experts;
  // The vision tower is a file of its own, in 16 bits; without it the model answers text only.
  sum.outer = file.outer;
  return sum;
}

WeightBytes matrix_weights(const Workload& workload, const TransformerShape& shape, const Precision& precision, double ranks,
                           const Gpu* gpu) {
  const StorageRow row = storage_for(workload.engine, precision);
  const ExpertTile tile = expert_tile(workload, precision.kind, gpu);
  WeightBytes sum;
  model::for_each_distinct_tensor(shape, [&](const Tensor& tensor, double repeats) {
    const double bytes = tensor_bytes(tensor, row, tile, ranks) * repeats;
    const bool in_layer = !outside_layers(tensor.kind);
    add(sum, tensor, bytes, in_layer);
    sum.experts += tensor.expert ? bytes : 0.0;
    sum.split_qkv += is_split_projection(tensor.kind) ? bytes : 0.0;
    if (in_layer) {
      sum.layers_of_rank += bytes * share_of_rank(tensor, shape, ranks);
      if (tensor.quantisable && tensor.count <= 1) {
        sum.largest_matrix = std::max(sum.largest_matrix, tensor.elements());
      }
    }
  });
  const double outer_bits = row.reach == Reach::everything ? row.bits : k_16_bits;
  sum.outer += outer_params(shape) * outer_bits / 8;
  return sum;
}

bool is_fp8(PrecisionKind kind) {
  return kind == PrecisionKind::fp8 || kind == PrecisionKind::fp8_dynamic;
}

// Whether the weights stay as the model's file has them. vLLM and SGLang pad MXFP4 experts, which the count knows.
bool as_stored(const Precision& precision, const StoredWeights& file, Engine engine) {
  const bool padded = precision.kind == PrecisionKind::mxfp4 && (engine == Engine::vllm || engine == Engine::sglang);
  return !padded && model::keeps_stored_format(precision, file);
}

// The layers take what the file holds beside the tables and what stands outside.
void fit_to_file(WeightBytes& sum, const StoredWeights& file) {
  const double layers = file.bytes - file.embedding_bytes - file.head_bytes - sum.outer;
  if (file.embedding_bytes <= 0 || layers <= 0 || sum.layers <= 0) {
    return;
  }
  const double ratio = layers / sum.layers;
  sum.embedding = file.embedding_bytes;
  sum.head = file.head_bytes;
  sum.layers = layers;
  sum.layers_of_rank *= ratio;
  sum.experts *= ratio;
  sum.split_qkv *= ratio;
}

}  // namespace

double kv_share_of_rank(const TransformerShape& shape, double tensor_ranks) {
  if (shape.attention == AttentionKind::mla) {
    return 1.0;
  }
  return std::max(1.0 / tensor_ranks, 1.0 / std::max(1.0, shape.kv_heads));
}

DeviceSplit device_split(const Workload& workload) {
  const double gpus = workload.all_gpus();
  if (workload.tp > 1 || workload.pp > 1) {
    return {workload.tp, workload.pp};
  }
  switch (workload.strategy) {
    case Strategy::tp:
      return {gpus, 1};
    case Strategy::ddp:
    case Strategy::zero1:
    case Strategy::zero2:
      return {1, 1};
    case Strategy::pp:
    case Strategy::layer_split:
    case Strategy::fsdp:
    case Strategy::zero3:
      return {1, gpus};
    case Strategy::none:
      break;
  }
  switch (workload.engine) {
    case Engine::vllm:
    case Engine::sglang:
    case Engine::tensorrt_llm:
    case Engine::mlc_llm:
      return {gpus, 1};
    default:
      return {1, gpus};
  }
}

WeightBytes weight_bytes(const Workload& workload, const TransformerShape& shape, const Gpu* gpu) {
  const Precision precision = workload.weights.value_or(workload.precision);
  const double ranks = device_split(workload).tensor;
  WeightBytes sum =
      precision.kind == PrecisionKind::gguf ? gguf_weights(shape, precision.mix) : matrix_weights(workload, shape, precision, ranks, gpu);
  if (precision.kind == PrecisionKind::gguf) {
    sum.layers_of_rank /= ranks;
  }
  const bool file = as_stored(precision, shape.stored, workload.engine);
  if (file) {
    fit_to_file(sum, shape.stored);
  }
  sum.outer += workload.engine == Engine::sglang ? k_sglang_buffers : 0.0;
  sum.layer_count = std::max(1, model::total_layers(shape));
  const double head_16_bit = shape.vocab * shape.hidden * k_16_bits / 8;
  // Published FP8 files of tied models hold a head of their own (3 of 3 sizes of Qwen3); AWQ files run tied, but
  // their loader makes a head first.
  if (shape.tied_embeddings && is_fp8(precision.kind) && !file) {
    sum.head = head_16_bit;
  }
  if (shape.tied_embeddings && precision.kind == PrecisionKind::int4_awq) {
    sum.untied_head = head_16_bit;
  }
  return sum;
}

double weights_per_gpu(const WeightBytes& weights, const DeviceSplit& split) {
  const double layers = weights.layers_of_rank * std::ceil(weights.layer_count / split.stages) / weights.layer_count;
  if (split.stages <= 1) {
    return layers + (weights.embedding + weights.head + weights.outer) / split.tensor;
  }
  // The first stage embeds, the last has the head; a tied matrix serves both.
  return layers + std::max(weights.embedding + weights.outer, weights.head) / split.tensor;
}

double weights_all_gpus(const WeightBytes& weights, const DeviceSplit& split) {
  return weights.layers_of_rank * split.tensor + weights.embedding + weights.head + weights.outer;
}

WeightPlacement place_weights(const WeightBytes& weights, const DeviceSplit& split, const Workload& workload) {
  WeightPlacement place{weights_per_gpu(weights, split), weights_all_gpus(weights, split), 0.0, 1.0};
  const double layers_here = workload.offload.layers_on_gpu;
  switch (workload.offload.kind) {
    case OffloadKind::layers: {
      if (layers_here > weights.layer_count) {
        return place;
      }
      // The last layers go to the GPU; the look-up table and the head stay with the first ones on the host.
      const double share = std::clamp(layers_here / weights.layer_count, 0.0, 1.0);
      place.gpu = weights.layers_of_rank * share / split.stages;
      place.all_gpus = weights.layers * share;
      place.kv_share = share;
      break;
    }
    case OffloadKind::params:
      // Routed experts to the host where there are any, else all layers, streamed one at a time.
      if (weights.experts > 0) {
        place.gpu -= weights.experts / split.gpus();
        place.all_gpus -= weights.experts;
        break;
      }
      [[fallthrough]];
    case OffloadKind::sequential:
      place.gpu = 2 * weights.layers_of_rank / weights.layer_count + (weights.embedding + weights.head + weights.outer) / split.gpus();
      place.all_gpus = place.gpu * split.gpus();
      break;
    default:
      return place;
  }
  place.host = std::max(0.0, weights.total() - place.all_gpus);
  return place;
}

double attention_in_16_bits_extra(const TransformerShape& shape) {
  double elements = 0;
  model::for_each_distinct_tensor(shape, [&](const Tensor& tensor, double repeats) {
    switch (tensor.kind) {
      case TensorKind::attention_q:
      case TensorKind::attention_k:
      case TensorKind::attention_v:
      case TensorKind::attention_qkv:
      case TensorKind::attention_output:
        elements += tensor.elements() * repeats;
        break;
      default:
        break;
    }
  });
  return elements;
}

std::optional<double> checkpoint_extra_bytes_per_gpu(const Workload& workload, const TransformerShape& shape) {
  const Precision precision = workload.weights.value_or(workload.precision);
  if (!shape.fp8_keeps_attention || !is_fp8(precision.kind) || as_stored(precision, shape.stored, workload.engine)) {
    return std::nullopt;
  }
  return attention_in_16_bits_extra(shape) / device_split(workload).gpus();
}

}  // namespace gpuadvise::estimate
