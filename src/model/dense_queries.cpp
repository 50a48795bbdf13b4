// Detectors and segmenters whose outputs are queries of a transformer: DETR, Deformable DETR, MaskFormer, Mask2Former.
#include "model/dense.hpp"
#include "model/graph_profile.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

constexpr double k_width = 256;
constexpr double k_heads = 8;
constexpr double k_multihead_score_copies = 2;  // softmax, and what its dropout hands on

// Attention of nn.MultiheadAttention from `queries` to `keys`, with its norm and residual.
Tensor cross_attention(Graph& graph, const Tensor& queries, const Tensor& keys) {
  const Tensor q = graph.linear(queries, k_width);
  (void)graph.linear(keys, k_width);
  (void)graph.linear(keys, k_width);
  const Tensor mixed = graph.eager_attention(q, 1, queries.places(), keys.places(), k_heads, k_multihead_score_copies);
  return graph.layernorm(graph.add(graph.linear(mixed, k_width), queries));
}

Tensor feed_forward(Graph& graph, const Tensor& x, double hidden) {
  return graph.layernorm(graph.add(graph.linear(graph.relu(graph.linear(x, hidden)), k_width), x));
}

// Sampling at 4 points of 3 or 4 levels for 8 heads: offsets, weights, locations and values are kept.
Tensor deformable_attention(Graph& graph, const Tensor& x, double levels) {
  constexpr double k_points = 4;
  const double samples = k_heads * levels * k_points;
  const Tensor query = graph.like(x);
  graph.keep(graph.linear(x, k_width));  // values
  graph.keep(graph.linear(query, 2 * samples));
  (void)graph.sigmoid(graph.linear(query, samples));
  graph.keep_bytes(2 * samples * x.places() * 4.0);  // locations
  return graph.layernorm(graph.add(graph.linear(graph.like(x), k_width), x));
}

Tensor tokens(Graph& graph, double count) {
  return graph.tensor(k_width, 1, 1, count, 4.0);
}

// Carion et al.: six encoder and six decoder layers on the last stage.
void detr(Graph& graph, const Stages& stages, double classes) {
  constexpr double k_queries = 100;
  constexpr int k_layers = 6;
  const Tensor projected = graph.conv(stages.back(), k_width, {.kernel = 1, .bias = true});
  Tensor memory = tokens(graph, projected.places());
  for (int layer = 0; layer < k_layers; ++layer) {
    memory = feed_forward(graph, cross_attention(graph, memory, memory), 2048);
  }
  Tensor queries = tokens(graph, k_queries);
  for (int layer = 0; layer < k_layers; ++layer) {
    queries = cross_attention(graph, queries, queries);
    queries = feed_forward(graph, cross_attention(graph, queries, memory), 2048);
    (void)graph.linear(queries, classes + 1);
  }
}

// Zhu et al.: four levels, sampled attention in place of scores.
void deformable_detr(Graph& graph, const Stages& stages, double classes) {
  constexpr double k_queries = 300;
  constexpr int k_layers = 6;
  double places = 0;
  for (std::size_t i = 1; i < stages.size(); ++i) {
    places += graph.groupnorm(graph.conv(stages[i], k_width, {.kernel = 1, .bias = true})).places();
  }
  places += graph.groupnorm(graph.conv(stages.back(), k_width, {.stride = 2, .bias = true})).places();
  Tensor memory = tokens(graph, places);
  for (int layer = 0; layer < k_layers; ++layer) {
    memory = feed_forward(graph, deformable_attention(graph, memory, 4), 1024);
  }
  Tensor queries = tokens(graph, k_queries);
  for (int layer = 0; layer < k_layers; ++layer) {
    queries = cross_attention(graph, queries, queries);
    graph.keep(graph.linear(memory, k_width));
    queries = feed_forward(graph, queries, 1024);
    (void)graph.linear(queries, classes);
  }
}

