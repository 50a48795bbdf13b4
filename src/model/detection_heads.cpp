#include "model/detection_heads.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

constexpr double k_float = 4.0;
// Anchors, their targets and weights, and the element-wise steps of the two losses over all of them (counted: a label,
// a label weight, four targets, four weights, four deltas in three stages, a score in three).
constexpr double k_bytes_per_anchor = 120.0;
constexpr double k_guided_approximations = 9.0;
constexpr double k_positive_share = 0.25;  // of the sampled regions; they alone get masks
constexpr double k_mask_side = 14.0;
constexpr double k_box_side = 7.0;
// Arrays of the mask logits' size: the logits and their cast until the loss is summed; the gradient of picking one class
// of each, and the 1x1 convolution's workspace (fitted, n = 8 with 80 and 1203 classes).
constexpr double k_mask_logits_kept = 2.0;
constexpr double k_mask_logits_beside = 3.0;
// One byte as loaded, four as converted, for every positive region's mask of the whole image.
constexpr double k_bitmap_bytes = 5.0;

double places(const Stages& levels) {
  double sum = 0;
  for (const Tensor& level : levels) {
    sum += level.places();
  }
  return sum;
}

// The overlaps of all anchors with all boxes of one image: images are assigned one after the other.
void assign_anchors(Graph& graph, double anchors, const DetectionSetting& setting) {
  graph.transient(0, anchors * setting.boxes * setting.pair_bytes);
}

Tensor level_conv(Graph& graph, const Tensor& x, double out, const Conv& conv, Norm norm) {
  return conv_norm(graph, x, out, conv, norm);
}

void box_head(Graph& graph, const DetectionSetting& setting, const RegionUse& use, bool agnostic) {
  Tensor x = graph.tensor(use.feature_channels * k_box_side * k_box_side, use.regions, 1, 1, graph.autocast() ? 2 : 4);
  if (setting.norm != Norm::none) {
    // Four convolutions and one layer instead of two layers.
    Tensor y = graph.tensor(use.feature_channels, use.regions, k_box_side, k_box_side, x.element_bytes);
    for (int i = 0; i < 4; ++i) {
      y = conv_norm_relu(graph, y, 256, {}, setting.norm);
    }
    x = graph.reshaped(y, 256 * k_box_side * k_box_side, 1, 1);
  } else {
    x = graph.relu(graph.linear(x, 1024));
  }
  x = graph.relu(graph.linear(x, 1024));
  (void)graph.classifier(x, setting.classes + 1);
  (void)graph.linear(x, agnostic ? 4 : 4 * setting.classes);
  graph.keep_bytes(3 * k_float * use.regions * (setting.classes + 1));
}

// Double-head: a residual block and four bottlenecks of width 1024 on every region, beside the two layers.
void conv_box_head(Graph& graph, const RegionUse& use) {
  Tensor x = graph.tensor(256, use.regions, k_box_side, k_box_side, graph.autocast() ? 2 : 4);
  const Tensor y = conv_norm_relu(graph, x, 256, {});
  x = graph.relu(graph.add(conv_norm(graph, y, 1024, {.kernel = 1}), conv_norm(graph, x, 1024, {.kernel = 1})));
  for (int block = 0; block < 4; ++block) {
    Tensor z = conv_norm_relu(graph, x, 256, {.kernel = 1});
    z = conv_norm_relu(graph, z, 256, {});
    x = graph.relu(graph.add(conv_norm(graph, z, 1024, {.kernel = 1}), x));
  }
}

// Each of the four pyramid levels has its own layers that turn regions into offsets (and weights).
void deformable_pooling(Graph& graph, const RegionUse& use) {
  const double bins = k_box_side * k_box_side;
  for (int level = 0; level < 4; ++level) {
    graph.keep_bytes(use.regions / 4 * use.feature_channels * bins * k_float);
    const Tensor regions = graph.tensor(use.feature_channels * bins, use.regions / 4, 1, 1, k_float);
    const Tensor hidden = graph.relu(graph.linear(regions, 1024));
    (void)graph.linear(graph.relu(graph.linear(hidden, 1024)), 2 * bins);
    if (use.modulated_pooling) {
      (void)graph.sigmoid(graph.linear(graph.relu(graph.linear(regions, 1024)), bins));
    }
  }
}

