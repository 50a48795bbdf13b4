// Published memory of dense prediction and video training (max_memory_allocated, 8 V100), against the counted networks.
#include "catch.hpp"
#include "estimate/memory/image_training.hpp"
#include "model/named.hpp"

using namespace gpuadvise;

namespace {

struct Published {
  std::string_view name;
  std::string_view config;
  double batch;
  ImageSize image;
  double classes;
  double gib;
  double tolerance;
  PrecisionKind precision = PrecisionKind::fp32;
  Optimizer optimizer = Optimizer::sgd_momentum;
};

double allocated_gib(const Published& row, Stack stack) {
  model::NamedModelOptions options;
  options.config = row.config;
  options.image = row.image;
  options.classes = row.classes;
  options.stack = stack;
  options.frozen.batchnorm = stack == Stack::detectron2;
  const auto model = model::named_model(row.name, options);
  REQUIRE(model);
  Workload workload;
  workload.field = model->field;
  workload.batch = row.batch;
  workload.image = row.image;
  workload.stack = stack;
  workload.gpus = 8;
  workload.strategy = Strategy::ddp;
  workload.precision.kind = row.precision;
  workload.optimizer = row.optimizer;
  return estimate::image_training_memory(workload, *model->image(), nullptr).allocated.expected / k_gib;
}

void check(const Published& row, Stack stack) {
  INFO(row.name << " " << row.config);
  CHECK(allocated_gib(row, stack) == Approx(row.gib).epsilon(row.tolerance));
}

}  // namespace

TEST_CASE("semantic segmentation within 4 percent") {
  constexpr ImageSize k_cityscapes = {1, 512, 1024};
  constexpr ImageSize k_ade = {1, 512, 512};
  for (const Published& row : {
           Published{"FCN R-50b-D8", "fcn_r50b-d8_512x1024_80k_cityscapes", 2, k_cityscapes, 19, 5.6, 0.04},
           Published{"FCN R-101-D8", "fcn_r101-d8_512x512_80k_ade20k", 4, k_ade, 150, 12.0, 0.04},
           Published{"DeepLabV3 R-101-D8", "deeplabv3_r101-d8_512x1024_40k_cityscapes", 2, k_cityscapes, 19, 9.6, 0.04},
           Published{"DeepLabV3+ R-101-D8", "deeplabv3plus_r101-d8_512x1024_40k_cityscapes", 2, k_cityscapes, 19, 11.0, 0.04},
           Published{"FCN HRNetV2p-W48", "fcn_hr48_512x512_20k_voc12aug", 4, k_ade, 21, 6.2, 0.04},
           Published{"FCN S-101-D8", "fcn_s101-d8_512x1024_80k_cityscapes", 2, k_cityscapes, 19, 11.4, 0.04},
           Published{"PSPNet R-101-D8", "pspnet_r101-d8_512x1024_80k_fp16_cityscapes", 2, k_cityscapes, 19, 5.47, 0.04,
                     PrecisionKind::amp_fp16},
           Published{"SegFormer MiT-B3", "", 2, k_ade, 150, 4.8, 0.04, PrecisionKind::fp32, Optimizer::adamw},
       }) {
    check(row, Stack::openmmlab);
  }
}

TEST_CASE("detection within 8 percent") {
  constexpr ImageSize k_coco = {1, 800, 1333};
  for (const Published& row : {
           Published{"RPN ResNet-50", "rpn_r50_fpn_1x_coco", 2, k_coco, 0, 3.8, 0.08},
           Published{"FasterRCNN ResNeXt-101-64x4d", "faster_rcnn_x101_64x4d_fpn_1x_coco", 2, k_coco, 0, 10.3, 0.08},
           Published{"MaskRCNN ResNet-50", "mask_rcnn_r50_caffe_fpn_1x_coco", 2, k_coco, 0, 4.3, 0.08},
           Published{"MaskRCNN ResNeXt-101-32x4d", "mask_rcnn_x101_32x4d_fpn_sample1e-3_mstrain_1x_lvis_v1", 2, k_coco, 0, 11.8, 0.08},
           Published{"CascadeRCNN HRNet", "cascade_mask_rcnn_hrnetv2p_w18_20e_coco", 2, k_coco, 0, 8.5, 0.08},
           Published{"HybridTaskCascade ResNet-101", "htc_r101_fpn_20e_coco", 2, k_coco, 0, 10.2, 0.08},
           Published{"RetinaNet ResNet-50", "retinanet_r50_fpn_1x_coco", 2, k_coco, 0, 3.8, 0.08},
           Published{"FasterRCNN ResNet-50", "faster_rcnn_r50_fpn_1x_cityscapes", 1, {1, 1024, 2048}, 0, 5.2, 0.08},
           Published{"FasterRCNN ResNet-50", "faster_rcnn_r50_fpn_mdpool_1x_coco", 2, k_coco, 0, 5.8, 0.08},
       }) {
    check(row, Stack::openmmlab);
  }
  check({"Faster R-CNN R-50-FPN", "faster_rcnn_R_50_FPN_3x", 2, {}, 0, 3.0, 0.08}, Stack::detectron2);
  check({"Mask R-CNN R-101-FPN", "mask_rcnn_R_101_FPN_3x", 2, {}, 0, 4.6, 0.08}, Stack::detectron2);
}

TEST_CASE("video within 4 percent") {
  for (const Published& row : {
           Published{"Recognizer3D C3D", "c3d_sports1m_16x1x1_45e_ucf101_rgb", 30, {16, 224, 224}, 0, 5.9111, 0.04},
           Published{"Recognizer3D ResNet3dSlowOnly-50", "slowonly_r50_8x8x1_256e_kinetics400_rgb", 8, {8, 224, 224}, 0, 5.6836, 0.04},
           Published{"Recognizer3D ResNet3dSlowFast", "slowfast_r50_4x16x1_256e_kinetics400_rgb", 8, {32, 224, 224}, 0, 6.0576, 0.04},
           Published{"Recognizer2D ResNetTSM-101", "tsm_r101_1x1x8_50e_sthv2_rgb", 8, {8, 224, 224}, 0, 9.499, 0.04},
           Published{"Recognizer2D MobileNetV2TSM", "tsm_mobilenetv2_dense_1x1x8_100e_kinetics400_rgb", 8, {8, 224, 224}, 0, 3.3057, 0.04},
       }) {
    check(row, Stack::openmmlab);
  }
}

TEST_CASE("a 3D U-Net on whole MRI volumes: tens of GiB in fp32, half of it under autocast") {
  const Published row = {"3D U-Net", "", 1, {128, 256, 256}, 0, 0, 0, PrecisionKind::fp32, Optimizer::adamw};
  Published cast = row;
  cast.precision = PrecisionKind::amp_fp16;
  const double fp32 = allocated_gib(row, Stack::none);
  CHECK(fp32 > 24);
  CHECK(fp32 < 36);
  CHECK(allocated_gib(cast, Stack::none) < 0.6 * fp32);
}

TEST_CASE("one size asked of a network over clips leaves the number of frames") {
  model::NamedModelOptions options;
  options.image = {1, 224, 224};
  const auto asked = model::named_model("TSN R-50", options);
  const auto own = model::named_model("TSN R-50");
  CHECK(asked->image()->frames == own->image()->frames);
  CHECK(asked->image()->saved_bytes == own->image()->saved_bytes);
}
