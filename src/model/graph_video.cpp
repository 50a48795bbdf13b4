#include "model/graph_video.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

constexpr double k_fast_divisor = 8;
constexpr double k_lateral_ratio = 2;

// Bottleneck of a pathway; temporal kernels sit in its first convolution (Feichtenhofer et al., SlowFast).
Tensor fast_block(Graph& graph, const Tensor& x, double planes, double stride, bool temporal) {
  graph.begin_block(x);
  const double out = 4 * planes;
  Tensor y = conv_norm_relu(graph, x, planes, {.kernel = 1, .depth_kernel = temporal ? 3.0 : 1.0});
  y = conv_norm_relu(graph, y, planes, {.kernel = 3, .stride = stride});
  y = conv_norm(graph, y, out, {.kernel = 1});
  const bool changes = stride > 1 || x.channels != out;
  return graph.relu(graph.add(y, changes ? conv_norm(graph, x, out, {.kernel = 1, .stride = stride}) : x));
}

struct Pathway {
  double divisor = 1;
  double stem_depth_kernel = 1;
  int first_temporal_stage = 2;
};

Tensor stem(Graph& graph, const Tensor& clip, const Pathway& path) {
  const Tensor x = conv_norm_relu(graph, clip, 64 / path.divisor, {.kernel = 7, .stride = 2, .depth_kernel = path.stem_depth_kernel});
  return graph.maxpool(x, 3, 2, 1);
}

Tensor stage(Graph& graph, Tensor x, int index, int blocks, const Pathway& path) {
  const double planes = 64.0 * static_cast<double>(1 << index) / path.divisor;
  for (int block = 0; block < blocks; ++block) {
    x = fast_block(graph, x, planes, block == 0 && index > 0 ? 2 : 1, index >= path.first_temporal_stage);
  }
  return x;
}

// The lateral connection: a temporal convolution strided to the slow pathway's frames, twice the channels.
Tensor joined(Graph& graph, const Tensor& slow, const Tensor& fast) {
  const double ratio = fast.depth / slow.depth;
  const Tensor lateral =
      graph.conv(fast, fast.channels * k_lateral_ratio, {.kernel = 1, .depth_kernel = 5, .depth_stride = ratio, .depth_padding = 2});
  return graph.concat(slow, slow.channels + lateral.channels);
}

Tensor clip_conv(Graph& graph, const Tensor& x, double out, const Conv& conv) {
  return graph.relu(graph.conv(x, out, conv));
}

// Width between the two halves that keeps the parameters of a 3x3x3 convolution (Tran et al., R(2+1)D).
Tensor split_conv(Graph& graph, const Tensor& x, double out, double stride) {
  const double middle = std::floor(27 * x.channels * out / (9 * x.channels + 3 * out));
  const Tensor y = conv_norm_relu(graph, x, middle, {.kernel = 3, .stride = stride});
  return graph.conv(y, out, {.kernel = 1, .depth_kernel = 3, .depth_stride = stride, .depth_padding = 1});
}

}  // namespace

// Both pathways see the same clip; the slow one every eighth or fourth frame of it.
void slow_fast(Graph& graph, const Tensor& clip, const ResnetSpec& slow_spec, const ResnetSpec& fast_spec, double slow_frames,
               double classes) {
  const Pathway slow_path;
  const Pathway fast_path = {k_fast_divisor, 5, 0};
  Tensor few = clip;
  few.depth = slow_frames;
  few = graph.tensor(few.channels, few.depth, few.height, few.width, few.element_bytes);
  Tensor slow = stem(graph, few, slow_path);
  Tensor fast = stem(graph, clip, fast_path);
  for (int index = 0; index < 4; ++index) {
    slow = stage(graph, joined(graph, slow, fast), index, slow_spec.blocks[static_cast<std::size_t>(index)], slow_path);
    fast = stage(graph, fast, index, fast_spec.blocks[static_cast<std::size_t>(index)], fast_path);
  }
  const Tensor pooled = graph.tensor(slow.channels + fast.channels, 1, 1, 1, slow.element_bytes);
  (void)graph.classifier(graph.dropout(pooled), classes);
}

Stages inflated_resnet(Graph& graph, const Tensor& clip, const ResnetSpec& spec, bool non_local) {
  const Pathway path = {1, 5, 0};
  Tensor x = conv_norm_relu(graph, clip, 64, {.kernel = 7, .stride = 2, .depth_kernel = 5, .depth_stride = 2});
  x = graph.maxpool(x, 3, 2, 1, 1, 2);
  Stages stages;
  for (int index = 0; index < 4; ++index) {
    const int blocks = spec.blocks[static_cast<std::size_t>(index)];
    x = stage(graph, x, index, blocks, path);
    if (index == 0) {
      x = graph.maxpool(x, 1, 1, 0, 2, 2);
    }
    for (int block = 0; non_local && (index == 1 || index == 2) && block < blocks / 2; ++block) {
      x = non_local_clip(graph, x);
    }
    stages.push_back(x);
  }
  return stages;
}

