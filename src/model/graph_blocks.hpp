// Operator groups that many networks share.
#pragma once

#include "model/graph.hpp"

namespace gpuadvise::model {

enum class Norm { batch, group, none };

// none: the convolution has a bias instead.
[[nodiscard]] Tensor conv_norm(Graph& graph, const Tensor& x, double out, Conv conv, Norm norm = Norm::batch);
[[nodiscard]] Tensor conv_norm_relu(Graph& graph, const Tensor& x, double out, const Conv& conv, Norm norm = Norm::batch);
// A smooth activation (SiLU, GELU, hardswish) keeps its input as well.
[[nodiscard]] Tensor conv_norm_act(Graph& graph, const Tensor& x, double out, const Conv& conv, Norm norm = Norm::batch);

enum class Gate { sigmoid, hard };
struct SqueezeExcite {
  double reduced = 0;
  Gate gate = Gate::sigmoid;
  bool relu = true;  // activation between its two layers
};
[[nodiscard]] Tensor squeeze_excite(Graph& graph, const Tensor& x, const SqueezeExcite& spec);

// Channels rounded to a multiple of 8, never more than 10 % below.
[[nodiscard]] double divisible_by_8(double channels);

struct InvertedResidual {
  double expanded = 0;
  double out = 0;
  double kernel = 3;
  double stride = 1;
  double dilation = 1;
  double reduced = 0;  // squeeze-excite, 0 = none
  Gate gate = Gate::sigmoid;
  bool relu = false;  // in place; else a smooth activation
  bool relu_in_gate = false;
};
[[nodiscard]] Tensor inverted_residual(Graph& graph, const Tensor& x, const InvertedResidual& spec);

struct TransformerBlock {
  double heads = 1;
  double mlp_ratio = 4;
  double score_copies = 0;  // 0 = fused kernel
  double windows = 1;       // eager only: attention within windows of this many
};
// Pre-norm block over the places of x.
[[nodiscard]] Tensor transformer_block(Graph& graph, const Tensor& x, const TransformerBlock& spec);

}  // namespace gpuadvise::model
