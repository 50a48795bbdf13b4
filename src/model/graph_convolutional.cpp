// VGG, DenseNet, ConvNeXt, Darknet-53.
#include "model/graph_backbones.hpp"

namespace gpuadvise::model {
namespace {

constexpr std::array<double, 5> k_vgg_widths = {64, 128, 256, 512, 512};

std::array<int, 5> vgg_blocks(int depth) {
  switch (depth) {
    case 11:
      return {1, 1, 2, 2, 2};
    case 13:
      return {2, 2, 2, 2, 2};
    case 19:
      return {2, 2, 4, 4, 4};
    default:
      return {2, 2, 3, 3, 3};
  }
}

// Every layer reads all maps before it: the concatenation is a new tensor, kept by the norm.
Tensor dense_block(Graph& graph, Tensor x, double growth, int layers) {
  for (int layer = 0; layer < layers; ++layer) {
    const Tensor all = layer == 0 ? graph.like(x) : graph.concat(x, x.channels);
    Tensor y = graph.conv(graph.relu(graph.batchnorm(all)), 4 * growth, {.kernel = 1});
    y = graph.conv(graph.relu(graph.batchnorm(y)), growth, {});
    x.channels += growth;
  }
  return graph.concat(x, x.channels);
}

// Liu et al., A ConvNet for the 2020s: depthwise 7x7, norm over channels, two linear layers.
Tensor convnext_block(Graph& graph, const Tensor& x) {
  graph.begin_block(x);
  const double width = x.channels;
  Tensor y = graph.conv(x, width, {.kernel = 7, .groups = width, .bias = true});
  y = graph.linear(graph.layernorm(y), 4 * width);
  y = graph.linear(graph.activation(y), width);
  graph.parameters(width);  // layer scale keeps what it scales, and its fp32 factor makes the sum fp32
  graph.keep(y);
  return graph.add(y, x);
}

}  // namespace

// Simonyan and Zisserman. The last stage is pooled once more.
Stages vgg(Graph& graph, const Tensor& image, int depth, bool batchnorm) {
  Stages stages;
  Tensor x = image;
  const std::array<int, 5> blocks = vgg_blocks(depth);
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    for (int i = 0; i < blocks[stage]; ++i) {
      x = graph.conv(x, k_vgg_widths[stage], {.bias = true});
      x = graph.relu(batchnorm ? graph.batchnorm(x) : x);
    }
    stages.push_back(x);
    x = graph.maxpool(x, 2, 2, 0);
  }
  stages.push_back(x);
  return stages;
}

// Huang et al.; transitions halve channels and size.
Stages densenet(Graph& graph, const Tensor& image, double growth, const std::array<int, 4>& layers, double stem) {
  Stages stages;
  Tensor x = conv_norm_relu(graph, image, stem, {.kernel = 7, .stride = 2});
  x = graph.maxpool(x, 3, 2, 1);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    x = graph.relu(graph.batchnorm(dense_block(graph, x, growth, layers[i])));
    stages.push_back(x);
    if (i + 1 < layers.size()) {
      x = graph.avgpool(graph.conv(x, x.channels / 2, {.kernel = 1}), 2, 2);
    }
  }
  return stages;
}

Stages convnext(Graph& graph, const Tensor& image, const ConvnextSpec& spec) {
  Stages stages;
  Tensor x = graph.layernorm(graph.conv(image, spec.widths[0], {.kernel = 4, .stride = 4, .bias = true, .padding = 0}));
  for (std::size_t stage = 0; stage < spec.blocks.size(); ++stage) {
    if (stage > 0) {
      x = graph.conv(graph.layernorm(x), spec.widths[stage], {.kernel = 2, .stride = 2, .bias = true, .padding = 0});
    }
    for (int block = 0; block < spec.blocks[stage]; ++block) {
      x = convnext_block(graph, x);
    }
    stages.push_back(x);
  }
  return stages;
}

// Redmon and Farhadi, YOLOv3. Leaky ReLU works in place.
Stages darknet53(Graph& graph, const Tensor& image) {
  constexpr std::array<int, 5> k_blocks = {1, 2, 8, 8, 4};
  Stages stages;
  Tensor x = conv_norm_relu(graph, image, 32, {});
  for (const int blocks : k_blocks) {
    x = conv_norm_relu(graph, x, 2 * x.channels, {.stride = 2});
    for (int block = 0; block < blocks; ++block) {
      graph.begin_block(x);
      const Tensor y = conv_norm_relu(graph, x, x.channels / 2, {.kernel = 1});
      x = graph.add(conv_norm_relu(graph, y, x.channels, {}), x);
    }
    stages.push_back(x);
  }
  return stages;
}

}  // namespace gpuadvise::model