Stages channel_separated_resnet(Graph& graph, const Tensor& clip, const ResnetSpec& spec) {
  Tensor x = conv_norm_relu(graph, clip, 64, {.kernel = 7, .stride = 2, .depth_kernel = 3});
  x = graph.maxpool(x, 3, 2, 1);
  Stages stages;
  for (int index = 0; index < 4; ++index) {
    const double planes = 64.0 * static_cast<double>(1 << index);
    for (int block = 0; block < spec.blocks[static_cast<std::size_t>(index)]; ++block) {
      graph.begin_block(x);
      const double stride = block == 0 && index > 0 ? 2 : 1;
      Tensor y = conv_norm_relu(graph, x, planes, {.kernel = 1});
      y = conv_norm_relu(graph, y, planes, {.stride = stride, .groups = planes, .depth_kernel = 3, .depth_stride = stride});
      y = conv_norm(graph, y, 4 * planes, {.kernel = 1});
      const bool changes = stride > 1 || x.channels != 4 * planes;
      const Conv down = {.kernel = 1, .stride = stride, .depth_stride = stride};
      x = graph.relu(graph.add(y, changes ? conv_norm(graph, x, 4 * planes, down) : x));
    }
    stages.push_back(x);
  }
  return stages;
}

// Tran et al., Learning Spatiotemporal Features: eight 3x3x3 convolutions, two wide linear layers.
void c3d(Graph& graph, const Tensor& clip, double classes) {
  constexpr std::array<double, 8> k_widths = {64, 128, 256, 256, 512, 512, 512, 512};
  const Conv conv = {.bias = true, .depth_kernel = 3};
  Tensor x = clip;
  for (std::size_t i = 0; i < k_widths.size(); ++i) {
    x = clip_conv(graph, x, k_widths[i], conv);
    if (i == 0) {
      x = graph.maxpool(x, 2, 2, 0);
    } else if (i == 1 || i == 3 || i == 5) {
      x = graph.maxpool(x, 2, 2, 0, 2, 2);
    } else if (i == 7) {
      x = graph.maxpool(x, 2, 2, 1, 2, 2);
    }
  }
  Tensor y = graph.tensor(x.elements(), 1, 1, 1, x.element_bytes);
  for (int layer = 0; layer < 2; ++layer) {
    y = graph.dropout(graph.relu(graph.linear(y, 4096)));
  }
  (void)graph.classifier(y, classes);
}

void r2plus1d(Graph& graph, const Tensor& clip, const std::array<int, 4>& blocks, double classes) {
  Tensor x = conv_norm_relu(graph, clip, 45, {.kernel = 7, .stride = 2});
  x = conv_norm_relu(graph, x, 64, {.kernel = 1, .depth_kernel = 3});
  x = graph.maxpool(x, 3, 2, 1);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double out = 64.0 * static_cast<double>(1U << i);
    for (int block = 0; block < blocks[i]; ++block) {
      graph.begin_block(x);
      const double stride = block == 0 && i > 0 ? 2 : 1;
      Tensor y = graph.relu(graph.batchnorm(split_conv(graph, x, out, stride)));
      y = graph.batchnorm(split_conv(graph, y, out, 1));
      const Conv down = {.kernel = 1, .stride = stride, .depth_stride = stride};
      x = graph.relu(graph.add(y, stride > 1 ? conv_norm(graph, x, out, down) : x));
    }
  }
  (void)graph.classifier(graph.dropout(graph.global_pool(x)), classes);
}

// Bertasius et al., Is Space-Time Attention All You Need.
void time_sformer(Graph& graph, const Tensor& clip, bool joint, double classes) {
  constexpr double k_width = 768;
  constexpr double k_heads = 12;
  constexpr double k_copies = 2;  // softmax, and what its dropout hands on
  const Tensor patches = graph.conv(clip, k_width, {.kernel = 16, .stride = 16, .bias = true, .padding = 0});
  const double frames = patches.depth;
  const double places = patches.height * patches.width;
  Tensor x = graph.tensor(k_width, 1, 1, frames * places + 1, 4.0);
  graph.parameters(k_width * (places + frames + 2));
  const auto attend = [&](const Tensor& from, double windows, double tokens) {
    Tensor qkv = graph.linear(graph.layernorm(from), 3 * k_width);
    qkv.channels = k_width;
    return graph.linear(graph.eager_attention(qkv, windows, tokens, tokens, k_heads, k_copies), k_width);
  };
  for (int layer = 0; layer < 12; ++layer) {
    graph.begin_block(x);
    if (joint) {
      x = graph.add(attend(x, 1, x.places()), x);
    } else {
      x = graph.add(graph.linear(attend(x, places, frames), k_width), x);
      x = graph.add(attend(x, frames, places + 1), x);
    }
    const Tensor hidden = graph.activation(graph.linear(graph.layernorm(x), 4 * k_width));
    x = graph.add(graph.linear(hidden, k_width), x);
  }
  x = graph.layernorm(x);
  (void)graph.classifier(graph.tensor(k_width, 1, 1, 1, 4.0), classes);
}

// Wang et al., Non-local Neural Networks, with sub-sampled keys.
Tensor non_local_clip(Graph& graph, const Tensor& x) {
  const double inner = x.channels / 2;
  (void)graph.conv(x, inner, {.kernel = 1, .bias = true});
  Tensor key = graph.conv(x, inner, {.kernel = 1, .bias = true});
  key = graph.maxpool(key, 2, 2, 0);
  (void)graph.maxpool(graph.conv(x, inner, {.kernel = 1, .bias = true}), 2, 2, 0);
  Tensor q = graph.like(x);
  q.channels = inner;
  const Tensor mixed = graph.eager_attention(q, 1, x.places(), key.places(), 1);
  return graph.add(conv_norm(graph, mixed, x.channels, {.kernel = 1}), x);
}

}  // namespace gpuadvise::model
