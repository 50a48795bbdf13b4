// Necks and heads of detectors, with the tensors of their target assignment and losses.
#pragma once

#include "model/graph_backbones.hpp"

namespace gpuadvise::model {

// What training data and library decide.
struct DetectionSetting {
  double classes = 80;
  double boxes = 93;         // ground truth of the fullest image
  double pair_bytes = 36;    // alive while the overlap of an anchor with a box is computed
  bool bitmap_masks = true;  // masks go to the GPU whole, before they are cropped to regions
  bool fused_focal_loss = true;
  Norm norm = Norm::none;  // within the heads
  double image_height = 800;
  double image_width = 1344;
};

struct PyramidUse {
  std::size_t first = 0;          // stage read by the finest level
  int extra = 1;                  // coarser levels added
  bool extra_convs = false;       // by strided convolution, else by pooling
  bool extra_from_input = false;  // the first of them reads the backbone's last stage
  Norm norm = Norm::none;
};
[[nodiscard]] Stages feature_pyramid(Graph& graph, const Stages& stages, const PyramidUse& use);
// All branches resized and merged, then pooled to five levels.
[[nodiscard]] Stages branch_pyramid(Graph& graph, const Stages& branches);
// Libra R-CNN: levels gathered at one size, refined by non-local attention, scattered back.
[[nodiscard]] Stages balanced_pyramid(Graph& graph, const Stages& levels);

struct ProposalUse {
  double anchors = 3;  // at a place
  double channels = 256;
  bool guided = false;  // guided anchoring: shapes are learned, nine approximations a place are assigned
  bool heads_follow = true;
};
void region_proposals(Graph& graph, const Stages& levels, const DetectionSetting& setting, const ProposalUse& use);

struct RegionUse {
  double regions = 512;
  int stages = 1;  // cascade
  bool mask = false;
  int mask_passes = 1;      // how often the mask convolutions run
  bool mask_score = false;  // a head that predicts the mask's overlap
  bool double_head = false;
  bool keypoints = false;
  bool deformable_pooling = false;
  bool modulated_pooling = false;
  double feature_channels = 256;
};
void region_heads(Graph& graph, const DetectionSetting& setting, const RegionUse& use);

// The fifth ResNet stage as box head on 14x14 regions (C4).
void stage_as_head(Graph& graph, const DetectionSetting& setting, const RegionUse& use);

struct DenseHeadUse {
  double anchors = 9;
  int convs = 4;
  Norm norm = Norm::none;
  bool refined = false;  // a second, deformable pass over boxes (RepPoints, aligned heads)
  bool guided = false;
};
void dense_head(Graph& graph, const Stages& levels, const DetectionSetting& setting, const DenseHeadUse& use);

// A semantic branch beside the boxes: convolutions on the pyramid and a loss over the image (panoptic FPN, HTC).
void semantic_branch(Graph& graph, const Stages& levels, const DetectionSetting& setting, double classes, bool full_size);

}  // namespace gpuadvise::model
