// Object detection and instance segmentation: backbone, pyramid, proposals, heads, by the names libraries give them.
#include "model/dense.hpp"
#include "model/detection_heads.hpp"
#include "model/graph_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::model {
namespace {

enum class Scheme { two_stage, dense, proposals_only };

struct AlgorithmRow {
  std::string_view marker;  // within the name without separators; the first row that matches decides
  Scheme scheme;
  bool counted;  // false: a part of it is not built from operators
};
constexpr std::array<AlgorithmRow, 38> k_algorithms = {{
    {"garetinanet", Scheme::dense, true},
    {"freeanchor", Scheme::dense, true},
    {"libraretinanet", Scheme::dense, true},
    {"retinanet", Scheme::dense, true},
    {"fcos", Scheme::dense, true},
    {"paa", Scheme::dense, true},
    {"atss", Scheme::dense, true},
    {"gfl", Scheme::dense, true},
    {"vfnet", Scheme::dense, true},
    {"fovea", Scheme::dense, false},
    {"reppoints", Scheme::dense, true},
    {"bboxr50grid", Scheme::dense, true},
    {"autoassign", Scheme::dense, false},
    {"foveabox", Scheme::dense, false},
    {"fsaf", Scheme::dense, true},
    {"ld", Scheme::dense, true},
    {"yolof", Scheme::dense, false},
    {"tood", Scheme::dense, false},
    {"ddod", Scheme::dense, false},
    {"garpn", Scheme::proposals_only, true},
    {"rpn", Scheme::proposals_only, true},
    {"hybridtaskcascade", Scheme::two_stage, true},
    {"htc", Scheme::two_stage, true},
    {"scnet", Scheme::two_stage, true},
    {"detectors", Scheme::two_stage, true},
    {"cascade", Scheme::two_stage, true},
    {"gridrcnn", Scheme::two_stage, false},
    {"pointrend", Scheme::two_stage, false},
    {"maskscoring", Scheme::two_stage, true},
    {"msrcnn", Scheme::two_stage, true},
    {"panoptic", Scheme::two_stage, true},
    {"keypointrcnn", Scheme::two_stage, true},
    {"maskrcnn", Scheme::two_stage, true},
    {"fasterrcnn", Scheme::two_stage, true},
    {"gafaster", Scheme::two_stage, true},
    {"librafaster", Scheme::two_stage, true},
    {"dynamicrcnn", Scheme::two_stage, true},
    {"doubleheadrcnn", Scheme::two_stage, true},
}};

// A detector without a row, told by its data set: a plain two-stage one stands in.
constexpr AlgorithmRow k_other_detector = {"", Scheme::two_stage, false};

const AlgorithmRow* algorithm(const DenseName& name) {
  for (const AlgorithmRow& row : k_algorithms) {
    if (name.matches(row.marker)) {
      return &row;
    }
  }
  const bool data_set = name.has("coco") || name.has("lvis") || name.has("voc0712") || name.has("objects365");
  return data_set ? &k_other_detector : nullptr;
}

// Boxes of the fullest training image: the peak of a run is the peak of its fullest image. 93 is COCO's maximum (counted);
// the others are rounded from what is known of the sets (prior).
constexpr double k_boxes_coco = 93;
constexpr double k_boxes_cityscapes = 130;
constexpr double k_boxes_lvis = 150;
constexpr double k_boxes_voc = 30;

// Live while a pair's overlap is computed (counted in the libraries' sources): corners, sizes, overlap, union.
constexpr double k_pair_bytes_openmmlab = 36;
constexpr double k_pair_bytes_detectron2 = 24;
// Heads without anchors compare distances to four sides, to centres and to ranges: 25 numbers a pair.
constexpr double k_pair_bytes_points = 100;

struct Setup {
  const AlgorithmRow* row = nullptr;
  bool detectron2 = false;
  DetectionSetting setting;
  BackboneUse backbone;
  bool constant_batchnorm = false;
  double height = 800;  // padded
  double width = 1344;
  double asked_height = 800;
  double asked_width = 1333;
};

void read_data_set(const DenseName& name, const NamedModelOptions& options, DetectionSetting& setting) {
  setting.classes = 80;
  setting.boxes = k_boxes_coco;
  if (name.has("lvis")) {
    setting.classes = name.has("lvisv1") ? 1203 : 1230;
    setting.boxes = k_boxes_lvis;
  } else if (name.has("cityscapes")) {
    setting.classes = 8;
    setting.boxes = k_boxes_cityscapes;
  } else if (name.has("voc")) {
    setting.classes = 20;
    setting.boxes = k_boxes_voc;
  }
  if (options.classes > 0) {
    setting.classes = options.classes;
  }
}

Setup set_up(const DenseName& name, const NamedModelOptions& options) {
  constexpr double k_padding = 32;
  Setup s;
  s.row = algorithm(name);
  s.detectron2 = options.stack == Stack::detectron2;
  s.asked_height = options.image.height > 0 ? options.image.height : 800;
  s.asked_width = options.image.width > 0 ? options.image.width : 1333;
  s.height = std::ceil(s.asked_height / k_padding) * k_padding;
  s.width = std::ceil(s.asked_width / k_padding) * k_padding;
  // Transformers and ConvNeXt are trained with crops that turn the orientation: a batch holds both, padded to a square.
  const BackboneKind kind = name.backbone.kind;
  if (kind == BackboneKind::swin || kind == BackboneKind::convnext || kind == BackboneKind::vit) {
    s.height = s.width = std::max(s.height, s.width);
  }
  read_data_set(name, options, s.setting);
  s.setting.image_height = s.height;
  s.setting.image_width = s.width;
  s.setting.pair_bytes = s.detectron2 ? k_pair_bytes_detectron2 : k_pair_bytes_openmmlab;
  s.setting.bitmap_masks = !s.detectron2;
  s.setting.fused_focal_loss = !(s.detectron2 || name.has("freeanchor"));

  const bool scratch = name.has("scratch");
  const bool group_all = name.has("gnall") || name.has("gnwsall") || (s.detectron2 && name.word("gn"));
  s.backbone.norm = group_all ? Norm::group : Norm::batch;
  if (group_all || name.has("gnneck")) {
    s.setting.norm = Norm::group;
  } else if ((s.detectron2 && name.has("syncbn")) || name.has("crop640")) {
    s.setting.norm = Norm::batch;
  }
  // Every library freezes the stem and the first stage of a pretrained ResNet unless told otherwise.
  const BackboneKind network = name.backbone.kind;
  const bool pretrained = network == BackboneKind::resnet || network == BackboneKind::resnest || network == BackboneKind::regnet_x;
  s.backbone.frozen_stages = options.frozen.backbone ? 4 : pretrained && !scratch ? 1 : -1;
  s.backbone.stride_in_1x1 = (s.detectron2 || name.has("caffe")) && !group_all && !name.has("syncbn");
  s.backbone.deformable = name.has("dconv") || name.has("mdconv") || name.word("dcn");
  s.backbone.context = name.has("gcb");
  const bool torchvision = name.has("resnet50fpn") || name.has("resnet101fpn");
  s.constant_batchnorm = options.frozen.batchnorm || torchvision || (s.detectron2 && !group_all && !name.has("syncbn"));
  return s;
}

bool group_head(const DenseName& name) {
  return name.has("gnhead") || name.has("gnneck") || name.has("paa") || name.has("atss") || name.has("gfl") || name.has("vfnet");
}

void dense_detector(Graph& graph, const DenseName& name, const Setup& s, const Stages& stages) {
  DetectionSetting setting = s.setting;
  if (name.has("fcos") || name.has("fovea") || name.has("autoassign")) {
    setting.pair_bytes = k_pair_bytes_points;
  }
  const bool branches = name.backbone.kind == BackboneKind::hrnet;
  Stages levels =
      branches ? branch_pyramid(graph, stages)
               : feature_pyramid(
                     graph, stages,
                     {.first = 1, .extra = 2, .extra_convs = true, .extra_from_input = name.has("retinanet"), .norm = s.setting.norm});
  if (branches) {
    levels.erase(levels.begin());
  }
  if (name.has("libra")) {
    levels = balanced_pyramid(graph, levels);
  }
  const bool anchors = name.has("retinanet") && !name.has("garetinanet");
  dense_head(graph, levels, setting,
             {.anchors = anchors ? 9.0 : 1.0,
              .convs = name.has("reppoints") || name.has("bboxr50grid") ? 3 : 4,
              .norm = group_head(name) ? Norm::group : setting.norm,
              .refined = name.has("reppoints") || name.has("bboxr50grid") || name.has("align") || name.has("vfnet"),
              .guided = name.has("garetinanet")});
}

RegionUse region_use(const DenseName& name) {
  RegionUse use;
  const bool htc = name.has("htc") || name.has("hybridtaskcascade") || name.has("scnet");
  use.stages = name.has("cascade") || htc || name.has("detectors") ? 3 : 1;
  use.mask = name.has("mask") || htc || name.has("panoptic") || name.has("pointrend");
  use.mask_passes = htc ? 2 : 1;  // a stage runs the heads of the stages before: 1 + 2 + 3 passes of three
  use.mask_score = name.has("maskscoring") || name.has("msrcnn");
  use.double_head = name.word("dh") || name.has("doublehead");
  use.keypoints = name.has("keypoint");
  use.deformable_pooling = name.word("dpool") || name.word("mdpool");
  use.modulated_pooling = name.word("mdpool");
  return use;
}

void two_stage_detector(Graph& graph, const DenseName& name, const Setup& s, const Stages& stages) {
  const bool branches = name.backbone.kind == BackboneKind::hrnet;
  Stages levels = branches ? branch_pyramid(graph, stages) : feature_pyramid(graph, stages, {.norm = s.setting.norm});
  if (name.has("libra")) {
    levels = balanced_pyramid(graph, levels);
  }
  const bool guided = name.has("garpn") || name.has("gafaster");
  region_proposals(graph, levels, s.setting,
                   {.anchors = guided ? 1.0 : 3.0, .guided = guided, .heads_follow = s.row->scheme != Scheme::proposals_only});
  if (s.row->scheme == Scheme::proposals_only) {
    return;
  }
  const RegionUse use = region_use(name);
  const bool htc = use.mask_passes > 1;
  if (name.has("panoptic")) {
    semantic_branch(graph, levels, s.setting, 54, true);
  } else if (htc) {
    semantic_branch(graph, levels, s.setting, 183, false);
    const double regions = use.regions * use.stages;
    graph.keep_bytes(regions * 256 * 14 * 14 * 4.0);  // its features pooled for every region and stage
  }
  region_heads(graph, s.setting, use);
}

// One level of the backbone, no pyramid.
void single_level_detector(Graph& graph, const DenseName& name, const Setup& s, const Stages& stages) {
  constexpr double k_anchors = 15;  // five sizes, three shapes
  const bool c4 = name.word("c4");
  const Stages level = {stages.back()};
  region_proposals(graph, level, s.setting, {.anchors = k_anchors, .channels = stages.back().channels});
  if (s.row->scheme == Scheme::proposals_only) {
    return;
  }
  RegionUse use = region_use(name);
  use.feature_channels = stages.back().channels;
  if (c4) {
    stage_as_head(graph, s.setting, use);
  } else {
    region_heads(graph, s.setting, use);
  }
}

}  // namespace

