#include "model/graph_unet.hpp"

namespace gpuadvise::model {
namespace {

Tensor double_conv(Graph& graph, const Tensor& x, double out) {
  return conv_norm_relu(graph, conv_norm_relu(graph, x, out, {}), out, {});
}

// Instance norm comes with biased convolutions and LeakyReLU in place (nnU-Net); batch norm with ReLU (Cicek et al.).
Tensor volume_conv(Graph& graph, const Tensor& x, double out, double stride, const VolumeUnet& spec) {
  const Conv conv = {.stride = stride, .bias = !spec.batchnorm, .depth_kernel = 3, .depth_stride = stride};
  const Tensor y = graph.conv(x, out, conv);
  return graph.relu(spec.batchnorm ? graph.batchnorm(y) : graph.instancenorm(y));
}

}  // namespace

Stages unet_2d(Graph& graph, const Tensor& image, double width, int levels) {
  Stages skips;
  Tensor x = image;
  for (int level = 0; level < levels; ++level) {
    x = level > 0 ? graph.maxpool(x, 2, 2, 0) : x;
    x = double_conv(graph, x, width * static_cast<double>(1 << level));
    skips.push_back(x);
  }
  Stages decoded = {x};
  for (std::size_t level = skips.size() - 1; level-- > 0;) {
    const Tensor& skip = skips[level];
    const Tensor up = conv_norm_relu(graph, graph.resized(x, skip.height, skip.width), skip.channels, {.kernel = 1});
    x = double_conv(graph, graph.concat(up, 2 * skip.channels), skip.channels);
    decoded.push_back(x);
  }
  return decoded;
}

// Ronneberger et al. with padding; the bilinear variant halves the deepest width.
void unet_classic(Graph& graph, const Tensor& image, double width, int levels, double classes, bool bilinear) {
  Stages skips;
  Tensor x = image;
  const double bottom = bilinear ? 2 : 1;
  for (int level = 0; level < levels; ++level) {
    x = level > 0 ? graph.maxpool(x, 2, 2, 0) : x;
    const double channels = width * static_cast<double>(1 << level);
    x = double_conv(graph, x, level + 1 == levels ? channels / bottom : channels);
    skips.push_back(x);
  }
  for (std::size_t level = skips.size() - 1; level-- > 0;) {
    const Tensor& skip = skips[level];
    const Tensor up = bilinear ? graph.resized(x, skip.height, skip.width) : graph.transposed_conv(x, skip.channels, 2, 2, true);
    x = graph.concat(skip, skip.channels + up.channels);
    if (bilinear) {
      const double out = level > 0 ? skip.channels / 2 : skip.channels;
      x = conv_norm_relu(graph, conv_norm_relu(graph, x, x.channels / 2, {}), out, {});
    } else {
      x = double_conv(graph, x, skip.channels);
    }
  }
  const Tensor logits = graph.classifier(x, classes);
  graph.keep_bytes(2 * logits.elements() * 4.0);  // probabilities and log-softmax of the loss
}

void unet_3d(Graph& graph, const Tensor& volume, const VolumeUnet& spec, double classes) {
  Stages skips;
  Tensor x = volume;
  for (std::size_t level = 0; level < spec.widths.size(); ++level) {
    // BatchNorm networks pool between levels, instance-norm ones (nnU-Net) stride.
    const bool down = level > 0;
    if (down && spec.batchnorm) {
      x = graph.maxpool(x, 2, 2, 0, 2, 2);
    }
    x = volume_conv(graph, x, spec.widths[level] * spec.first_ratio, down && !spec.batchnorm ? 2 : 1, spec);
    x = volume_conv(graph, x, spec.widths[level], 1, spec);
    skips.push_back(x);
  }
  double heads = 0;
  for (std::size_t level = skips.size() - 1; level-- > 0;) {
    const Tensor& skip = skips[level];
    const Tensor up = graph.transposed_conv(x, spec.batchnorm ? x.channels : skip.channels, 2, 2, true, 2);
    x = graph.concat(skip, skip.channels + up.channels);
    x = volume_conv(graph, x, skip.channels, 1, spec);
    x = volume_conv(graph, x, skip.channels, 1, spec);
    if (level == 0 || spec.deep_supervision) {
      const Tensor logits = graph.classifier(x, classes);
      graph.keep_bytes(2 * logits.elements() * 4.0);  // softmax of the Dice loss, log-softmax of the cross entropy
      heads += logits.elements() * 4.0;
    }
  }
  graph.transient(2 * heads);
}

}  // namespace gpuadvise::model
