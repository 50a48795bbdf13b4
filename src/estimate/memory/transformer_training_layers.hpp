// Where the parameters of a transformer are, and the shapes of its linear layers.
#pragma once

#include <gpuadvise/fixed_list.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

struct ParameterSplit {
  double embedding = 0;  // token embeddings and an untied head
  double vision = 0;     // image or audio tower outside the language layers
  double experts = 0;    // routed experts
  double linear = 0;     // everything else: attention, dense feed-forward, norms

  [[nodiscard]] double total() const { return embedding + vision + experts + linear; }
};
[[nodiscard]] ParameterSplit split_parameters(const TransformerShape& shape);

// One adapted linear layer. Layers that read the same tensor have the same source.
enum class LinearInput : std::uint8_t { attention_norm, attention_output, feed_forward_norm, feed_forward_product, final_norm };
struct AdaptedLinear {
  LinearInput source = LinearInput::attention_norm;
  double in = 0;
  double out = 0;
};
// The layers of one block that the targets name (q, k, v, o, gate, up, down).
[[nodiscard]] FixedList<AdaptedLinear, 7> adapted_linears(const TransformerShape& shape, const LoraTargets& targets);

// Width that the feed-forward part of an average block computes for one token: with experts, those that are active.
[[nodiscard]] double active_ffn(const TransformerShape& shape);
// Elements of the largest linear layer of a block.
[[nodiscard]] double largest_linear(const TransformerShape& shape);
// Blocks of encoder and decoder together.
[[nodiscard]] double all_layers(const TransformerShape& shape);
// Trains with dropout: BERT, GPT-2, T5 and their like (an encoder, or learned positions and plain feed-forward layers).
[[nodiscard]] bool has_dropout(const TransformerShape& shape);
// Attention writes its score matrices: asked for, or no fused kernel takes the model's positions.
[[nodiscard]] bool writes_scores(const Workload& workload, const TransformerShape& shape);

}  // namespace gpuadvise::estimate
