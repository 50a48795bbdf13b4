// Reads "Mask R-CNN R-50-FPN" with "mask_rcnn_r50_fpn_1x_coco" into the parts a dense network is composed of.
#pragma once

#include "model/graph_backbones.hpp"
#include "model/named.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise::model {

enum class BackboneKind {
  unknown,
  resnet,
  resnest,
  regnet_x,
  hrnet,
  mobilenet_v2,
  mobilenet_v3,
  swin,
  convnext,
  vit,
  mix,
  vgg,
  darknet,
  unet
};

struct BackboneName {
  BackboneKind kind = BackboneKind::unknown;
  int depth = 0;      // ResNet family, VGG
  double groups = 1;  // ResNeXt
  double group_width = 64;
  double width = 0;  // HRNet branch, RegNet's megaflops
  char size = ' ';   // t s b l x of Swin, ConvNeXt, ViT; 0-5 of MiT
  bool small = false;
};

struct DenseName {
  std::string text;     // lower case, words joined by '_': "mask_r_cnn_r_50_fpn_mask_rcnn_r50_fpn_1x_coco"
  std::string compact;  // without separators
  BackboneName backbone;
  [[nodiscard]] bool has(std::string_view part) const { return compact.find(part) != std::string::npos; }
  // Short markers must be words of their own; long ones may run together with others.
  [[nodiscard]] bool matches(std::string_view marker) const { return marker.size() <= 4 ? word(marker) : has(marker); }
  // A whole word, or a run of words ("c3_c5").
  [[nodiscard]] bool word(std::string_view part) const;
};

[[nodiscard]] DenseName dense_name(std::string_view name, std::string_view config);

// The digits after `prefix` where it begins a word: number_after("..._r_50_...", "r") = 50.
[[nodiscard]] std::optional<int> number_after(std::string_view text, std::string_view prefix);

}  // namespace gpuadvise::model
