// What a token (or a sequence) of a transformer takes, from its shape.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/precision.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// Parameters that multiply a token in the forward pass: the active ones without the input embedding (a look-up); a tied
// embedding counts once, as the output layer.
[[nodiscard]] double matmul_params(const TransformerShape& shape);

// Multiply-adds of attention (scores and values) of one token against `context` earlier ones, all layers; windows respected.
[[nodiscard]] double attention_macs(const TransformerShape& shape, double context);

// Key-value bytes of one token, all layers that cache, and of a sequence of `context` tokens (windows respected).
[[nodiscard]] double kv_token_bytes(const TransformerShape& shape, const KvPrecision& precision);
[[nodiscard]] double kv_sequence_bytes(const TransformerShape& shape, const KvPrecision& precision, double context);

// Bits of a stored weight, block scales included; llama.cpp's mixes are counted by tensor instead.
[[nodiscard]] double weight_bits(const Precision& precision);
// Weights that one token's pass reads, and all that are stored. The input embedding is looked up, not read.
struct StreamedWeights {
  double active = 0.0;
  double stored = 0.0;
};
[[nodiscard]] StreamedWeights streamed_weights(const TransformerShape& shape, const Precision& precision);

// All layers, those of a decoder beside an encoder included.
[[nodiscard]] double stacked_layers(const TransformerShape& shape);

}  // namespace gpuadvise::estimate
