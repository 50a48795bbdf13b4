#include "model/graph.hpp"

#include "catch.hpp"
#include "model/graph_blocks.hpp"
#include "model/graph_profile.hpp"

using namespace gpuadvise::model;

TEST_CASE("a convolution keeps its input, and counts weights and products") {
  Graph graph(Numbers::fp32);
  const Tensor image = graph.input(3, 8, 8);
  const Tensor y = graph.conv(image, 16, {.stride = 2});
  CHECK(y.height == 4);
  CHECK(graph.params() == 3 * 16 * 9);
  CHECK(graph.multiply_adds() == 3 * 16 * 9 * 16);
  CHECK(graph.saved_bytes() == 3 * 64 * 4);  // the input once, though it is the batch and the convolution's
}

TEST_CASE("in-place ReLU keeps nothing that is not kept already") {
  Graph graph(Numbers::fp32);
  Tensor x = graph.conv(graph.input(3, 8, 8), 4, {});
  x = graph.relu(x);
  const double before = graph.saved_bytes();
  (void)graph.conv(x, 4, {});
  CHECK(graph.saved_bytes() == before);
}

TEST_CASE("a smooth activation keeps input and output") {
  Graph graph(Numbers::fp32);
  const Tensor x = graph.conv(graph.input(3, 8, 8), 4, {});
  const double before = graph.saved_bytes();
  (void)graph.conv(graph.activation(x), 4, {});
  CHECK(graph.saved_bytes() == before + 2 * x.bytes());
}

TEST_CASE("a constant batch norm keeps nothing, and its weights are not trained") {
  Graph graph(Numbers::fp32);
  graph.constant_batchnorm(true);
  const Tensor x = graph.conv(graph.input(3, 8, 8), 4, {});
  const double before = graph.saved_bytes();
  (void)graph.batchnorm(x);
  CHECK(graph.saved_bytes() == before);
  CHECK(graph.params() - graph.trained_params() == 8);
}

TEST_CASE("frozen layers keep nothing; the first trained one keeps what it reads") {
  Graph graph(Numbers::fp32);
  graph.freeze(true);
  const Tensor x = graph.relu(graph.conv(graph.input(3, 8, 8), 4, {}));
  const double input = graph.saved_bytes();
  graph.freeze(false);
  (void)graph.conv(x, 4, {});
  CHECK(graph.saved_bytes() == input + x.bytes());
  CHECK(graph.trained_params() == 4 * 4 * 9);
}

TEST_CASE("autocast: convolutions read 16 bit, norms over rows 32, and weights are cast once") {
  Graph graph(Numbers::autocast);
  const Tensor image = graph.input(3, 8, 8);
  const Tensor x = graph.conv(image, 4, {});
  CHECK(x.element_bytes == 2);
  CHECK(graph.saved_bytes() == image.bytes() * 1.5);  // the batch, and its 16-bit copy
  CHECK(graph.cast_bytes() == 2 * 3 * 4 * 9);
  const Tensor y = graph.layernorm(x);
  CHECK(y.element_bytes == 4);
  CHECK(graph.linear(y, 4).element_bytes == 2);
}

TEST_CASE("max pooling keeps an index of eight bytes per output") {
  Graph graph(Numbers::fp32);
  const Tensor x = graph.relu(graph.conv(graph.input(3, 8, 8), 4, {}));
  const double before = graph.saved_bytes();
  const Tensor y = graph.maxpool(x, 2, 2, 0);
  CHECK(y.places() == 16);
  CHECK(graph.saved_bytes() == before + 8 * y.elements());
}

TEST_CASE("shared weights count once") {
  Graph graph(Numbers::fp32);
  const Tensor image = graph.input(3, 8, 8);
  (void)graph.conv(image, 4, {.bias = true});
  const double once = graph.params();
  graph.reuse_weights(true);
  (void)graph.conv(image, 4, {.bias = true});
  CHECK(graph.params() == once);
}

TEST_CASE("late in the backward pass gradients exist and activations are gone") {
  Graph graph(Numbers::fp32);
  Tensor x = graph.input(3, 8, 8);
  for (int i = 0; i < 3; ++i) {
    x = graph.conv(x, 8, {});
  }
  const auto moments = graph.moments();
  CHECK(moments.front().constant_bytes == 4 * graph.params());
  CHECK(moments.front().per_image_bytes < moments.back().per_image_bytes);
}

TEST_CASE("recomputed blocks keep their inputs and one block") {
  Graph graph(Numbers::fp32);
  Tensor x = graph.input(8, 8, 8);
  for (int i = 0; i < 4; ++i) {
    graph.begin_block(x);
    x = conv_norm_relu(graph, conv_norm_relu(graph, x, 8, {}), 8, {});
  }
  CHECK(graph.checkpointed_bytes() < graph.saved_bytes());
  CHECK(graph.checkpointed_bytes() > 4 * x.bytes());
}

TEST_CASE("dilation keeps the size, a stride halves it, rounding as PyTorch rounds") {
  Graph graph(Numbers::fp32);
  const Tensor x = graph.input(8, 57, 57);
  CHECK(graph.conv(x, 8, {.dilation = 4}).height == 57);
  CHECK(graph.conv(x, 8, {.stride = 2}).height == 29);
  CHECK(graph.conv(x, 8, {.kernel = 2, .stride = 2, .padding = 0}).height == 28);
  CHECK(graph.maxpool(x, 3, 2, 0, 1, 1, true).height == 28);
}

TEST_CASE("a profile's lines never lie below what the forward pass keeps") {
  const auto build = [](Graph& graph) {
    Tensor x = graph.input(3, 32, 32);
    for (int i = 0; i < 5; ++i) {
      x = conv_norm_relu(graph, x, 16.0 * (i + 1), {});
    }
    (void)graph.classifier(graph.global_pool(x), 10);
  };
  const auto profile = profile_of(build, {.image_height = 32, .image_width = 32, .classes = 10});
  REQUIRE_FALSE(profile.peak_lines.empty());
  for (const double batch : {1.0, 16.0, 256.0}) {
    double live = 0;
    for (const auto& line : profile.peak_lines) {
      live = std::max(live, line.constant_bytes + line.per_image_bytes * batch);
    }
    CHECK(live >= profile.saved_bytes * batch);
  }
}
