#include "estimate/memory/transformer_training_layers.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

double query_width(const TransformerShape& s) {
  return s.heads * s.head_dim;
}

double key_width(const TransformerShape& s) {
  return s.kv_heads * s.head_dim;
}

double moe_layer_count(const TransformerShape& s) {
  if (s.moe.experts <= 0) {
    return 0;
  }
  return s.moe.moe_layers.value_or(std::max(0.0, s.layers - s.moe.dense_layers));
}

}  // namespace

ParameterSplit split_parameters(const TransformerShape& s) {
  ParameterSplit split;
  split.embedding = s.vocab * s.hidden * (s.tied_embeddings ? 1 : 2);
  split.vision = s.vision_params;
  const double rest = std::max(0.0, s.params - split.embedding - split.vision);
  const double matrices = s.gated_mlp ? 3 : 2;
  split.experts = std::min(0.98 * rest, moe_layer_count(s) * s.moe.experts * matrices * s.hidden * s.moe.expert_ffn);
  split.linear = rest - split.experts;
  return split;
}

FixedList<AdaptedLinear, 7> adapted_linears(const TransformerShape& s, const LoraTargets& t) {
  FixedList<AdaptedLinear, 7> linears;
  const double q = query_width(s);
  const double kv = key_width(s);
  const double ffn = active_ffn(s);
  const auto add = [&linears](bool wanted, LinearInput source, double in, double out) {
    if (wanted) {
      linears.push_back({source, in, out});
    }
  };
  add(t.q, LinearInput::attention_norm, s.hidden, q);
  add(t.k, LinearInput::attention_norm, s.hidden, kv);
  add(t.v, LinearInput::attention_norm, s.hidden, kv);
  add(t.o, LinearInput::attention_output, q, s.hidden);
  add(t.gate && s.gated_mlp, LinearInput::feed_forward_norm, s.hidden, ffn);
  add(t.up, LinearInput::feed_forward_norm, s.hidden, ffn);
  add(t.down, LinearInput::feed_forward_product, ffn, s.hidden);
  return linears;
}

double active_ffn(const TransformerShape& s) {
  const double moe_layers = moe_layer_count(s);
  if (moe_layers <= 0 || s.layers <= 0) {
    return s.ffn;
  }
  const double shared = s.moe.shared_ffn > 0 ? s.moe.shared_ffn : s.moe.shared * s.moe.expert_ffn;
  const double expert = s.moe.active * s.moe.expert_ffn + shared + s.moe.dense_residual_ffn;
  return (moe_layers * expert + (s.layers - moe_layers) * s.ffn) / s.layers;
}

double largest_linear(const TransformerShape& s) {
  const double ffn = s.moe.experts > 0 ? std::max(s.moe.expert_ffn, s.moe.dense_layers > 0 ? s.ffn : 0.0) : s.ffn;
  return s.hidden * std::max(query_width(s), ffn);
}

double all_layers(const TransformerShape& s) {
  return s.layers + s.decoder_layers;
}

bool has_dropout(const TransformerShape& s) {
  const bool encoder = s.kind == TransformerKind::encoder || s.kind == TransformerKind::encoder_decoder;
  return encoder || (!s.gated_mlp && s.position_embeddings > 0);
}

bool writes_scores(const Workload& w, const TransformerShape& s) {
  return w.attention == AttentionBackend::eager || s.position_scores;
}

}  // namespace gpuadvise::estimate
