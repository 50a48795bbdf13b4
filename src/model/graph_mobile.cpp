// Networks of inverted residuals: MobileNetV2, MobileNetV3, EfficientNet.
#include "model/graph_backbones.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

// Rows of the published tables of MobileNetV2 and EfficientNet-B0.
struct StageRow {
  double expansion = 1;
  double channels = 0;
  int repeats = 1;
  double stride = 1;
  double kernel = 3;
};

constexpr std::array<StageRow, 7> k_mobilenet_v2 = {
    {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}};
constexpr std::array<StageRow, 7> k_efficientnet = {
    {{1, 16, 1, 1, 3}, {6, 24, 2, 2, 3}, {6, 40, 2, 2, 5}, {6, 80, 3, 2, 3}, {6, 112, 3, 1, 5}, {6, 192, 4, 2, 5}, {6, 320, 1, 1, 3}}};

// The published table of MobileNetV3: kernel, expansion, output, gate, ReLU or hardswish, stride.
struct V3Row {
  double kernel;
  double expanded;
  double channels;
  bool gate;
  bool relu;
  double stride;
};
constexpr std::array<V3Row, 15> k_v3_large = {{{3, 16, 16, false, true, 1},
                                               {3, 64, 24, false, true, 2},
                                               {3, 72, 24, false, true, 1},
                                               {5, 72, 40, true, true, 2},
                                               {5, 120, 40, true, true, 1},
                                               {5, 120, 40, true, true, 1},
                                               {3, 240, 80, false, false, 2},
                                               {3, 200, 80, false, false, 1},
                                               {3, 184, 80, false, false, 1},
                                               {3, 184, 80, false, false, 1},
                                               {3, 480, 112, true, false, 1},
                                               {3, 672, 112, true, false, 1},
                                               {5, 672, 160, true, false, 2},
                                               {5, 960, 160, true, false, 1},
                                               {5, 960, 160, true, false, 1}}};
constexpr std::array<V3Row, 11> k_v3_small = {{{3, 16, 16, true, true, 2},
                                               {3, 72, 24, false, true, 2},
                                               {3, 88, 24, false, true, 1},
                                               {5, 96, 40, true, false, 2},
                                               {5, 240, 40, true, false, 1},
                                               {5, 240, 40, true, false, 1},
                                               {5, 120, 48, true, false, 1},
                                               {5, 144, 48, true, false, 1},
                                               {5, 288, 96, true, false, 2},
                                               {5, 576, 96, true, false, 1},
                                               {5, 576, 96, true, false, 1}}};

// Strides past the wanted density become dilation.
class Density {
 public:
  explicit Density(double output_stride) : wanted_(output_stride) {}
  double stride(double asked) {
    if (reached_ * asked > wanted_) {
      dilation_ *= asked;
      return 1;
    }
    reached_ *= asked;
    return asked;
  }
  [[nodiscard]] double dilation() const { return dilation_; }

 private:
  double wanted_;
  double reached_ = 2;  // the stem's stride
  double dilation_ = 1;
};

}  // namespace

// Sandler et al. The plain PyTorch ReLU6 is not in place in the common training code; the segmentation library's is.
Stages mobilenet_v2(Graph& graph, const Tensor& image, double output_stride, bool in_place, double width) {
  Density density(output_stride);
  Stages stages;
  Tensor x = conv_norm(graph, image, divisible_by_8(32 * width), {.stride = 2});
  x = in_place ? graph.relu(x) : graph.activation(x);
  for (std::size_t row = 0; row < k_mobilenet_v2.size(); ++row) {
    const StageRow& stage = k_mobilenet_v2[row];
    for (int block = 0; block < stage.repeats; ++block) {
      const double before = density.dilation();
      const double stride = block == 0 ? density.stride(stage.stride) : 1;
      x = inverted_residual(graph, x,
                            {.expanded = x.channels * stage.expansion,
                             .out = divisible_by_8(stage.channels * width),
                             .stride = stride,
                             .dilation = block == 0 ? before : density.dilation(),
                             .relu = in_place});
    }
    if (row == 1 || row == 2 || row == 4 || row == 6) {
      stages.push_back(x);
    }
  }
  return stages;
}

// Howard et al. Stage outputs are what the next stride thins.
Stages mobilenet_v3(Graph& graph, const Tensor& image, bool large, double output_stride) {
  Density density(output_stride);
  Stages stages;
  Tensor x = conv_norm_act(graph, image, 16, {.stride = 2});
  const auto add_rows = [&](const auto& rows) {
    for (const V3Row& row : rows) {
      const double before = density.dilation();
      const double stride = density.stride(row.stride);
      if (stride > 1 || row.stride > 1) {
        stages.push_back(x);
      }
      x = inverted_residual(graph, x,
                            {.expanded = row.expanded,
                             .out = row.channels,
                             .kernel = row.kernel,
                             .stride = stride,
                             .dilation = row.stride > 1 ? before : density.dilation(),
                             .reduced = row.gate ? divisible_by_8(row.expanded / 4) : 0,
                             .gate = Gate::hard,
                             .relu = row.relu,
                             .relu_in_gate = true});
    }
  };
  if (large) {
    add_rows(k_v3_large);
  } else {
    add_rows(k_v3_small);
  }
  stages.push_back(conv_norm_act(graph, x, large ? 960 : 576, {.kernel = 1}));
  return stages;
}

// Tan and Le: width rounds to multiples of 8, depth rounds up; the gate's width follows the block's input.
Stages efficientnet(Graph& graph, const Tensor& image, double width, double depth) {
  Stages stages;
  Tensor x = conv_norm_act(graph, image, divisible_by_8(32 * width), {.stride = 2});
  for (const StageRow& stage : k_efficientnet) {
    for (int block = 0; block < static_cast<int>(std::ceil(stage.repeats * depth)); ++block) {
      x = inverted_residual(graph, x,
                            {.expanded = x.channels * stage.expansion,
                             .out = divisible_by_8(stage.channels * width),
                             .kernel = stage.kernel,
                             .stride = block == 0 ? stage.stride : 1,
                             .reduced = std::max(1.0, std::floor(x.channels / 4))});
    }
    stages.push_back(x);
  }
  stages.push_back(conv_norm_act(graph, x, divisible_by_8(1280 * width), {.kernel = 1}));
  return stages;
}

}  // namespace gpuadvise::model