void mask_head(Graph& graph, const DetectionSetting& setting, const RegionUse& use) {
  const double regions = use.regions * k_positive_share;
  Tensor features;
  for (int pass = 0; pass < use.mask_passes; ++pass) {
    graph.reuse_weights(pass > 0);
    features = graph.tensor(use.feature_channels, regions, k_mask_side, k_mask_side, graph.autocast() ? 2 : 4);
    for (int i = 0; i < 4; ++i) {
      features = conv_norm_relu(graph, features, 256, {}, setting.norm);
    }
  }
  graph.reuse_weights(false);
  const Tensor up = graph.relu(graph.transposed_conv(features, 256, 2, 2, true));
  const Tensor logits = graph.conv(up, setting.classes, {.kernel = 1, .bias = true});
  graph.keep_bytes(k_mask_logits_kept * logits.elements() * k_float);
  graph.transient(k_mask_logits_beside * logits.elements() * k_float,
                  setting.bitmap_masks ? regions * setting.image_height * setting.image_width * k_bitmap_bytes : 0);
  if (use.mask_score) {
    Tensor y = graph.tensor(257, regions, k_mask_side, k_mask_side, graph.autocast() ? 2 : 4);
    for (int i = 0; i < 4; ++i) {
      y = conv_norm_relu(graph, y, 256, {.stride = i == 3 ? 2.0 : 1.0}, Norm::none);
    }
    y = graph.relu(graph.linear(graph.reshaped(y, 256 * y.height * y.width, 1, 1), 1024));
    (void)graph.linear(graph.relu(graph.linear(y, 1024)), setting.classes);
  }
}

void keypoint_head(Graph& graph, const RegionUse& use) {
  constexpr double k_keypoints = 17;
  const double regions = use.regions * k_positive_share;
  Tensor y = graph.tensor(256, regions, k_mask_side, k_mask_side, graph.autocast() ? 2 : 4);
  for (int i = 0; i < 8; ++i) {
    y = conv_norm_relu(graph, y, 512, {}, Norm::none);
  }
  const Tensor low = graph.transposed_conv(y, k_keypoints, 4, 2, true);
  const Tensor maps = graph.resized(low, low.height * 2, low.width * 2);
  graph.keep_bytes(2 * maps.elements() * k_float);
}

}  // namespace

Stages feature_pyramid(Graph& graph, const Stages& stages, const PyramidUse& use) {
  constexpr double k_channels = 256;
  std::vector<Tensor> laterals;
  for (std::size_t i = use.first; i < stages.size(); ++i) {
    laterals.push_back(level_conv(graph, stages[i], k_channels, {.kernel = 1}, use.norm));
  }
  Stages levels;
  for (const Tensor& lateral : laterals) {
    levels.push_back(level_conv(graph, graph.like(lateral), k_channels, {}, use.norm));
  }
  for (int i = 0; i < use.extra; ++i) {
    const Tensor last = i == 0 && use.extra_from_input ? stages.back() : levels.back();
    levels.push_back(use.extra_convs ? level_conv(graph, last, k_channels, {.stride = 2}, use.norm)
                                     : graph.resized(last, std::ceil(last.height / 2), std::ceil(last.width / 2)));
  }
  return levels;
}

Stages branch_pyramid(Graph& graph, const Stages& branches) {
  double channels = 0;
  for (const Tensor& branch : branches) {
    channels += branch.channels;
  }
  const Tensor merged = graph.conv(graph.concat(branches.front(), channels), 256, {.kernel = 1, .bias = true});
  Stages levels;
  for (int i = 0; i < 5; ++i) {
    const double divisor = std::pow(2.0, i);
    graph.keep(merged);
    const Tensor pooled = graph.resized(merged, std::floor(merged.height / divisor), std::floor(merged.width / divisor));
    levels.push_back(graph.conv(pooled, 256, {.bias = true}));
  }
  return levels;
}

Stages balanced_pyramid(Graph& graph, const Stages& levels) {
  const Tensor& middle = levels[std::min<std::size_t>(2, levels.size() - 1)];
  const Tensor x = graph.like(middle);
  (void)graph.conv(x, 256, {.kernel = 1, .bias = true});
  const Tensor value = graph.conv(x, 256, {.kernel = 1, .bias = true});
  const Tensor mixed = graph.eager_attention(value, 1, x.places(), x.places(), 1);
  (void)graph.conv(mixed, 256, {.kernel = 1, .bias = true});
  Stages refined;
  for (const Tensor& level : levels) {
    graph.keep_bytes(level.elements() * 8);  // indices of the pooling that scatters back
    refined.push_back(graph.like(level));
  }
  return refined;
}

void region_proposals(Graph& graph, const Stages& levels, const DetectionSetting& setting, const ProposalUse& use) {
  // The heads are differentiated first: their gradients of all levels wait for those of the proposals.
  double level_bytes = 0;
  for (const Tensor& level : levels) {
    level_bytes += level.bytes();
  }
  graph.hold(use.heads_follow ? level_bytes : 0);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    graph.reuse_weights(i > 0);
    Tensor y = graph.relu(graph.conv(levels[i], use.channels, {.bias = true}));
    if (use.guided) {
      (void)graph.conv(y, 3, {.kernel = 1, .bias = true});
      (void)graph.conv(y, 18, {.kernel = 1});
      y = graph.relu(graph.conv(y, use.channels, {}));  // deformable, by the predicted shapes
    }
    (void)graph.conv(y, use.anchors, {.kernel = 1, .bias = true});
    (void)graph.conv(y, 4 * use.anchors, {.kernel = 1, .bias = true});
  }
  graph.reuse_weights(false);
  graph.hold(0);
  const double anchors = places(levels) * use.anchors;
  graph.keep_bytes(anchors * k_bytes_per_anchor);
  assign_anchors(graph, use.guided ? places(levels) * k_guided_approximations : anchors, setting);
}

