#include "estimate/speed/transformer.hpp"

#include "model/gguf_mix.hpp"
#include "model/stored_format.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

double query_key_width(const TransformerShape& shape) {
  if (shape.attention == AttentionKind::mla) {
    return shape.heads * (shape.mla.qk_nope_head_dim + shape.mla.qk_rope_head_dim);
  }
  return shape.heads * shape.head_dim;
}

double value_width(const TransformerShape& shape) {
  return shape.attention == AttentionKind::mla ? shape.heads * shape.mla.v_head_dim : shape.heads * shape.head_dim;
}

double caching_layers(const TransformerShape& shape) {
  return shape.attention_layers > 0.0 ? shape.attention_layers : shape.attention == AttentionKind::ssm ? 0.0 : stacked_layers(shape);
}

// Elements of one layer's keys and values of a token.
double kv_elements(const TransformerShape& shape) {
  if (shape.attention == AttentionKind::mla) {
    return shape.mla.kv_lora_rank + shape.mla.qk_rope_head_dim;
  }
  return 2.0 * shape.kv_heads * shape.head_dim;
}

double windowed_context(const TransformerShape& shape, double context) {
  const double layers = caching_layers(shape);
  const double windowed = std::min(shape.sliding_layers, layers);
  if (!(shape.sliding_window > 0.0) || !(layers > 0.0)) {
    return context;
  }
  return (windowed * std::min(context, shape.sliding_window) + (layers - windowed) * context) / layers;
}

}  // namespace

double stacked_layers(const TransformerShape& shape) {
  return shape.layers +
         (shape.kind == TransformerKind::encoder_decoder || shape.kind == TransformerKind::speech ? shape.decoder_layers : 0.0);
}

double matmul_params(const TransformerShape& shape) {
  const double active = shape.active_params > 0.0 ? shape.active_params : shape.params;
  const double embedding = shape.vocab * shape.hidden;
  // active_params of a mixture leave the look-up table out already where the head is a matrix of its own.
  const bool mixture = active < 0.95 * shape.params;
  const bool looked_up =
      (!shape.tied_embeddings && !mixture) || shape.kind == TransformerKind::encoder || shape.kind == TransformerKind::embedding_decoder;
  const double left = active - (looked_up ? embedding : 0.0) - shape.position_embeddings * shape.hidden;
  return std::max(left, 0.25 * active);
}

double attention_macs(const TransformerShape& shape, double context) {
  return caching_layers(shape) * (query_key_width(shape) + value_width(shape)) * windowed_context(shape, context);
}

double kv_token_bytes(const TransformerShape& shape, const KvPrecision& precision) {
  const double bytes = 0.5 * (element_bytes(precision.k) + element_bytes(precision.v));
  return caching_layers(shape) * kv_elements(shape) * bytes;
}

double kv_sequence_bytes(const TransformerShape& shape, const KvPrecision& precision, double context) {
  return kv_token_bytes(shape, precision) * windowed_context(shape, context);
}

double weight_bits(const Precision& precision) {
  switch (precision.kind) {
    case PrecisionKind::gguf:
      return gguf_bits(precision.mix);
    case PrecisionKind::mlx:
      return precision.bits + (precision.group > 0.0 ? 32.0 / precision.group : 0.5);
    case PrecisionKind::exl2:
      return precision.bits;
    case PrecisionKind::fp32:
    case PrecisionKind::tf32:
      return 32.0;
    case PrecisionKind::amp_fp16:
    case PrecisionKind::amp_bf16:
    case PrecisionKind::fp16:
    case PrecisionKind::bf16:
      return 16.0;
    case PrecisionKind::int8:
    case PrecisionKind::int8_dynamic:
    case PrecisionKind::int8_weight_only:
    case PrecisionKind::int8_gptq:
      return 8.3;
    case PrecisionKind::fp8:
    case PrecisionKind::fp8_dynamic:
    case PrecisionKind::fp8_weight_only:
    case PrecisionKind::mxfp8:
      return 8.0;
    case PrecisionKind::fp6:
      return 6.0;
    case PrecisionKind::int3_gptq:
      return 3.4;
    case PrecisionKind::mxfp4:
      return 4.25;
    case PrecisionKind::int4_gptq:
    case PrecisionKind::int4_awq:
      return 4.3;
    default:
      return 4.5;  // 4-bit formats with a scale each 32 weights
  }
}

namespace {

// A mix stores some tensors in wider types, so its mean depends on the shape.
double stored_bits(const TransformerShape& shape, const Precision& precision) {
  if (precision.kind != PrecisionKind::gguf) {
    return weight_bits(precision);
  }
  const model::GgufBytes bytes = model::gguf_bytes(shape, precision.mix);
  return bytes.elements > 0.0 ? 8.0 * bytes.total() / bytes.elements : gguf_bits(precision.mix);
}

}  // namespace

StreamedWeights streamed_weights(const TransformerShape& shape, const Precision& precision) {
  const double share = matmul_params(shape) / shape.params;
  if (model::keeps_stored_format(precision, shape.stored)) {
    // The file's own bytes. Its look-up table may be of another type than the matrices that a token reads.
    const bool looked_up = !shape.tied_embeddings;
    const double table = looked_up ? shape.vocab * shape.hidden : 0.0;
    const double read = shape.stored.bytes - (looked_up ? shape.stored.embedding_bytes : 0.0);
    return {read * matmul_params(shape) / std::max(1.0, shape.params - table), shape.stored.bytes};
  }
  const double stored = shape.params * stored_bits(shape, precision) / 8.0;
  return {stored * share, stored};
}

}  // namespace gpuadvise::estimate
