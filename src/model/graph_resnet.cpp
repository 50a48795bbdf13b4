// Residual networks: ResNet, ResNeXt, Wide ResNet, ResNeSt, their dilated, frozen, deformable and temporal variants.
#include "model/graph_backbones.hpp"

#include <algorithm>

namespace gpuadvise::model {
namespace {

constexpr double k_expansion = 4;
constexpr double k_deformable_offsets = 27;  // 9 taps: two offsets and a mask each

struct Place {  // of a block within its network
  double planes = 64;
  double stride = 1;
  double dilation = 1;
  double depth_kernel = 1;
  bool first_stage = false;
  bool shifted = false;
};

// He et al.; the deep stem is that of ResNet-C, the small one that of CIFAR networks.
Tensor stem(Graph& graph, const Tensor& image, const ResnetSpec& spec) {
  const double width = spec.stem / spec.channel_divisor;
  if (spec.small_stem) {
    return conv_norm_relu(graph, image, width, {.kernel = 3}, spec.norm);
  }
  Tensor x;
  if (spec.deep_stem) {
    x = conv_norm_relu(graph, image, width / 2, {.kernel = 3, .stride = 2}, spec.norm);
    x = conv_norm_relu(graph, x, width / 2, {.kernel = 3}, spec.norm);
    x = conv_norm_relu(graph, x, width, {.kernel = 3}, spec.norm);
  } else {
    x = conv_norm_relu(graph, image, width, {.kernel = 7, .stride = 2, .depth_kernel = spec.stem_depth_kernel}, spec.norm);
  }
  return graph.maxpool(x, 3, 2, 1);
}

// ResNeSt: two groups, attention over their sum, and average pooling instead of a stride.
Tensor split_attention(Graph& graph, const Tensor& x, double width, const Place& place, Norm norm) {
  constexpr double k_radix = 2;
  const Tensor splits =
      conv_norm_relu(graph, x, width * k_radix, {.kernel = 3, .stride = 1, .dilation = place.dilation, .groups = k_radix}, norm);
  const Tensor pooled = graph.global_pool(graph.reshaped(splits, width, splits.height, splits.width));
  const Tensor hidden = conv_norm_relu(graph, pooled, std::max(32.0, width * k_radix / 4), {.kernel = 1}, norm);
  const Tensor weight = graph.sigmoid(graph.conv(hidden, width * k_radix, {.kernel = 1, .bias = true}));
  const Tensor product = graph.multiply(splits, weight);
  const Tensor summed = graph.concat(product, width);
  return place.stride > 1 ? graph.avgpool(summed, 3, place.stride, 1) : summed;
}

// A projection where stride or width change.
Tensor shortcut(Graph& graph, const Tensor& x, double out, const Place& place, const ResnetSpec& spec) {
  if (place.stride == 1 && x.channels == out) {
    return x;
  }
  if (spec.plain_shortcut) {
    return x;
  }
  if (spec.split_attention && place.stride > 1) {
    return conv_norm(graph, graph.avgpool(x, 2, place.stride), out, {.kernel = 1}, spec.norm);
  }
  return conv_norm(graph, x, out, {.kernel = 1, .stride = place.stride}, spec.norm);
}

Tensor bottleneck(Graph& graph, const Tensor& x, const Place& place, const ResnetSpec& spec) {
  const double width = place.planes * spec.width / 64 * spec.groups / spec.channel_divisor;
  const double out = place.planes * k_expansion / spec.channel_divisor;
  const double first_stride = spec.stride_in_1x1 ? place.stride : 1;
  const Tensor entered = place.shifted ? graph.like(x) : x;
  Tensor y = conv_norm_relu(graph, entered, width, {.kernel = 1, .stride = first_stride, .depth_kernel = place.depth_kernel}, spec.norm);
  const bool later = !place.first_stage;
  if (spec.split_attention) {
    y = split_attention(graph, y, width, place, spec.norm);
  } else {
    const double stride = spec.stride_in_1x1 ? 1 : place.stride;
    const Conv conv = {.kernel = 3, .stride = stride, .dilation = place.dilation, .groups = spec.groups};
    if (spec.deformable && later) {
      graph.keep(graph.conv(y, k_deformable_offsets, {.kernel = 3, .stride = stride, .bias = true}));
    }
    y = conv_norm_relu(graph, y, width, conv, spec.norm);
  }
  y = conv_norm(graph, y, out, {.kernel = 1}, spec.norm);
  if (spec.context && later) {
    graph.keep(y);  // the attention over places, and the broadcast sum
    y = graph.like(y);
  }
  return graph.relu(graph.add(y, shortcut(graph, x, out, place, spec)));
}

Tensor basic(Graph& graph, const Tensor& x, const Place& place, const ResnetSpec& spec) {
  const double out = place.planes / spec.channel_divisor;
  const Tensor entered = place.shifted ? graph.like(x) : x;
  Tensor y = conv_norm_relu(graph, entered, out, {.kernel = 3, .stride = place.stride, .dilation = place.dilation}, spec.norm);
  y = conv_norm(graph, y, out, {.kernel = 3, .dilation = place.dilation}, spec.norm);
  return graph.relu(graph.add(y, shortcut(graph, x, out, place, spec)));
}

}  // namespace

// Blocks a stage, as published.
std::optional<ResnetSpec> resnet_spec(int depth) {
  ResnetSpec spec;
  switch (depth) {
    case 18:
      spec.blocks = {2, 2, 2, 2};
      spec.bottleneck = false;
      return spec;
    case 34:
      spec.bottleneck = false;
      return spec;
    case 50:
      return spec;
    case 101:
      spec.blocks = {3, 4, 23, 3};
      return spec;
    case 152:
      spec.blocks = {3, 8, 36, 3};
      return spec;
    case 200:
      spec.blocks = {3, 24, 36, 3};
      return spec;
    default:
      return std::nullopt;
  }
}

Stages resnet(Graph& graph, const Tensor& image, const ResnetSpec& spec) {
  Stages stages;
  graph.freeze(spec.frozen_stages >= 0);
  Tensor x = stem(graph, image, spec);
  // Networks with long stages shift every second block only.
  const int shift_every = spec.blocks[2] >= 23 ? 2 : 1;
  for (int stage = 0; stage < spec.stages; ++stage) {
    const auto at = static_cast<std::size_t>(stage);
    graph.freeze(spec.frozen_stages > stage);
    for (int block = 0; block < spec.blocks[at]; ++block) {
      Place place;
      place.planes = 64.0 * static_cast<double>(1 << stage);
      place.stride = block == 0 ? spec.strides[at] : 1;
      // The first block of a stage whose stride became dilation still sees the density of the stage before.
      place.dilation = block == 0 && spec.dilations[at] > 1 ? std::max(1.0, spec.dilations[at] / 2) : spec.dilations[at];
      place.depth_kernel = spec.depth_kernels[at];
      place.first_stage = stage == 0;
      place.shifted = spec.shifted && block % shift_every == 0;
      graph.begin_block(x);
      x = spec.bottleneck ? bottleneck(graph, x, place, spec) : basic(graph, x, place, spec);
    }
    stages.push_back(x);
  }
  graph.freeze(false);
  return stages;
}

}  // namespace gpuadvise::model