void region_heads(Graph& graph, const DetectionSetting& setting, const RegionUse& use) {
  for (int stage = 0; stage < use.stages; ++stage) {
    if (use.deformable_pooling) {
      deformable_pooling(graph, use);
    }
    box_head(graph, setting, use, use.stages > 1);
    if (use.double_head) {
      conv_box_head(graph, use);
    }
    if (use.mask) {
      mask_head(graph, setting, use);
    }
  }
  if (use.keypoints) {
    keypoint_head(graph, use);
  }
}

void stage_as_head(Graph& graph, const DetectionSetting& setting, const RegionUse& use) {
  Tensor x = graph.tensor(use.feature_channels, use.regions, k_mask_side, k_mask_side, graph.autocast() ? 2 : 4);
  graph.keep(x);
  graph.transient(3 * x.bytes());  // gradients of both branches and their sum
  for (int block = 0; block < 3; ++block) {
    Tensor y = conv_norm_relu(graph, x, 512, {.kernel = 1, .stride = block == 0 ? 2.0 : 1.0});
    y = conv_norm_relu(graph, y, 512, {});
    y = conv_norm(graph, y, 2048, {.kernel = 1});
    x = graph.relu(graph.add(y, block == 0 ? conv_norm(graph, x, 2048, {.kernel = 1, .stride = 2}) : x));
  }
  const Tensor pooled = graph.tensor(2048, use.regions, 1, 1, x.element_bytes);
  (void)graph.classifier(pooled, setting.classes + 1);
  (void)graph.linear(pooled, 4 * setting.classes);
  if (use.mask) {
    const Tensor positive = graph.tensor(2048, use.regions * k_positive_share, k_box_side, k_box_side, x.element_bytes);
    const Tensor up = graph.relu(graph.transposed_conv(positive, 256, 2, 2, true));
    const Tensor logits = graph.conv(up, setting.classes, {.kernel = 1, .bias = true});
    graph.keep_bytes(logits.elements() * k_float);
  }
}

void dense_head(Graph& graph, const Stages& levels, const DetectionSetting& setting, const DenseHeadUse& use) {
  double logits = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    graph.reuse_weights(i > 0);
    Tensor scores = levels[i];
    Tensor boxes = levels[i];
    for (int conv = 0; conv < use.convs; ++conv) {
      scores = conv_norm_relu(graph, scores, 256, {}, use.norm);
      boxes = conv_norm_relu(graph, boxes, 256, {}, use.norm);
    }
    if (use.refined || use.guided) {
      graph.keep(graph.conv(boxes, 18, {.kernel = 1, .bias = true}));
      scores = graph.relu(graph.conv(scores, 256, {}));
      boxes = graph.relu(graph.conv(boxes, 256, {}));
    }
    const Tensor out = graph.conv(scores, setting.classes * use.anchors, {.bias = true});
    (void)graph.conv(boxes, (use.anchors > 1 ? 4 : 5) * use.anchors, {.bias = true});
    logits += out.elements() * k_float;
  }
  graph.reuse_weights(false);
  const double anchors = places(levels) * use.anchors;
  // A fused kernel keeps the gathered logits, targets and the loss; one written in PyTorch's own operators about ten
  // arrays of that size, and five gradients stand beside them.
  graph.keep_bytes((setting.fused_focal_loss ? 3 : 10) * logits + anchors * k_bytes_per_anchor);
  if (!setting.fused_focal_loss) {
    graph.transient(5 * logits);
  }
  assign_anchors(graph, use.guided ? places(levels) * k_guided_approximations : anchors, setting);
}

void semantic_branch(Graph& graph, const Stages& levels, const DetectionSetting& setting, double classes, bool full_size) {
  Tensor x;
  if (full_size) {
    // Every level to a quarter of the image, 128 channels, group norm.
    for (std::size_t i = 0; i < 4 && i < levels.size(); ++i) {
      Tensor y = levels[i];
      for (std::size_t step = 0; step < std::max<std::size_t>(1, i); ++step) {
        y = conv_norm_relu(graph, y, 128, {}, Norm::group);
        y = i > 0 ? graph.resized(y, y.height * 2, y.width * 2) : y;
      }
      x = i == 0 ? y : x;
    }
  } else {
    // All levels summed at an eighth of the image, four convolutions.
    const Tensor& eighth = levels[std::min<std::size_t>(1, levels.size() - 1)];
    for (const Tensor& level : levels) {
      (void)conv_norm_relu(graph, level, 256, {.kernel = 1}, Norm::none);
    }
    x = graph.like(eighth);
    for (int i = 0; i < 4; ++i) {
      x = conv_norm_relu(graph, x, 256, {}, Norm::none);
    }
  }
  const Tensor logits = graph.conv(x, classes, {.kernel = 1, .bias = true});
  const double bytes = full_size ? classes * setting.image_height * setting.image_width * k_float : logits.elements() * k_float;
  graph.keep_bytes(2 * bytes);
  graph.transient(2 * bytes);
}

}  // namespace gpuadvise::model
