// The matrices a transformer is made of, from its shape: what storage, file sizes and splits over GPUs are counted on.
#pragma once

#include <gpuadvise/model.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuadvise::model {

enum class TensorKind : std::uint8_t {
  token_embedding,
  output_head,
  position_embedding,
  attention_q,
  attention_k,
  attention_v,
  attention_qkv,
  attention_q_a,
  attention_q_b,
  attention_kv_a,
  attention_kv_b,
  attention_output,
  ffn_gate,
  ffn_up,
  ffn_down,
  router,
  state_projection,
  state_small,
  convolution,
  norm,
  bias,
};

// Whisper: encoder positions of 30 s of sound, and decoder positions.
inline constexpr double k_speech_frames = 1500.0;
inline constexpr double k_speech_tokens = 448.0;

// `count` matrices of rows x columns; columns is the length of the dimension that is multiplied and quantised in blocks.
struct Tensor {
  TensorKind kind = TensorKind::norm;
  double columns = 0.0;
  double rows = 0.0;
  double count = 1.0;  // experts
  bool expert = false;
  bool quantisable = true;

  [[nodiscard]] constexpr double elements() const { return columns * rows * count; }
};

// What stands in one layer. Layers of the same kind have the same tensors.
struct LayerKind {
  bool attention = true;  // else recurrent state
  bool global = true;     // attention over the whole context, with the head shape of global layers
  bool experts = false;
  bool mlp = true;
  bool cross_attention = false;

  [[nodiscard]] friend constexpr bool operator==(const LayerKind&, const LayerKind&) = default;
};

// Layers of both stacks: an encoder-decoder model has `layers` encoder and `decoder_layers` decoder layers.
[[nodiscard]] int total_layers(const TransformerShape& shape);
[[nodiscard]] LayerKind layer_kind(const TransformerShape& shape, int layer);
// Whether all layers are of one kind, as in most models: then one need not ask for each.
[[nodiscard]] bool uniform_layers(const TransformerShape& shape);
// Layers that keep keys and values of every position, and those that keep a window.
[[nodiscard]] double global_attention_layers(const TransformerShape& shape);
[[nodiscard]] double sliding_attention_layers(const TransformerShape& shape);

// Width of all query heads, and of the keys (or values) of one layer.
[[nodiscard]] double query_width(const TransformerShape& shape);
[[nodiscard]] double key_width(const TransformerShape& shape, bool global);
// Width of the shared expert; 0 without one.
[[nodiscard]] double shared_expert_width(const TransformerShape& shape);
// Width of the state-space projection's input and the elements of state kept per sequence in one layer.
[[nodiscard]] double convolution_width(const TransformerShape& shape);

// Parameters in all tensors, with the vision tower and the extras, without multi-token heads.
[[nodiscard]] double count_params(const TransformerShape& shape);

