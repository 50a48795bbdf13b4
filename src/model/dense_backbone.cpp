// Backbones by name, as dense prediction uses them.
#include "model/dense.hpp"

#include <array>

namespace gpuadvise::model {
namespace {

// The library's stem and strides for the task; ResNeXt never strides in its 1x1 convolution.
ResnetSpec resnet_of(const BackboneName& name, const BackboneUse& use) {
  ResnetSpec spec = resnet_spec(name.depth).value_or(ResnetSpec{});
  spec.groups = name.groups;
  spec.width = name.group_width;
  spec.deep_stem = use.deep_stem;
  spec.stride_in_1x1 = use.stride_in_1x1 && name.groups == 1;
  spec.deformable = use.deformable;
  spec.context = use.context;
  spec.norm = use.norm;
  spec.stages = use.stages;
  spec.frozen_stages = use.frozen_stages;
  if (use.output_stride == 8) {
    spec.strides = {1, 2, 1, 1};
    spec.dilations = {1, 1, 2, 4};
  } else if (use.output_stride == 16) {
    spec.strides = {1, 2, 2, 1};
    spec.dilations = {1, 1, 1, 2};
  }
  if (name.kind == BackboneKind::resnest) {
    spec.split_attention = true;
    spec.deep_stem = true;
    spec.stem = name.depth >= 101 ? 128 : 64;
  }
  return spec;
}

struct RegnetRow {
  double megaflops;
  RegnetSpec spec;
};
// Published widths of RegNetX.
constexpr std::array<RegnetRow, 9> k_regnet_x = {{{400, {24, 24.48, 2.54, 16, 22, false}},
                                                  {800, {56, 35.73, 2.28, 16, 16, false}},
                                                  {1600, {80, 34.01, 2.25, 24, 18, false}},
                                                  {3200, {88, 26.31, 2.25, 48, 25, false}},
                                                  {4000, {96, 38.65, 2.43, 40, 23, false}},
                                                  {6400, {184, 60.83, 2.07, 56, 17, false}},
                                                  {8000, {80, 49.56, 2.88, 120, 23, false}},
                                                  {12000, {168, 73.36, 2.37, 112, 19, false}},
                                                  {16000, {216, 55.59, 2.1, 128, 22, false}}}};

RegnetSpec regnet_x(double megaflops) {
  for (const RegnetRow& row : k_regnet_x) {
    if (megaflops <= row.megaflops) {
      return row.spec;
    }
  }
  return k_regnet_x.back().spec;
}

// Published sizes; the large one comes with windows of 12 where it is used for dense prediction.
SwinSpec swin_of(char size) {
  SwinSpec spec;
  if (size != 't') {
    spec.blocks = {2, 2, 18, 2};
  }
  if (size == 'b') {
    spec.width = 128;
    spec.heads = {4, 8, 16, 32};
  } else if (size == 'l') {
    spec.width = 192;
    spec.heads = {6, 12, 24, 48};
    spec.window = 12;
  }
  return spec;
}

ConvnextSpec convnext_of(char size) {
  ConvnextSpec spec;
  if (size != 't') {
    spec.blocks = {3, 3, 27, 3};
  }
  if (size == 'b') {
    spec.widths = {128, 256, 512, 1024};
  } else if (size == 'l') {
    spec.widths = {192, 384, 768, 1536};
  } else if (size == 'x') {
    spec.widths = {256, 512, 1024, 2048};
  }
  return spec;
}

// A plain transformer gives one scale; a neck makes four of the outputs of every third layer.
VitSpec vit_of(char size) {
  VitSpec spec;
  spec.score_copies = 2;
  spec.outputs = {3, 6, 9, 12};
  if (size == 's') {
    spec.width = 384;
    spec.heads = 6;
  } else if (size == 't') {
    spec.width = 192;
    spec.heads = 3;
  } else if (size == 'l') {
    spec.width = 1024;
    spec.heads = 16;
    spec.layers = 24;
    spec.outputs = {6, 12, 18, 24};
  }
  return spec;
}

// Transformers and ConvNeXt hand every stage through a norm of its own.
Stages normed(Graph& graph, Stages stages) {
  for (Tensor& stage : stages) {
    stage = graph.layernorm(stage);
  }
  return stages;
}

Stages vit_pyramid(Graph& graph, const Tensor& image, const VitSpec& spec) {
  constexpr std::array<double, 4> k_scales = {4, 2, 1, 0.5};
  Stages pyramid;
  const Stages outputs = vit(graph, image, spec);
  for (std::size_t i = 0; i < outputs.size() && i < k_scales.size(); ++i) {
    const double height = image.height / spec.patch;
    const double width = image.width / spec.patch;
    Tensor x = graph.tensor(spec.width, 1, height, width, outputs[i].element_bytes);
    x = graph.conv(x, spec.width, {.kernel = 1, .bias = true});
    x = graph.resized(x, height * k_scales[i], width * k_scales[i]);
    pyramid.push_back(graph.conv(x, spec.width, {.bias = true}));
  }
  return pyramid;
}

}  // namespace

Stages backbone(Graph& graph, const Tensor& image, const BackboneName& name, const BackboneUse& use) {
  switch (name.kind) {
    case BackboneKind::resnet:
    case BackboneKind::resnest:
      return resnet(graph, image, resnet_of(name, use));
    case BackboneKind::regnet_x:
      return regnet(graph, image, regnet_x(name.width), use.frozen_stages);
    case BackboneKind::hrnet:
      return hrnet(graph, image, name.width, name.small);
    case BackboneKind::mobilenet_v2:
      return mobilenet_v2(graph, image, use.output_stride, true);
    case BackboneKind::mobilenet_v3:
      return mobilenet_v3(graph, image, !name.small, use.output_stride);
    case BackboneKind::swin:
      return normed(graph, swin(graph, image, swin_of(name.size)));
    case BackboneKind::convnext:
      return normed(graph, convnext(graph, image, convnext_of(name.size)));
    case BackboneKind::vit:
      return vit_pyramid(graph, image, vit_of(name.size));
    case BackboneKind::mix:
      return mix_transformer(graph, image, name.size - '0');
    case BackboneKind::darknet:
      return darknet53(graph, image);
    case BackboneKind::vgg:
      return vgg(graph, image, 16, false);
    case BackboneKind::unet:
    case BackboneKind::unknown:
      break;
  }
  return {};
}

}  // namespace gpuadvise::model
