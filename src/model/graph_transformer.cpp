// Vision transformers: ViT (DeiT, CLIP), Swin, SegFormer's mix transformer.
#include "model/graph_backbones.hpp"

#include <cmath>

namespace gpuadvise::model {
namespace {

// Liu et al. The relative position bias is trained, so the fused kernel is not used and the scores are kept.
Tensor swin_block(Graph& graph, const Tensor& x, double heads, double window) {
  graph.begin_block(x);
  const double width = x.channels;
  const double tokens = window * window;
  const double windows = std::ceil(x.height / window) * std::ceil(x.width / window);
  Tensor partition = graph.layernorm(x);  // padded to whole windows, and copied window by window
  partition = graph.tensor(width, windows, window, window, partition.element_bytes);
  Tensor q = graph.linear(partition, 3 * width);
  q.channels = width;
  graph.parameters((2 * window - 1) * (2 * window - 1) * heads);
  const Tensor mixed = graph.eager_attention(q, windows, tokens, tokens, heads);
  Tensor out = graph.linear(mixed, width);
  out = graph.tensor(width, 1, x.height, x.width, out.element_bytes);
  const Tensor attended = graph.add(out, x);
  const Tensor hidden = graph.activation(graph.linear(graph.layernorm(attended), 4 * width));
  return graph.add(graph.linear(hidden, width), attended);
}

struct MixStage {
  double width;
  double heads;
  double reduction;
  int blocks;
};

// nn.MultiheadAttention keeps the scores twice: the softmax and what its dropout hands on.
constexpr double k_multihead_score_copies = 2;

// Xie et al., SegFormer: keys and values at reduced resolution, a depthwise convolution within the MLP.
Tensor mix_block(Graph& graph, const Tensor& x, const MixStage& stage) {
  graph.begin_block(x);
  const Tensor normed = graph.layernorm(x);
  const Tensor q = graph.linear(normed, stage.width);
  Tensor keys = normed;
  if (stage.reduction > 1) {
    keys = graph.conv(normed, stage.width, {.kernel = stage.reduction, .stride = stage.reduction, .bias = true, .padding = 0});
    keys = graph.layernorm(keys);
  }
  keys = graph.linear(keys, 2 * stage.width);
  const Tensor mixed = graph.eager_attention(q, 1, q.places(), keys.places(), stage.heads, k_multihead_score_copies);
  const Tensor attended = graph.add(graph.linear(mixed, stage.width), x);
  Tensor hidden = graph.linear(graph.layernorm(attended), 4 * stage.width);
  hidden = graph.conv(hidden, hidden.channels, {.groups = hidden.channels, .bias = true});
  return graph.add(graph.linear(graph.activation(hidden), stage.width), attended);
}

std::array<int, 4> mix_blocks(int size) {
  switch (size) {
    case 2:
      return {3, 4, 6, 3};
    case 3:
      return {3, 4, 18, 3};
    case 4:
      return {3, 8, 27, 3};
    case 5:
      return {3, 6, 40, 3};
    default:
      return {2, 2, 2, 2};
  }
}

}  // namespace

// Dosovitskiy et al. Extra tokens: the class token, or registers.
Stages vit(Graph& graph, const Tensor& image, const VitSpec& spec) {
  Stages stages;
  const Tensor patches = graph.conv(image, spec.width, {.kernel = spec.patch, .stride = spec.patch, .bias = spec.patch_bias, .padding = 0});
  const double tokens = patches.height * patches.width + spec.extra_tokens;
  graph.parameters(spec.width * spec.extra_tokens + tokens * spec.width);
  Tensor x = graph.tensor(spec.width, patches.depth, 1, tokens, 4.0);
  if (spec.pre_norm) {
    x = graph.layernorm(x);
  }
  for (int layer = 1; layer <= spec.layers; ++layer) {
    x = transformer_block(graph, x, {spec.heads, spec.mlp_ratio, spec.score_copies, patches.depth});
    for (const int wanted : spec.outputs) {
      if (wanted == layer) {
        stages.push_back(x);
      }
    }
  }
  if (stages.empty()) {
    stages.push_back(x);
  }
  return stages;
}

Stages swin(Graph& graph, const Tensor& image, const SwinSpec& spec) {
  Stages stages;
  Tensor x = graph.layernorm(graph.conv(image, spec.width, {.kernel = 4, .stride = 4, .bias = true, .padding = 0}));
  for (std::size_t stage = 0; stage < spec.blocks.size(); ++stage) {
    if (stage > 0) {
      const double height = std::ceil(x.height / 2);
      const double width = std::ceil(x.width / 2);
      const Tensor merged = graph.tensor(4 * x.channels, 1, height, width, x.element_bytes);
      x = graph.linear(graph.layernorm(merged), 2 * x.channels, false);
      x = graph.tensor(x.channels, 1, height, width, x.element_bytes);
    }
    for (int block = 0; block < spec.blocks[stage]; ++block) {
      x = swin_block(graph, x, spec.heads[stage], spec.window);
    }
    stages.push_back(x);
  }
  return stages;
}

Stages mix_transformer(Graph& graph, const Tensor& image, int size) {
  const std::array<double, 4> widths = size == 0 ? std::array<double, 4>{32, 64, 160, 256} : std::array<double, 4>{64, 128, 320, 512};
  constexpr std::array<double, 4> k_heads = {1, 2, 5, 8};
  constexpr std::array<double, 4> k_reductions = {8, 4, 2, 1};
  const std::array<int, 4> blocks = mix_blocks(size);
  Stages stages;
  Tensor x = image;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double kernel = i == 0 ? 7 : 3;
    const double stride = i == 0 ? 4 : 2;
    x = graph.layernorm(graph.conv(x, widths[i], {.kernel = kernel, .stride = stride, .bias = true}));
    for (int block = 0; block < blocks[i]; ++block) {
      x = mix_block(graph, x, {widths[i], k_heads[i], k_reductions[i], blocks[i]});
    }
    x = graph.layernorm(x);
    stages.push_back(x);
  }
  return stages;
}

}  // namespace gpuadvise::model
