// Published shapes that several tests of the estimators use.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::test {

inline TransformerShape llama_2_7b() {
  TransformerShape s;
  s.params = s.active_params = 6738415616.0;
  s.layers = s.attention_layers = 32;
  s.hidden = 4096;
  s.heads = s.kv_heads = 32;
  s.head_dim = 128;
  s.ffn = 11008;
  s.vocab = 32000;
  return s;
}

inline TransformerShape qwen_2_5_1_5b() {
  TransformerShape s;
  s.params = s.active_params = 1543714304.0;
  s.layers = s.attention_layers = 28;
  s.hidden = 1536;
  s.heads = 12;
  s.kv_heads = 2;
  s.head_dim = 128;
  s.ffn = 8960;
  s.vocab = 151936;
  s.tied_embeddings = true;
  s.attention = AttentionKind::gqa;
  return s;
}

inline TransformerShape bert_base() {
  TransformerShape s;
  s.kind = TransformerKind::encoder;
  s.params = s.active_params = 109482240.0;
  s.layers = 12;
  s.hidden = 768;
  s.heads = s.kv_heads = 12;
  s.head_dim = 64;
  s.ffn = 3072;
  s.vocab = 30522;
  s.tied_embeddings = true;
  s.gated_mlp = false;
  s.position_embeddings = 512;
  return s;
}

inline TransformerShape mixtral_8x7b() {
  TransformerShape s = llama_2_7b();
  s.params = 46702792704.0;
  s.active_params = 12879925248.0;
  s.kv_heads = 8;
  s.ffn = 14336;
  s.attention = AttentionKind::gqa;
  s.moe.experts = 8;
  s.moe.active = 2;
  s.moe.expert_ffn = 14336;
  return s;
}

inline Workload training_of(const TransformerShape& shape, PrecisionKind precision, Method method = Method::full) {
  Workload w;
  const bool encoder = shape.kind == TransformerKind::encoder;
  w.field = encoder ? Field::encoder : Field::language;
  w.task = method == Method::full && encoder ? Task::train : Task::finetune;
  w.head = encoder ? Head::classification : Head::lm;
  w.method = method;
  w.precision.kind = precision;
  w.seq = 512;
  w.lora_targets.q = w.lora_targets.v = true;
  return w;
}

}  // namespace gpuadvise::test
