#include "model/inventory.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

// Whether position `index` of `total` is one of `chosen` spread evenly, the last of each group of total / chosen.
bool evenly_chosen(double index, double chosen, double total) {
  if (chosen <= 0 || total <= 0) {
    return false;
  }
  return std::floor((index + 1) * chosen / total) > std::floor(index * chosen / total);
}

double attention_layers(const TransformerShape& shape) {
  return shape.linear.kind == StateKind::none ? shape.layers : std::max(0.0, shape.layers - shape.linear.layers);
}

bool has_experts(const TransformerShape& shape, double layer) {
  const MixtureOfExperts& moe = shape.moe;
  if (moe.experts <= 0) {
    return false;
  }
  // A given number of expert layers alternates with dense ones; `dense_layers` then counts those in between.
  if (moe.moe_layers && *moe.moe_layers < shape.layers - moe.dense_layers + 0.5 && moe.dense_layers > 0) {
    return evenly_chosen(layer, *moe.moe_layers, shape.layers);
  }
  return layer >= moe.dense_layers;
}

}  // namespace

int total_layers(const TransformerShape& shape) {
  return static_cast<int>(shape.layers + shape.decoder_layers);
}

double sliding_attention_layers(const TransformerShape& shape) {
  return shape.sliding_window > 0 ? std::min(shape.sliding_layers, attention_layers(shape)) : 0.0;
}

double global_attention_layers(const TransformerShape& shape) {
  const double all = shape.decoder_layers > 0 ? shape.decoder_layers : attention_layers(shape);
  return std::max(0.0, all - sliding_attention_layers(shape));
}

bool uniform_layers(const TransformerShape& shape) {
  return shape.linear.kind == StateKind::none && shape.global_head_dim <= 0 && shape.decoder_layers <= 0 && shape.mlp_layers <= 0 &&
         (shape.moe.experts <= 0 || shape.moe.dense_layers <= 0);
}

LayerKind layer_kind(const TransformerShape& shape, int layer) {
  const double index = layer;
  LayerKind kind;
  kind.attention = shape.linear.kind == StateKind::none || evenly_chosen(index, attention_layers(shape), shape.layers);
  kind.global = shape.global_head_dim <= 0 || evenly_chosen(index, shape.layers - sliding_attention_layers(shape), shape.layers);
  kind.cross_attention = shape.decoder_layers > 0 && index >= shape.layers;
  kind.experts = has_experts(shape, index);
  kind.mlp = shape.mlp_layers <= 0 || index < shape.mlp_layers;
  return kind;
}

double query_width(const TransformerShape& shape) {
  if (shape.attention == AttentionKind::mla) {
    return shape.heads * (shape.mla.qk_nope_head_dim + shape.mla.qk_rope_head_dim);
  }
  return shape.heads * shape.head_dim;
}

double key_width(const TransformerShape& shape, bool global) {
  const double heads = global && shape.global_kv_heads > 0 ? shape.global_kv_heads : shape.kv_heads;
  const double head = global && shape.global_head_dim > 0 ? shape.global_head_dim : shape.head_dim;
  return heads * head;
}

double shared_expert_width(const TransformerShape& shape) {
  return shape.moe.shared_ffn > 0 ? shape.moe.shared_ffn : shape.moe.shared * shape.moe.expert_ffn;
}

double convolution_width(const TransformerShape& shape) {
  const LinearState& state = shape.linear;
  switch (state.kind) {
    case StateKind::gated_delta:
      return 2 * state.key_heads * state.key_dim + state.value_heads * state.value_dim;
    case StateKind::mamba2:
      return state.inner + 2 * state.groups * state.state;
    case StateKind::mamba1:
      return state.inner;
    case StateKind::short_conv:
      return shape.hidden;
    case StateKind::rwkv:
    case StateKind::none:
      break;
  }
  return 0.0;
}

double count_params(const TransformerShape& shape) {
  double sum = shape.vision_params + (shape.mtp_layers > 0 ? 0.0 : shape.extra_params);
  for_each_distinct_tensor(shape, [&](const Tensor& tensor, double repeats) { sum += tensor.elements() * repeats; });
  return sum;
}

}  // namespace gpuadvise::model