namespace detail {

constexpr double k_mel_bands = 80.0;
constexpr double k_norm_vectors = 2.0;  // a scale, and a shift where the family has biases

template <class F>
void dense(F&& visit, TensorKind kind, double columns, double rows) {
  visit(Tensor{kind, columns, rows, 1.0, false, true});
}

template <class F>
void plain(F&& visit, TensorKind kind, double columns, double rows) {
  visit(Tensor{kind, columns, rows, 1.0, false, false});
}

template <class F>
void visit_latent_attention(const TransformerShape& s, F&& visit) {
  const Mla& m = s.mla;
  const double query = s.heads * (m.qk_nope_head_dim + m.qk_rope_head_dim);
  if (m.q_lora_rank > 0) {
    dense(visit, TensorKind::attention_q_a, s.hidden, m.q_lora_rank);
    dense(visit, TensorKind::attention_q_b, m.q_lora_rank, query);
  } else {
    dense(visit, TensorKind::attention_q, s.hidden, query);
  }
  dense(visit, TensorKind::attention_kv_a, s.hidden, m.kv_lora_rank + m.qk_rope_head_dim);
  dense(visit, TensorKind::attention_kv_b, m.kv_lora_rank, s.heads * (m.qk_nope_head_dim + m.v_head_dim));
  dense(visit, TensorKind::attention_output, s.heads * m.v_head_dim, s.hidden);
}

template <class F>
void visit_attention(const TransformerShape& s, bool global, F&& visit) {
  if (s.attention == AttentionKind::mla) {
    visit_latent_attention(s, visit);
    return;
  }
  const double head = global && s.global_head_dim > 0 ? s.global_head_dim : s.head_dim;
  const double query = s.heads * head;
  const double key = key_width(s, global);
  if (s.fused_qkv) {
    dense(visit, TensorKind::attention_qkv, s.hidden, query + 2 * key);
  } else {
    dense(visit, TensorKind::attention_q, s.hidden, query * (s.gated_query ? 2 : 1));
    dense(visit, TensorKind::attention_k, s.hidden, key);
    dense(visit, TensorKind::attention_v, s.hidden, key);
  }
  dense(visit, TensorKind::attention_output, query, s.hidden);
  if (s.bias || s.qkv_bias) {
    plain(visit, TensorKind::bias, query + 2 * key + (s.bias ? s.hidden : 0), 1);
  }
}

template <class F>
void visit_state(const TransformerShape& s, F&& visit) {
  const LinearState& state = s.linear;
  const double values = state.value_heads * state.value_dim;
  const double keys = state.key_heads * state.key_dim;
  switch (state.kind) {
    case StateKind::gated_delta:
      dense(visit, TensorKind::state_projection, s.hidden, 2 * keys + 2 * values);
      dense(visit, TensorKind::state_projection, s.hidden, 2 * state.value_heads);
      dense(visit, TensorKind::state_projection, values, s.hidden);
      break;
    case StateKind::mamba2:
      dense(visit, TensorKind::state_projection, s.hidden, 2 * state.inner + 2 * state.groups * state.state + state.heads);
      dense(visit, TensorKind::state_projection, state.inner, s.hidden);
      break;
    case StateKind::mamba1: {
      const double rank = state.dt_rank > 0 ? state.dt_rank : s.hidden / 16;
      dense(visit, TensorKind::state_projection, s.hidden, 2 * state.inner);
      dense(visit, TensorKind::state_projection, state.inner, rank + 2 * state.state);
      dense(visit, TensorKind::state_projection, rank, state.inner);
      plain(visit, TensorKind::state_small, state.state, state.inner);
      dense(visit, TensorKind::state_projection, state.inner, s.hidden);
      break;
    }
    case StateKind::short_conv:
      dense(visit, TensorKind::state_projection, s.hidden, 3 * s.hidden);
      dense(visit, TensorKind::state_projection, s.hidden, s.hidden);
      break;
    case StateKind::rwkv:
      dense(visit, TensorKind::state_projection, s.hidden, 5 * s.hidden);
      break;
    case StateKind::none:
      break;
  }
  plain(visit, TensorKind::convolution, state.conv, convolution_width(s));
}

template <class F>
void visit_mlp(const TransformerShape& s, double width, F&& visit) {
  if (s.gated_mlp && !s.fused_gate_up) {
    dense(visit, TensorKind::ffn_gate, s.hidden, width);
  }
  dense(visit, TensorKind::ffn_up, s.hidden, s.gated_mlp && s.fused_gate_up ? 2 * width : width);
  dense(visit, TensorKind::ffn_down, width, s.hidden);
  if (s.bias) {
    plain(visit, TensorKind::bias, (s.gated_mlp ? 2 * width : width) + s.hidden, 1);
  }
}

// Routed experts of one kind have the same matrices as any MLP of the model: two, or three where a gate stands beside them.
template <class F>
void visit_experts(const TransformerShape& s, F&& visit) {
  const MixtureOfExperts& m = s.moe;
  plain(visit, TensorKind::router, s.hidden, m.experts);
  if (s.gated_mlp) {
    visit(Tensor{TensorKind::ffn_gate, s.hidden, m.expert_ffn, m.experts, true, true});
  }
  visit(Tensor{TensorKind::ffn_up, s.hidden, m.expert_ffn, m.experts, true, true});
  visit(Tensor{TensorKind::ffn_down, m.expert_ffn, s.hidden, m.experts, true, true});
  if (m.expert_bias) {
    plain(visit, TensorKind::bias, ((s.gated_mlp ? 2 : 1) * m.expert_ffn + s.hidden) * m.experts, 1);
  }
  for (const double width : {shared_expert_width(s), m.dense_residual_ffn}) {
    if (width > 0) {
      if (s.gated_mlp) {
        dense(visit, TensorKind::ffn_gate, s.hidden, width);
      }
      dense(visit, TensorKind::ffn_up, s.hidden, width);
      dense(visit, TensorKind::ffn_down, width, s.hidden);
    }
  }
}

}  // namespace detail

