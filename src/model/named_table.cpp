#include "model/named_table.hpp"

#include "model/graph_backbones.hpp"
#include "model/graph_classic.hpp"
#include "model/graph_unet.hpp"
#include "model/graph_yolo.hpp"

#include <array>

namespace gpuadvise::model {
namespace {

void head(Graph& g, const Tensor& x, double classes) {
  (void)g.classifier(g.global_pool(x), classes);
}

void resnet_head(Graph& g, const Tensor& x, double classes, int depth, double width = 64, double groups = 1) {
  ResnetSpec spec = resnet_spec(depth).value_or(ResnetSpec{});
  spec.width = width;
  spec.groups = groups;
  head(g, resnet(g, x, spec).back(), classes);
}

// Three stages of 16, 32, 64 channels at 32 pixels: 6n + 2 layers.
void cifar_resnet(Graph& g, const Tensor& x, double classes, int blocks) {
  ResnetSpec spec;
  spec.blocks = {blocks, blocks, blocks, 0};
  spec.bottleneck = false;
  spec.stages = 3;
  spec.channel_divisor = 4;
  spec.small_stem = true;
  spec.plain_shortcut = true;
  head(g, resnet(g, x, spec).back(), classes);
}

void vgg_head(Graph& g, const Tensor& x, double classes, int depth, bool batchnorm) {
  const Tensor y = vgg(g, x, depth, batchnorm).back();
  Tensor z = g.tensor(512 * 7 * 7, 1, 1, 1, y.element_bytes);
  z = g.relu(g.linear(z, 4096));
  z = g.relu(g.linear(z, 4096));
  (void)g.classifier(z, classes);
}

void mobilenet_v2_head(Graph& g, const Tensor& x, double classes) {
  const Tensor y = mobilenet_v2(g, x, 32, false).back();
  head(g, conv_norm_act(g, y, 1280, {.kernel = 1}), classes);
}

void mobilenet_v3_head(Graph& g, const Tensor& x, double classes, bool large) {
  const Tensor y = g.global_pool(mobilenet_v3(g, x, large, 32).back());
  const Tensor z = g.activation(g.conv(y, large ? 1280 : 1024, {.kernel = 1, .bias = true}));
  (void)g.classifier(z, classes);
}

void efficientnet_head(Graph& g, const Tensor& x, double classes, double width, double depth) {
  head(g, efficientnet(g, x, width, depth).back(), classes);
}

void convnext_head(Graph& g, const Tensor& x, double classes, const ConvnextSpec& spec) {
  (void)g.classifier(g.layernorm(g.global_pool(convnext(g, x, spec).back())), classes);
}

void vit_head(Graph& g, const Tensor& x, double classes, double width, int layers, double heads, double patch) {
  VitSpec spec;
  spec.width = width;
  spec.layers = layers;
  spec.heads = heads;
  spec.patch = patch;
  const Tensor y = g.layernorm(vit(g, x, spec).back());
  g.keep(y);  // the class token is a view of it
  (void)g.classifier(g.reshaped(y, width, 1, 1), classes);
}

void swin_head(Graph& g, const Tensor& x, double classes, const SwinSpec& spec) {
  const Tensor y = g.layernorm(swin(g, x, spec).back());
  (void)g.classifier(g.global_pool(y), classes);
}

void densenet_head(Graph& g, const Tensor& x, double classes, double growth, const std::array<int, 4>& layers, double stem) {
  head(g, densenet(g, x, growth, layers, stem).back(), classes);
}

void yolo(Graph& g, const Tensor& x, double classes, YoloVersion version, const Csp& scale) {
  yolo_head(g, yolo_neck(g, yolo_features(g, x, version, scale), version, scale), version, classes);
}

VitSpec clip_vision(double width, int layers, double heads, double patch) {
  VitSpec spec;
  spec.width = width;
  spec.layers = layers;
  spec.heads = heads;
  spec.patch = patch;
  spec.patch_bias = false;
  spec.pre_norm = true;
  return spec;
}

const VolumeUnet k_cicek = {{64, 128, 256, 512}, 0.5, true, false};
const VolumeUnet k_nnunet = {{32, 64, 128, 256, 320, 320}, 1.0, false, true};

constexpr VisionAttention k_conv = VisionAttention::none;
constexpr VisionAttention k_fused = VisionAttention::fused;
constexpr Field k_vision = Field::vision;
constexpr Field k_segmentation = Field::segmentation;
constexpr Field k_detection = Field::detection;

using G = Graph;
using T = const Tensor&;

const std::array k_rows = {
    NamedRow{"lenet5", "lenet", k_vision, 32, 1, 1, 10, k_conv, lenet5},
    NamedRow{"small-cnn", "small-cnn", k_vision, 28, 1, 1, 10, k_conv, small_cnn},
    NamedRow{"alexnet", "alexnet", k_vision, 224, 1, 3, 1000, k_conv, alexnet},
    NamedRow{"googlenet", "googlenet", k_vision, 224, 1, 3, 1000, k_conv, googlenet},
    NamedRow{"squeezenet1_0", "squeezenet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { squeezenet(g, x, c, false); }},
    NamedRow{"squeezenet1_1", "squeezenet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { squeezenet(g, x, c, true); }},
    NamedRow{"shufflenet_v2_x0_5", "shufflenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) {
               shufflenet_v2(g, x, c, {48, 96, 192, 1024});
             }},
    NamedRow{"shufflenet_v2_x1_0", "shufflenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) {
               shufflenet_v2(g, x, c, {116, 232, 464, 1024});
             }},
    NamedRow{"shufflenet_v2_x1_5", "shufflenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) {
               shufflenet_v2(g, x, c, {176, 352, 704, 1024});
             }},
    NamedRow{"shufflenet_v2_x2_0", "shufflenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) {
               shufflenet_v2(g, x, c, {244, 488, 976, 2048});
             }},
    NamedRow{"resnet18", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 18); }},
    NamedRow{"resnet34", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 34); }},
    NamedRow{"resnet50", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 50); }},
    NamedRow{"resnet101", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 101); }},
    NamedRow{"resnet152", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 152); }},
    NamedRow{"wide_resnet50_2", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 50, 128); }},
    NamedRow{"wide_resnet101_2", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 101, 128); }},
    NamedRow{"resnext50_32x4d", "resnet", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { resnet_head(g, x, c, 50, 4, 32); }},
    NamedRow{"resnext101_32x8d", "resnet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { resnet_head(g, x, c, 101, 8, 32); }},
    NamedRow{"resnext101_64x4d", "resnet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { resnet_head(g, x, c, 101, 4, 64); }},
    NamedRow{"resnet20-cifar", "resnet", k_vision, 32, 1, 3, 10, k_conv, [](G& g, T x, double c) { cifar_resnet(g, x, c, 3); }},
    NamedRow{"resnet32-cifar", "resnet", k_vision, 32, 1, 3, 10, k_conv, [](G& g, T x, double c) { cifar_resnet(g, x, c, 5); }},
    NamedRow{"resnet56-cifar", "resnet", k_vision, 32, 1, 3, 10, k_conv, [](G& g, T x, double c) { cifar_resnet(g, x, c, 9); }},
    NamedRow{"resnet110-cifar", "resnet", k_vision, 32, 1, 3, 10, k_conv, [](G& g, T x, double c) { cifar_resnet(g, x, c, 18); }},
    NamedRow{"vgg11", "vgg", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { vgg_head(g, x, c, 11, false); }},
    NamedRow{"vgg13", "vgg", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { vgg_head(g, x, c, 13, false); }},
    NamedRow{"vgg16", "vgg", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { vgg_head(g, x, c, 16, false); }},
    NamedRow{"vgg19", "vgg", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { vgg_head(g, x, c, 19, false); }},
    NamedRow{"vgg16_bn", "vgg", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { vgg_head(g, x, c, 16, true); }},
    NamedRow{"vgg19_bn", "vgg", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { vgg_head(g, x, c, 19, true); }},
    NamedRow{"mobilenetv2_100", "mobilenet", k_vision, 224, 1, 3, 1000, k_conv, mobilenet_v2_head},
    NamedRow{"mobilenetv3_large_100", "mobilenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { mobilenet_v3_head(g, x, c, true); }},
    NamedRow{"mobilenetv3_small_100", "mobilenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { mobilenet_v3_head(g, x, c, false); }},
    NamedRow{"efficientnet_b0", "efficientnet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1, 1); }},
    NamedRow{"efficientnet_b1", "efficientnet", k_vision, 240, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1, 1.1); }},
    NamedRow{"efficientnet_b2", "efficientnet", k_vision, 260, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1.1, 1.2); }},
    NamedRow{"efficientnet_b3", "efficientnet", k_vision, 300, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1.2, 1.4); }},
    NamedRow{"efficientnet_b4", "efficientnet", k_vision, 380, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1.4, 1.8); }},
    NamedRow{"efficientnet_b5", "efficientnet", k_vision, 456, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1.6, 2.2); }},
    NamedRow{"efficientnet_b6", "efficientnet", k_vision, 528, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 1.8, 2.6); }},
    NamedRow{"efficientnet_b7", "efficientnet", k_vision, 600, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { efficientnet_head(g, x, c, 2.0, 3.1); }},
    NamedRow{"densenet121", "densenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { densenet_head(g, x, c, 32, {6, 12, 24, 16}, 64); }},
    NamedRow{"densenet161", "densenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { densenet_head(g, x, c, 48, {6, 12, 36, 24}, 96); }},
    NamedRow{"densenet169", "densenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { densenet_head(g, x, c, 32, {6, 12, 32, 32}, 64); }},
    NamedRow{"densenet201", "densenet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { densenet_head(g, x, c, 32, {6, 12, 48, 32}, 64); }},
    NamedRow{"convnext_tiny", "convnext", k_vision, 224, 1, 3, 1000, k_conv, [](G& g, T x, double c) { convnext_head(g, x, c, {}); }},
    NamedRow{"convnext_small", "convnext", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { convnext_head(g, x, c, {{3, 3, 27, 3}, {96, 192, 384, 768}}); }},
    NamedRow{"convnext_base", "convnext", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { convnext_head(g, x, c, {{3, 3, 27, 3}, {128, 256, 512, 1024}}); }},
    NamedRow{"convnext_large", "convnext", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { convnext_head(g, x, c, {{3, 3, 27, 3}, {192, 384, 768, 1536}}); }},
    NamedRow{"vit_tiny_patch16_224", "vit", k_vision, 224, 1, 3, 1000, k_fused,
             [](G& g, T x, double c) { vit_head(g, x, c, 192, 12, 3, 16); }},
    NamedRow{"vit_small_patch16_224", "vit", k_vision, 224, 1, 3, 1000, k_fused,
             [](G& g, T x, double c) { vit_head(g, x, c, 384, 12, 6, 16); }},
    NamedRow{"vit_base_patch16_224", "vit", k_vision, 224, 1, 3, 1000, k_fused,
             [](G& g, T x, double c) { vit_head(g, x, c, 768, 12, 12, 16); }},
    NamedRow{"vit_base_patch32_224", "vit", k_vision, 224, 1, 3, 1000, k_fused,
             [](G& g, T x, double c) { vit_head(g, x, c, 768, 12, 12, 32); }},
    NamedRow{"vit_large_patch16_224", "vit", k_vision, 224, 1, 3, 1000, k_fused,
             [](G& g, T x, double c) { vit_head(g, x, c, 1024, 24, 16, 16); }},
    NamedRow{"swin_tiny_patch4_window7_224", "swin", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { swin_head(g, x, c, {}); }},
    NamedRow{"swin_small_patch4_window7_224", "swin", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { swin_head(g, x, c, {96, {2, 2, 18, 2}, {3, 6, 12, 24}, 7}); }},
    NamedRow{"swin_base_patch4_window7_224", "swin", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { swin_head(g, x, c, {128, {2, 2, 18, 2}, {4, 8, 16, 32}, 7}); }},
    NamedRow{"regnety_002", "regnet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { head(g, regnet(g, x, {24, 36.44, 2.49, 8, 13, true}).back(), c); }},
    NamedRow{"regnety_016", "regnet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { head(g, regnet(g, x, {48, 20.71, 2.65, 24, 27, true}).back(), c); }},
    NamedRow{"regnety_032", "regnet", k_vision, 224, 1, 3, 1000, k_conv,
             [](G& g, T x, double c) { head(g, regnet(g, x, {80, 42.63, 2.66, 24, 21, true}).back(), c); }},
    NamedRow{"unet", "unet", k_segmentation, 512, 1, 3, 2, k_conv, [](G& g, T x, double c) { unet_classic(g, x, 64, 5, c, false); }},
    NamedRow{"unet-bilinear", "unet", k_segmentation, 512, 1, 3, 2, k_conv,
             [](G& g, T x, double c) { unet_classic(g, x, 64, 5, c, true); }},
    NamedRow{"unet3d", "unet3d", k_segmentation, 128, 128, 1, 3, k_conv, [](G& g, T x, double c) { unet_3d(g, x, k_cicek, c); }},
    NamedRow{"nnunet-3d-fullres", "nnunet", k_segmentation, 128, 128, 1, 3, k_conv,
             [](G& g, T x, double c) { unet_3d(g, x, k_nnunet, c); }},
    NamedRow{"pointnet-seg", "pointnet", k_segmentation, 64, 1, 3, 13, k_conv, pointnet_segmentation},
    NamedRow{"clip-vit-b-32", "clip", k_vision, 224, 1, 3, 0, k_fused,
             [](G& g, T x, double) { clip(g, x, clip_vision(768, 12, 12, 32), 512, 8, 512); }},
    NamedRow{"clip-vit-b-16", "clip", k_vision, 224, 1, 3, 0, k_fused,
             [](G& g, T x, double) { clip(g, x, clip_vision(768, 12, 12, 16), 512, 8, 512); }},
    NamedRow{"clip-vit-l-14", "clip", k_vision, 224, 1, 3, 0, k_fused,
             [](G& g, T x, double) { clip(g, x, clip_vision(1024, 24, 16, 14), 768, 12, 768); }},
    NamedRow{"yolov5n", "yolov5", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v5, {0.33, 0.25, 1024}); }},
    NamedRow{"yolov5s", "yolov5", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v5, {0.33, 0.50, 1024}); }},
    NamedRow{"yolov5m", "yolov5", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v5, {0.67, 0.75, 1024}); }},
    NamedRow{"yolov5l", "yolov5", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v5, {1.0, 1.0, 1024}); }},
    NamedRow{"yolov5x", "yolov5", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v5, {1.33, 1.25, 1024}); }},
    NamedRow{"yolov8n", "yolov8", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v8, {0.33, 0.25, 1024}); }},
    NamedRow{"yolov8s", "yolov8", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v8, {0.33, 0.50, 1024}); }},
    NamedRow{"yolov8m", "yolov8", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v8, {0.67, 0.75, 768}); }},
    NamedRow{"yolov8l", "yolov8", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v8, {1.0, 1.0, 512}); }},
    NamedRow{"yolov8x", "yolov8", k_detection, 640, 1, 3, 80, k_conv,
             [](G& g, T x, double c) { yolo(g, x, c, YoloVersion::v8, {1.0, 1.25, 512}); }},
};

}  // namespace

std::span<const NamedRow> named_rows() {
  return k_rows;
}

}  // namespace gpuadvise::model
