#include "model/graph_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {

Tensor conv_norm(Graph& graph, const Tensor& x, double out, Conv conv, Norm norm) {
  conv.bias = norm == Norm::none;
  const Tensor y = graph.conv(x, out, conv);
  switch (norm) {
    case Norm::batch:
      return graph.batchnorm(y);
    case Norm::group:
      return graph.groupnorm(y);
    case Norm::none:
      break;
  }
  return y;
}

Tensor conv_norm_relu(Graph& graph, const Tensor& x, double out, const Conv& conv, Norm norm) {
  return graph.relu(conv_norm(graph, x, out, conv, norm));
}

Tensor conv_norm_act(Graph& graph, const Tensor& x, double out, const Conv& conv, Norm norm) {
  return graph.activation(conv_norm(graph, x, out, conv, norm));
}

// The gate multiplies the whole map, so both are kept.
Tensor squeeze_excite(Graph& graph, const Tensor& x, const SqueezeExcite& spec) {
  const Tensor hidden = graph.conv(graph.global_pool(x), spec.reduced, {.kernel = 1, .bias = true});
  const Tensor active = spec.relu ? graph.relu(hidden) : graph.activation(hidden);
  const Tensor logits = graph.conv(active, x.channels, {.kernel = 1, .bias = true});
  return graph.multiply(x, spec.gate == Gate::sigmoid ? graph.sigmoid(logits) : graph.activation(logits));
}

double divisible_by_8(double channels) {
  const double rounded = std::max(8.0, std::floor((channels + 4.0) / 8.0) * 8.0);
  return rounded < 0.9 * channels ? rounded + 8.0 : rounded;
}

Tensor inverted_residual(Graph& graph, const Tensor& x, const InvertedResidual& spec) {
  const auto active = [&](const Tensor& y) { return spec.relu ? graph.relu(y) : graph.activation(y); };
  graph.begin_block(x);
  Tensor y = x;
  if (spec.expanded != x.channels) {
    y = active(conv_norm(graph, y, spec.expanded, {.kernel = 1}));
  }
  y = active(conv_norm(graph, y, spec.expanded,
                       {.kernel = spec.kernel, .stride = spec.stride, .dilation = spec.dilation, .groups = spec.expanded}));
  if (spec.reduced > 0) {
    y = squeeze_excite(graph, y, {spec.reduced, spec.gate, spec.relu || spec.relu_in_gate});
  }
  y = conv_norm(graph, y, spec.out, {.kernel = 1});
  return spec.stride == 1 && x.channels == spec.out ? graph.add(y, x) : y;
}

// Norms are fp32 under autocast, and so is the residual stream.
Tensor transformer_block(Graph& graph, const Tensor& x, const TransformerBlock& spec) {
  graph.begin_block(x);
  const double width = x.channels;
  const Tensor qkv = graph.linear(graph.layernorm(x), 3 * width);
  Tensor mixed;
  if (spec.score_copies > 0) {
    Tensor q = qkv;
    q.channels = width;
    const double tokens = x.places() / spec.windows;
    mixed = graph.eager_attention(q, spec.windows, tokens, tokens, spec.heads, spec.score_copies);
  } else {
    mixed = graph.fused_attention(qkv, spec.heads);
  }
  const Tensor attended = graph.add(graph.linear(mixed, width), x);
  const Tensor hidden = graph.activation(graph.linear(graph.layernorm(attended), spec.mlp_ratio * width));
  return graph.add(graph.linear(hidden, width), attended);
}

}  // namespace gpuadvise::model
