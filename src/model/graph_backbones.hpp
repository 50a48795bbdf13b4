// Networks that classify images, and that dense prediction and video build on: each returns the outputs of its stages.
#pragma once

#include "model/graph_blocks.hpp"

#include <array>
#include <optional>
#include <vector>

namespace gpuadvise::model {

using Stages = std::vector<Tensor>;

struct ResnetSpec {
  std::array<int, 4> blocks = {3, 4, 6, 3};
  bool bottleneck = true;
  double width = 64;  // of a group in the first stage
  double groups = 1;
  double stem = 64;
  bool deep_stem = false;        // three 3x3 convolutions
  bool small_stem = false;       // one 3x3 convolution, no pooling (CIFAR)
  bool stride_in_1x1 = false;    // caffe style
  bool split_attention = false;  // ResNeSt, radix 2
  bool deformable = false;       // from the second stage on
  bool context = false;          // global context block after each block, from the second stage on
  bool shifted = false;          // temporal shift before each block's first convolution (TSM)
  bool plain_shortcut = false;   // zero padding instead of a convolution (CIFAR)
  Norm norm = Norm::batch;
  int stages = 4;
  int frozen_stages = -1;  // 0 = stem, 1 = and the first stage ...
  std::array<double, 4> strides = {1, 2, 2, 2};
  std::array<double, 4> dilations = {1, 1, 1, 1};
  std::array<double, 4> depth_kernels = {1, 1, 1, 1};  // of a bottleneck's first convolution (SlowOnly)
  double stem_depth_kernel = 1;
  double channel_divisor = 1;  // fast pathway of SlowFast
};
// 18, 34, 50, 101, 152, 200
[[nodiscard]] std::optional<ResnetSpec> resnet_spec(int depth);
[[nodiscard]] Stages resnet(Graph& graph, const Tensor& image, const ResnetSpec& spec);

struct RegnetSpec {
  double initial = 24, slope = 36.44, multiplier = 2.49, group = 8;
  int depth = 13;
  bool squeeze_excite = true;  // RegNetY
};
[[nodiscard]] Stages regnet(Graph& graph, const Tensor& image, const RegnetSpec& spec, int frozen_stages = -1);

// width: channels of the first branch (18, 32, 40, 48); small: two blocks a branch and fewer modules.
[[nodiscard]] Stages hrnet(Graph& graph, const Tensor& image, double width, bool small);

// output_stride 32 (classification) or 8 (segmentation); in place: ReLU6 as mmcv has it.
[[nodiscard]] Stages mobilenet_v2(Graph& graph, const Tensor& image, double output_stride, bool in_place, double width = 1.0);
[[nodiscard]] Stages mobilenet_v3(Graph& graph, const Tensor& image, bool large, double output_stride);
[[nodiscard]] Stages efficientnet(Graph& graph, const Tensor& image, double width, double depth);

// depth 11, 13, 16, 19: the convolutions, without the classifier.
[[nodiscard]] Stages vgg(Graph& graph, const Tensor& image, int depth, bool batchnorm);
[[nodiscard]] Stages densenet(Graph& graph, const Tensor& image, double growth, const std::array<int, 4>& layers, double stem);

struct ConvnextSpec {
  std::array<int, 4> blocks = {3, 3, 9, 3};
  std::array<double, 4> widths = {96, 192, 384, 768};
};
[[nodiscard]] Stages convnext(Graph& graph, const Tensor& image, const ConvnextSpec& spec);

struct VitSpec {
  double width = 768;
  int layers = 12;
  double heads = 12;
  double patch = 16;
  double mlp_ratio = 4;
  double score_copies = 0;  // 0 = fused kernel
  double extra_tokens = 1;
  bool patch_bias = true;
  bool pre_norm = false;     // CLIP normalises the embedded patches
  std::vector<int> outputs;  // layers whose output is wanted; empty = the last
};
// The last norm is left to the caller. Tensors hold tokens as height x width = 1 x tokens.
[[nodiscard]] Stages vit(Graph& graph, const Tensor& image, const VitSpec& spec);

struct SwinSpec {
  double width = 96;
  std::array<int, 4> blocks = {2, 2, 6, 2};
  std::array<double, 4> heads = {3, 6, 12, 24};
  double window = 7;
};
[[nodiscard]] Stages swin(Graph& graph, const Tensor& image, const SwinSpec& spec);

// SegFormer's encoder B0-B5: overlapping patches, attention to spatially reduced keys.
[[nodiscard]] Stages mix_transformer(Graph& graph, const Tensor& image, int size);

[[nodiscard]] Stages darknet53(Graph& graph, const Tensor& image);

}  // namespace gpuadvise::model
