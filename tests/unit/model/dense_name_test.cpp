#include "model/dense_name.hpp"

#include "catch.hpp"

using namespace gpuadvise::model;

TEST_CASE("ResNets by the names libraries give them") {
  for (const std::string_view name : {"FCN R-50-D8", "MaskRCNN ResNet-50", "mask_rcnn_r50_fpn", "deeplabv3_resnet50"}) {
    INFO(name);
    const DenseName parsed = dense_name(name, "");
    CHECK(parsed.backbone.kind == BackboneKind::resnet);
    CHECK(parsed.backbone.depth == 50);
    CHECK(parsed.backbone.groups == 1);
  }
  CHECK(dense_name("DeepLabV3 R-101b-D8", "").backbone.depth == 101);
  CHECK(dense_name("fcn_s101-d8", "").backbone.kind == BackboneKind::resnest);
}

TEST_CASE("ResNeXts: groups and their width") {
  const BackboneName a = dense_name("FasterRCNN ResNeXt-101-64x4d", "").backbone;
  CHECK(a.depth == 101);
  CHECK(a.groups == 64);
  CHECK(a.group_width == 4);
  const BackboneName b = dense_name("Mask R-CNN X-101-32x8d-FPN", "").backbone;
  CHECK(b.groups == 32);
  CHECK(b.group_width == 8);
}

TEST_CASE("RegNets, HRNets and sized families") {
  CHECK(dense_name("MaskRCNN RegNet", "mask_rcnn_regnetx-3.2GF_fpn_1x_coco").backbone.width == 3200);
  CHECK(dense_name("RetinaNet RegNet", "retinanet_regnetx-800MF_fpn_1x_coco").backbone.width == 800);
  CHECK(dense_name("FCN HRNetV2p-W18-Small", "").backbone.small);
  CHECK(dense_name("FasterRCNN HRNet", "faster_rcnn_hrnetv2p_w32_1x_coco").backbone.width == 32);
  CHECK(dense_name("UPerNet Swin-T", "").backbone.size == 't');
  CHECK(dense_name("SegFormer MiT-B5", "").backbone.size == '5');
  CHECK(dense_name("segformer-b2", "").backbone.size == '2');
}

TEST_CASE("short markers are words, long ones run together") {
  const DenseName name = dense_name("planner r50", "");
  CHECK(name.has("ann"));
  CHECK_FALSE(name.matches("ann"));
  CHECK(dense_name("ANN R-50-D8", "").matches("ann"));
  CHECK(dense_name("DeepLabV3+ R-50-D8", "").matches("deeplabv3plus"));
}

TEST_CASE("numbers follow their prefix at the beginning of a word") {
  CHECK(number_after("mask_r_50_fpn", "r") == 50);
  CHECK(number_after("mask_r101_fpn", "r") == 101);
  CHECK_FALSE(number_after("769x769", "x"));
  CHECK_FALSE(number_after("r_fpn", "r"));
}
