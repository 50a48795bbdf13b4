#include "model/graph_classic.hpp"

namespace gpuadvise::model {
namespace {

Tensor flat(Graph& graph, const Tensor& x) {
  return graph.tensor(x.elements(), 1, 1, 1, x.element_bytes);
}

Tensor conv_relu(Graph& graph, const Tensor& x, double out, Conv conv) {
  conv.bias = true;
  return graph.relu(graph.conv(x, out, conv));
}

// Widths of the four branches (Szegedy et al.); torchvision's third branch is 3x3, not 5x5.
struct Inception {
  double single, reduce3, conv3, reduce5, conv5, pool;
};

Tensor inception(Graph& graph, const Tensor& x, const Inception& spec) {
  (void)conv_norm_relu(graph, x, spec.single, {.kernel = 1});
  (void)conv_norm_relu(graph, conv_norm_relu(graph, x, spec.reduce3, {.kernel = 1}), spec.conv3, {});
  (void)conv_norm_relu(graph, conv_norm_relu(graph, x, spec.reduce5, {.kernel = 1}), spec.conv5, {});
  (void)conv_norm_relu(graph, graph.maxpool(x, 3, 1, 1), spec.pool, {.kernel = 1});
  return graph.concat(x, spec.single + spec.conv3 + spec.conv5 + spec.pool);
}

// Iandola et al., SqueezeNet.
Tensor fire(Graph& graph, const Tensor& x, double squeeze, double expand) {
  const Tensor y = conv_relu(graph, x, squeeze, {.kernel = 1});
  const Tensor a = conv_relu(graph, y, expand, {.kernel = 1});
  (void)conv_relu(graph, y, expand, {});
  return graph.concat(a, 2 * expand);
}

// Ma et al., ShuffleNetV2: half of the channels pass by where nothing is strided.
Tensor shuffle_unit(Graph& graph, const Tensor& x, double out, double stride) {
  const double half = out / 2;
  Tensor entered = x;
  if (stride > 1) {
    const Tensor y = graph.batchnorm(graph.conv(x, x.channels, {.stride = stride, .groups = x.channels}));
    (void)conv_norm_relu(graph, y, half, {.kernel = 1});
  } else {
    entered = graph.reshaped(x, half, x.height, x.width);
  }
  Tensor y = conv_norm_relu(graph, entered, half, {.kernel = 1});
  y = graph.batchnorm(graph.conv(y, half, {.stride = stride, .groups = half}));
  y = conv_norm_relu(graph, y, half, {.kernel = 1});
  return graph.concat(graph.concat(y, out), out);  // joined, then shuffled
}

// A small network that learns a square transform of every point's features.
Tensor transform(Graph& graph, const Tensor& x) {
  const double side = x.channels;
  Tensor y = conv_norm_relu(graph, x, 64, {.kernel = 1, .bias = true});
  y = conv_norm_relu(graph, y, 128, {.kernel = 1, .bias = true});
  y = conv_norm_relu(graph, y, 1024, {.kernel = 1, .bias = true});
  graph.keep_bytes(8 * 1024);
  y = graph.tensor(1024, 1, 1, 1, y.element_bytes);
  y = graph.relu(graph.batchnorm(graph.linear(y, 512)));
  y = graph.relu(graph.batchnorm(graph.linear(y, 256)));
  (void)graph.linear(y, side * side);
  graph.keep(x);
  return graph.like(x);
}

}  // namespace

// LeCun et al., with maximum pooling and ReLU as it is taught today.
void lenet5(Graph& graph, const Tensor& image, double classes) {
  Tensor x = conv_relu(graph, image, 6, {.kernel = 5, .padding = 0});
  x = graph.maxpool(x, 2, 2, 0);
  x = conv_relu(graph, x, 16, {.kernel = 5, .padding = 0});
  x = flat(graph, graph.maxpool(x, 2, 2, 0));
  x = graph.relu(graph.linear(graph.relu(graph.linear(x, 120)), 84));
  (void)graph.classifier(x, classes);
}

void small_cnn(Graph& graph, const Tensor& image, double classes) {
  Tensor x = conv_relu(graph, image, 32, {.padding = 0});
  x = conv_relu(graph, x, 64, {.padding = 0});
  x = graph.dropout(graph.maxpool(x, 2, 2, 0));
  x = graph.dropout(graph.relu(graph.linear(flat(graph, x), 128)));
  (void)graph.classifier(x, classes);
}

// The one-tower variant of torchvision.
void alexnet(Graph& graph, const Tensor& image, double classes) {
  Tensor x = conv_relu(graph, image, 64, {.kernel = 11, .stride = 4, .padding = 2});
  x = graph.maxpool(x, 3, 2, 0);
  x = conv_relu(graph, x, 192, {.kernel = 5});
  x = graph.maxpool(x, 3, 2, 0);
  x = conv_relu(graph, x, 384, {});
  x = conv_relu(graph, x, 256, {});
  x = conv_relu(graph, x, 256, {});
  x = graph.maxpool(x, 3, 2, 0);
  Tensor y = graph.tensor(256 * 6 * 6, 1, 1, 1, x.element_bytes);  // adaptive pooling
  y = graph.relu(graph.linear(graph.dropout(y), 4096));
  y = graph.relu(graph.linear(graph.dropout(y), 4096));
  (void)graph.classifier(y, classes);
}

void googlenet(Graph& graph, const Tensor& image, double classes) {
  constexpr std::array<Inception, 9> k_blocks = {{{64, 96, 128, 16, 32, 32},
                                                  {128, 128, 192, 32, 96, 64},
                                                  {192, 96, 208, 16, 48, 64},
                                                  {160, 112, 224, 24, 64, 64},
                                                  {128, 128, 256, 24, 64, 64},
                                                  {112, 144, 288, 32, 64, 64},
                                                  {256, 160, 320, 32, 128, 128},
                                                  {256, 160, 320, 32, 128, 128},
                                                  {384, 192, 384, 48, 128, 128}}};
  Tensor x = conv_norm_relu(graph, image, 64, {.kernel = 7, .stride = 2});
  x = graph.maxpool(x, 3, 2, 0, 1, 1, true);
  x = conv_norm_relu(graph, x, 64, {.kernel = 1});
  x = conv_norm_relu(graph, x, 192, {});
  x = graph.maxpool(x, 3, 2, 0, 1, 1, true);
  for (std::size_t i = 0; i < k_blocks.size(); ++i) {
    x = inception(graph, x, k_blocks[i]);
    if (i == 1 || i == 6) {
      x = graph.maxpool(x, i == 1 ? 3 : 2, 2, 0, 1, 1, true);
    }
  }
  (void)graph.classifier(graph.dropout(graph.global_pool(x)), classes);
}

void squeezenet(Graph& graph, const Tensor& image, double classes, bool version_1_1) {
  struct Row {
    double squeeze, expand;
  };
  constexpr std::array<Row, 8> k_rows = {{{16, 64}, {16, 64}, {32, 128}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {64, 256}}};
  Tensor x = version_1_1 ? conv_relu(graph, image, 64, {.kernel = 3, .stride = 2, .padding = 0})
                         : conv_relu(graph, image, 96, {.kernel = 7, .stride = 2, .padding = 0});
  x = graph.maxpool(x, 3, 2, 0, 1, 1, true);
  for (std::size_t i = 0; i < k_rows.size(); ++i) {
    x = fire(graph, x, k_rows[i].squeeze, k_rows[i].expand);
    const bool pool = version_1_1 ? i == 1 || i == 3 : i == 2 || i == 6;
    x = pool ? graph.maxpool(x, 3, 2, 0, 1, 1, true) : x;
  }
  (void)graph.relu(graph.classifier(graph.dropout(x), classes));
}

void shufflenet_v2(Graph& graph, const Tensor& image, double classes, const std::array<double, 4>& widths) {
  constexpr std::array<int, 3> k_repeats = {4, 8, 4};
  Tensor x = conv_norm_relu(graph, image, 24, {.stride = 2});
  x = graph.maxpool(x, 3, 2, 1);
  for (std::size_t stage = 0; stage < k_repeats.size(); ++stage) {
    for (int unit = 0; unit < k_repeats[stage]; ++unit) {
      x = shuffle_unit(graph, x, widths[stage], unit == 0 ? 2 : 1);
    }
  }
  x = conv_norm_relu(graph, x, widths[3], {.kernel = 1});
  (void)graph.classifier(graph.global_pool(x), classes);
}

// Qi et al.: two learned transforms, a global maximum joined to every point's features.
void pointnet_segmentation(Graph& graph, const Tensor& points, double classes) {
  Tensor x = transform(graph, points);
  x = conv_norm_relu(graph, x, 64, {.kernel = 1});
  x = transform(graph, x);
  const Tensor local = x;
  x = conv_norm_relu(graph, x, 128, {.kernel = 1});
  x = conv_norm(graph, x, 1024, {.kernel = 1});
  graph.keep_bytes(8 * 1024);  // index of the largest point in every channel
  x = graph.concat(local, local.channels + 1024);
  for (const double width : {512.0, 256.0, 128.0}) {
    x = conv_norm_relu(graph, x, width, {.kernel = 1});
  }
  const Tensor logits = graph.classifier(x, classes);
  graph.keep_bytes(logits.elements() * 4);
}

// Radford et al.: the class token of the image and the last token of the text, projected to a joint space.
void clip(Graph& graph, const Tensor& image, const VitSpec& vision, double text_width, double text_heads, double joint_width) {
  constexpr double k_vocabulary = 49408;
  constexpr double k_context = 77;
  const Tensor features = graph.layernorm(vit(graph, image, vision).back());
  (void)graph.linear(graph.tensor(features.channels, 1, 1, 1, 4), joint_width, false);
  graph.parameters((k_vocabulary + k_context) * text_width + 1);  // and the temperature
  Tensor x = graph.tensor(text_width, 1, 1, k_context, 4);
  for (int layer = 0; layer < 12; ++layer) {
    x = transformer_block(graph, x, {.heads = text_heads});
  }
  x = graph.layernorm(x);
  (void)graph.linear(graph.tensor(text_width, 1, 1, 1, 4), joint_width, false);
}

}  // namespace gpuadvise::model