// Masks of all queries at a quarter of the image, and their losses: as predicted, sampled, and twice for the next mask.
Tensor predict_masks(Graph& graph, const Tensor& features, double queries) {
  const Tensor masks = graph.tensor(queries, 1, features.height, features.width, 4.0);
  graph.keep(features);
  graph.keep(masks);
  graph.keep_bytes(masks.bytes());
  return masks;
}

// Cheng et al.: sampled attention over three levels, nine decoder layers that attend within predicted masks.
void mask2former(Graph& graph, const Stages& stages, double classes, double boxes, double image_places) {
  constexpr double k_queries = 100;
  double places = 0;
  Stages levels;
  for (std::size_t i = 1; i < stages.size(); ++i) {
    levels.push_back(graph.groupnorm(graph.conv(stages[i], k_width, {.kernel = 1, .bias = true})));
    places += levels.back().places();
  }
  Tensor memory = tokens(graph, places);
  for (int layer = 0; layer < 6; ++layer) {
    memory = feed_forward(graph, deformable_attention(graph, memory, 3), 1024);
  }
  const Tensor lateral = graph.groupnorm(graph.conv(stages.front(), k_width, {.kernel = 1}));
  const Tensor fine = graph.relu(graph.groupnorm(graph.conv(lateral, k_width, {})));
  const Tensor features = graph.conv(fine, k_width, {.kernel = 1, .bias = true});
  Tensor queries = tokens(graph, k_queries);
  (void)predict_masks(graph, features, k_queries);
  for (int layer = 0; layer < 9; ++layer) {
    const Tensor& level = levels[levels.size() - 1 - static_cast<std::size_t>(layer) % levels.size()];
    queries = cross_attention(graph, queries, tokens(graph, level.places()));
    queries = feed_forward(graph, cross_attention(graph, queries, queries), 2048);
    (void)graph.linear(queries, classes + 1);
    (void)predict_masks(graph, features, k_queries);
  }
  graph.keep_bytes(boxes * image_places * 4.0);  // ground-truth masks of the fullest image
}

}  // namespace

std::optional<Composed> query_network(const DenseName& name, const NamedModelOptions& options) {
  const bool masks = name.has("mask2former") || name.has("maskformer");
  const bool deformable = name.has("deformabledetr") || name.has("dinor") || name.has("dabdetr");
  if ((!masks && !name.has("detr") && !deformable) || name.backbone.kind == BackboneKind::unknown) {
    return std::nullopt;
  }
  constexpr double k_boxes = 93;  // COCO's fullest image
  ProfileOptions profile;
  profile.image_height = options.image.height > 0 ? options.image.height : masks ? 1024 : 800;
  profile.image_width = options.image.width > 0 ? options.image.width : masks ? 1024 : 1333;
  profile.classes = options.classes > 0 ? options.classes : name.has("panoptic") ? 133 : 80;
  profile.workspace_per_io = k_dense_workspace;
  profile.partly_frozen = true;
  profile.source = ProfileSource::estimated;  // matching and mask losses are counted roughly
  // Crops turn the orientation: a batch holds both and is padded to a square.
  const double side = std::ceil(std::max(profile.image_height, profile.image_width) / 32) * 32;
  BackboneUse use;
  use.frozen_stages = options.frozen.backbone ? 4 : options.frozen.stages || options.frozen.batchnorm ? 1 : -1;
  const auto network = [&](Graph& graph) {
    graph.constant_batchnorm(options.frozen.batchnorm);
    const Tensor image = graph.input(3, side, side);
    graph.freeze(options.frozen.backbone);
    const Stages stages = backbone(graph, image, name.backbone, use);
    graph.freeze(false);
    if (masks) {
      mask2former(graph, stages, profile.classes, k_boxes, side * side);
    } else if (deformable) {
      deformable_detr(graph, stages, profile.classes);
    } else {
      detr(graph, stages, profile.classes);
    }
  };
  return Composed{Field::detection, profile_of(network, profile)};
}

}  // namespace gpuadvise::model