std::optional<Composed> detection_network(const DenseName& name, const NamedModelOptions& options) {
  Setup s = set_up(name, options);
  // PointRend also is a semantic segmenter; as a detector it comes with a pyramid.
  const bool segmenter = name.has("pointrend") && !name.has("fpn") && !name.has("coco");
  if (s.row == nullptr || segmenter || name.backbone.kind == BackboneKind::unknown) {
    return std::nullopt;
  }
  const bool single = name.word("c4") || name.word("dc5");
  s.backbone.stages = name.word("c4") ? 3 : 4;
  s.backbone.output_stride = name.word("dc5") ? 16 : 32;
  BackboneName parts = name.backbone;
  ProfileOptions profile;
  profile.image_height = s.asked_height;
  profile.image_width = s.asked_width;
  profile.classes = s.setting.classes;
  profile.workspace_per_io = k_dense_workspace;
  profile.partly_frozen = true;
  const bool other_neck = name.has("fpg") || name.has("nasfpn") || name.word("sac") || name.has("crop640");
  // Without a configuration name detectron2's line could be any of its generations, which differ by half.
  const bool unknown_generation = s.detectron2 && options.config.empty();
  profile.source = s.row->counted && !other_neck && !unknown_generation ? ProfileSource::counted : ProfileSource::estimated;

  const auto network = [&](Graph& graph) {
    graph.groupnorm_copies(s.detectron2 ? 1 : 2);
    graph.constant_batchnorm(s.constant_batchnorm);
    const Tensor image = graph.input(3, s.height, s.width);
    graph.freeze(options.frozen.backbone);
    Stages stages = backbone(graph, image, parts, s.backbone);
    if (name.has("rfp") || name.has("detectorsresnet")) {
      graph.reuse_weights(true);  // recursive pyramid: the backbone runs a second time
      stages = backbone(graph, image, parts, s.backbone);
      graph.reuse_weights(false);
    }
    graph.freeze(false);
    if (single) {
      single_level_detector(graph, name, s, stages);
    } else if (s.row->scheme == Scheme::dense) {
      dense_detector(graph, name, s, stages);
    } else {
      two_stage_detector(graph, name, s, stages);
    }
  };
  return Composed{Field::detection, profile_of(network, profile)};
}

}  // namespace gpuadvise::model