// Tensors of one layer of the given kind, in the order of a model file.
template <class F>
void for_each_layer_tensor(const TransformerShape& shape, LayerKind kind, F&& visit) {
  const double vectors = shape.bias ? detail::k_norm_vectors : 1.0;
  detail::plain(visit, TensorKind::norm, shape.hidden, vectors * (kind.cross_attention ? 3 : 2));
  if (kind.attention) {
    detail::visit_attention(shape, kind.global, visit);
  } else {
    detail::visit_state(shape, visit);
  }
  if (kind.cross_attention) {
    detail::visit_attention(shape, kind.global, visit);
  }
  if (kind.experts) {
    detail::visit_experts(shape, visit);
  } else if (kind.mlp && shape.ffn > 0) {
    detail::visit_mlp(shape, shape.ffn, visit);
  }
}

// Rows of the published tables: encoders that add segment embeddings (counted with the positions) end in a pooler.
[[nodiscard]] inline bool has_pooler(const TransformerShape& shape) {
  return shape.kind == TransformerKind::encoder && shape.position_embeddings > shape.max_context && shape.max_context > 0;
}

// Tensors outside the layers. Tied models have no head of their own.
template <class F>
void for_each_outer_tensor(const TransformerShape& shape, F&& visit) {
  detail::dense(visit, TensorKind::token_embedding, shape.hidden, shape.vocab);
  if (shape.position_embeddings > 0 && shape.kind != TransformerKind::speech) {
    detail::plain(visit, TensorKind::position_embedding, shape.hidden, shape.position_embeddings);
  }
  detail::plain(visit, TensorKind::norm, shape.hidden, shape.bias ? detail::k_norm_vectors : 1.0);
  if (shape.kind == TransformerKind::speech) {
    detail::plain(visit, TensorKind::convolution, 3 * detail::k_mel_bands, shape.hidden);
    detail::plain(visit, TensorKind::convolution, 3 * shape.hidden, shape.hidden);
    detail::plain(visit, TensorKind::position_embedding, shape.hidden, k_speech_frames + k_speech_tokens);
  }
  if (has_pooler(shape)) {
    detail::dense(visit, TensorKind::output_head, shape.hidden, shape.hidden);
  }
  if (!shape.tied_embeddings) {
    detail::dense(visit, TensorKind::output_head, shape.hidden, shape.vocab);
  }
}

// visit(tensor, layer): every tensor in the order of a model file; layer is -1 outside the layers.
template <class F>
void for_each_tensor(const TransformerShape& shape, F&& visit) {
  for_each_outer_tensor(shape, [&](const Tensor& tensor) { visit(tensor, -1); });
  const int layers = total_layers(shape);
  for (int layer = 0; layer < layers; ++layer) {
    for_each_layer_tensor(shape, layer_kind(shape, layer), [&](const Tensor& tensor) { visit(tensor, layer); });
  }
}

// visit(tensor, repeats): each distinct tensor of the layers once, for sums that need no order; outer tensors have
// repeats 1 and layer tensors as many as layers of their kind.
template <class F>
void for_each_distinct_tensor(const TransformerShape& shape, F&& visit) {
  for_each_outer_tensor(shape, [&](const Tensor& tensor) { visit(tensor, 1.0); });
  FixedList<LayerKind, 16> kinds;
  std::array<double, 16> repeats{};
  const int layers = total_layers(shape);
  const int asked = uniform_layers(shape) ? std::min(layers, 1) : layers;
  for (int layer = 0; layer < asked; ++layer) {
    const LayerKind kind = layer_kind(shape, layer);
    std::size_t i = 0;
    while (i < kinds.size() && !(kinds[i] == kind)) {
      ++i;
    }
    if (i == kinds.size()) {
      kinds.push_back(kind);
    }
    repeats[i] += asked < layers ? layers : 1;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for_each_layer_tensor(shape, kinds[i], [&](const Tensor& tensor) { visit(tensor, repeats[i]); });
  }
}

}  // namespace gpuadvise::model
