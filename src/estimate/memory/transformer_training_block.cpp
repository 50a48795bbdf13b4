#include "estimate/memory/transformer_training_block.hpp"

#include "estimate/memory/transformer_training_layers.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

constexpr double k_log_sum_exp_bytes = 4;  // fp32, one a head
constexpr double k_mask_bytes = 1;

// Bytes of one element of an eager score matrix: softmax output, mask, dropped output, and the copy for the product.
// Counted; 5 agrees with Qwen-7B (4.99). With dropout a prior: 9 BERT-large figures of one source (two more bytes).
double score_bytes(const TrainingMode& mode, bool dropout) {
  if (mode.autocast) {
    return dropout ? 11 : 5;
  }
  if (mode.compute > 2) {
    return dropout ? 9 : 4;
  }
  return dropout ? 6 : 5;
}

// Counted: queries, keys and values as the fused kernel reads them (shared heads expanded), its output.
double attention_bytes(const TransformerShape& s, double compute) {
  if (s.attention == AttentionKind::mla) {
    const double qk = s.heads * (s.mla.qk_nope_head_dim + s.mla.qk_rope_head_dim);
    const double latent = s.mla.q_lora_rank + s.mla.kv_lora_rank;
    return compute * (2 * qk + 2 * s.heads * s.mla.v_head_dim + latent) + k_log_sum_exp_bytes * s.heads;
  }
  return compute * 4 * s.heads * s.head_dim + k_log_sum_exp_bytes * s.heads;
}

// prior: input projection and convolution, what the scan reads, its output, a gated norm in fp32
double recurrent_bytes(const LinearState& l, double compute) {
  const double inner = std::max(l.inner, l.value_heads * l.value_dim);
  const double state = std::max(l.groups * l.state, l.key_heads * l.key_dim);
  return compute * (2 * (2 * inner + 2 * state) + 2 * inner) + 4 * inner;
}

// Bytes of an element that a linear layer keeps for the gradient of its weight.
double linear_input_bytes(const Workload& w, const TrainingMode& mode, const StackBehaviour& stack) {
  const bool eight_bit = stack.fp8_inputs && (w.precision.kind == PrecisionKind::fp8 || w.precision.kind == PrecisionKind::mxfp8);
  return eight_bit ? 1 : mode.compute;
}

// Counted. Gated: gate, its activation, up and (for the weight gradient of down) their product.
double feed_forward_bytes(const TransformerShape& s, const TrainingMode& mode, bool dropout, bool fused, double input) {
  const double width = active_ffn(s);
  if (s.gated_mlp) {
    return ((fused ? 2.0 : 3.0) * mode.compute + (mode.trains_base ? input : 0.0)) * width;
  }
  return (mode.compute + (mode.trains_base || dropout ? input : 0.0)) * width;
}

// Two norms a block. A LayerNorm keeps its input; an RMSNorm written in PyTorch keeps an fp32 copy of it, and the
// normalised value where its weight is trained. What the linear layers read afterwards is kept where they are trained.
double norm_bytes(const TransformerShape& s, const TrainingMode& mode, bool fused, bool shared_inputs, double input) {
  const double h = s.hidden;
  const bool rms = s.gated_mlp && s.kind != TransformerKind::encoder;
  double kept = 0;
  if (rms && !fused) {
    kept = 2 * 4 * h + (mode.trains_base ? 2 * mode.compute * h : 0);
  } else {
    kept = 2 * mode.residual * h;
  }
  const double frozen_outputs = shared_inputs ? 0 : h;
  const bool shared_output = s.kind == TransformerKind::encoder;  // the attention output is what the projection reads
  if (!mode.trains_base) {
    return kept + mode.compute * frozen_outputs;
  }
  return kept + input * (2 * h + (shared_output ? 0 : s.heads * s.head_dim));
}

// Programs with shared inputs keep what each group of adapters reads once (the attention output is kept anyway). PEFT casts
// and drops out an input for every layer: fitted on 211 figures, at most two of the attention's count.
double adapter_input_bytes(const Workload& w, const TransformerShape& s, const StackBehaviour& stack) {
  constexpr double k_copy_bytes = 2;
  double attention_inputs = 0;
  double product = 0;
  bool feed_forward = false;
  for (const AdaptedLinear& linear : adapted_linears(s, w.lora_targets)) {
    attention_inputs += linear.source == LinearInput::attention_norm ? 1 : 0;
    attention_inputs += linear.source == LinearInput::attention_output && stack.own_adapter_inputs ? 1 : 0;
    feed_forward = feed_forward || linear.source == LinearInput::feed_forward_norm;
    product += linear.source == LinearInput::feed_forward_product ? linear.in : 0;
  }
  if (!stack.own_adapter_inputs) {
    return k_copy_bytes * (s.hidden * (std::min(attention_inputs, 1.0) + (feed_forward ? 1 : 0)) + product);
  }
  return (k_copy_bytes + k_mask_bytes) * (s.hidden * std::min(attention_inputs, 2.0) + product) +
         (feed_forward ? 2 * k_copy_bytes * s.hidden : 0);
}

// Inputs of attention, output projection, feed-forward and its last layer, where 4-bit layers keep them.
double quantised_input_bytes(const TransformerShape& s, const StackBehaviour& stack) {
  return stack.quantised_input_bytes * (2 * s.hidden + s.heads * s.head_dim + active_ffn(s));
}

}  // namespace

BlockBytes block_bytes(const Workload& w, const TransformerShape& s, const TrainingMode& mode, const StackBehaviour& stack, double seq) {
  const bool dropout = has_dropout(s);
  BlockBytes bytes;
  // A hybrid is taken as uniform: every block has both, in their proportion.
  const double attention_share = s.linear.layers > 0 ? s.attention_layers / (s.attention_layers + s.linear.layers) : 1;
  bytes.attention = attention_share * attention_bytes(s, mode.compute) + (1 - attention_share) * recurrent_bytes(s.linear, mode.compute);
  if (writes_scores(w, s)) {
    bytes.scores = attention_share * s.heads * seq * score_bytes(mode, dropout);
  }
  const double input = linear_input_bytes(w, mode, stack);
  bytes.feed_forward = feed_forward_bytes(s, mode, dropout, stack.fused_kernels, input);
  bytes.norms = norm_bytes(s, mode, stack.fused_kernels, !stack.own_adapter_inputs, input);
  bytes.dropout = dropout ? 2 * k_mask_bytes * s.hidden : 0;
  if (!mode.trains_base) {
    bytes.adapters = adapter_input_bytes(w, s, stack);
    bytes.adapters += mode.storage == BaseStorage::nf4 ? quantised_input_bytes(s, stack) : 0;
  }
  return bytes;
}

}  // namespace gpuadvise::estimate
