// Video recognition by name: per-frame networks (TSN, TRN, TSM and relatives), SlowOnly, SlowFast, I3D, C3D, R(2+1)D,
// TimeSformer.
#include "model/dense.hpp"
#include "model/graph_profile.hpp"
#include "model/graph_video.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

enum class Kind { none, per_frame, shifted, slow_only, slow_fast, i3d, csn, c3d, r2plus1d, time_sformer };

struct KindRow {
  std::string_view marker;
  Kind kind;
  bool counted;  // false: a module of it is not built from operators
};
// The first marker within the name without separators decides.
constexpr std::array<KindRow, 21> k_kinds = {{
    {"slowfast", Kind::slow_fast, true},
    {"slowonly", Kind::slow_only, true},
    {"timesformer", Kind::time_sformer, true},
    {"r2plus1d", Kind::r2plus1d, true},
    {"2plus1d", Kind::r2plus1d, true},
    {"c3d", Kind::c3d, true},
    {"i3d", Kind::i3d, true},
    {"csn", Kind::csn, true},
    {"ircsn", Kind::csn, true},
    {"ipcsn", Kind::csn, false},
    {"resnet3dcsn", Kind::csn, true},
    {"tanet", Kind::per_frame, false},
    {"tin", Kind::shifted, false},
    {"resnettin", Kind::shifted, false},
    {"tsm", Kind::shifted, true},
    {"tsn", Kind::per_frame, true},
    {"resnettsm", Kind::shifted, true},
    {"trn", Kind::per_frame, true},
    {"mobilenetv2tsm", Kind::shifted, true},
    {"tpn", Kind::slow_only, false},
    {"recognizer2d", Kind::per_frame, true},
}};

const KindRow* kind_row(const DenseName& name) {
  const bool clip = name.has("recognizer") || name.has("kinetics") || name.word("tsn") || name.has("tsm") || name.has("slow") ||
                    name.has("c3d") || name.has("i3d") || name.has("plus1d") || name.has("timesformer") || name.has("csn");
  if (!clip || name.has("audio")) {
    return nullptr;
  }
  for (const KindRow& row : k_kinds) {
    if (name.matches(row.marker)) {
      return &row;
    }
  }
  return nullptr;
}

// Clip lengths of the published configurations.
double default_frames(Kind kind) {
  switch (kind) {
    case Kind::slow_fast:
    case Kind::i3d:
    case Kind::csn:
      return 32;
    case Kind::c3d:
      return 16;
    default:
      return 8;
  }
}

// Modules that no operator here stands for keep more beside the residual network (prior: 1-3 measurements each).
double extra_share(const DenseName& name) {
  if (name.has("tanet")) {
    return 0.26;
  }
  return name.word("tin") || name.has("resnettin") ? 0.13 : name.has("tpn") ? 0.22 : 0.0;
}

void per_frame(Graph& graph, const DenseName& name, const Tensor& clip, bool shifted, double classes) {
  Stages stages;
  if (name.backbone.kind == BackboneKind::mobilenet_v2) {
    stages = mobilenet_v2(graph, clip, 32, true);
    stages.back() = conv_norm_relu(graph, stages.back(), 1280, {.kernel = 1});
    if (shifted) {
      graph.keep_bytes(0.015 * graph.saved_bytes());  // shifted copies of the narrow inputs of the residual blocks
    }
  } else {
    ResnetSpec spec = resnet_spec(name.backbone.depth).value_or(ResnetSpec{});
    spec.shifted = shifted;
    stages = resnet(graph, clip, spec);
  }
  const double extra = extra_share(name);
  graph.keep_bytes(extra * graph.saved_bytes());
  const Tensor pooled = graph.tensor(stages.back().channels, clip.depth, 1, 1, stages.back().element_bytes);
  (void)graph.classifier(graph.dropout(pooled), classes);
}

// Temporal kernels in the last two stages alone; no temporal stride anywhere.
void slow_only(Graph& graph, const DenseName& name, const Tensor& clip, double classes) {
  ResnetSpec spec = resnet_spec(name.backbone.depth).value_or(ResnetSpec{});
  spec.depth_kernels = {1, 1, 3, 3};
  const Stages stages = resnet(graph, clip, spec);
  if (name.word("nl") || name.has("nonlocal")) {
    // Every second block of the middle stages.
    for (int block = 0; block < spec.blocks[1] / 2; ++block) {
      (void)non_local_clip(graph, stages[1]);
    }
    for (int block = 0; block < spec.blocks[2] / 2; ++block) {
      (void)non_local_clip(graph, stages[2]);
    }
  }
  graph.keep_bytes(extra_share(name) * graph.saved_bytes());
  (void)graph.classifier(graph.dropout(graph.global_pool(stages.back())), classes);
}

void slow_fast_by_name(Graph& graph, const DenseName& name, const Tensor& clip, double classes) {
  // "4x16": 4 frames for the slow pathway; the fast one sees every frame of the clip.
  double slow_frames = clip.depth / 8;
  if (name.word("8x8x1") || name.word("8x8") || name.word("16x8x1")) {
    slow_frames = clip.depth / 4;
  }
  const ResnetSpec slow = resnet_spec(name.backbone.depth).value_or(ResnetSpec{});
  // "r101_r50": the fast pathway is the shallower network.
  const ResnetSpec fast = name.word("r50") ? ResnetSpec{} : slow;
  slow_fast(graph, clip, slow, fast, std::max(1.0, slow_frames), classes);
}

void clip_head(Graph& graph, const Stages& stages, double classes) {
  (void)graph.classifier(graph.dropout(graph.global_pool(stages.back())), classes);
}

}  // namespace

std::optional<Composed> video_network(const DenseName& name, const NamedModelOptions& options) {
  constexpr double k_kinetics_classes = 400;
  constexpr double k_c3d_side = 112;  // its first linear layer admits no other
  const KindRow* row = kind_row(name);
  if (row == nullptr) {
    return std::nullopt;
  }
  ProfileOptions profile;
  profile.frames = options.image.frames > 1 ? options.image.frames : default_frames(row->kind);
  profile.image_height = options.image.height > 0 ? options.image.height : 224;
  profile.image_width = options.image.width > 0 ? options.image.width : 224;
  profile.classes = options.classes > 0 ? options.classes : k_kinetics_classes;
  profile.workspace_per_io = 1;
  profile.source = row->counted ? ProfileSource::counted : ProfileSource::estimated;
  const ResnetSpec spec = resnet_spec(name.backbone.depth).value_or(ResnetSpec{});
  const auto network = [&](Graph& graph) {
    const bool fixed = row->kind == Kind::c3d;
    const Tensor clip = graph.input(3, fixed ? k_c3d_side : profile.image_height, fixed ? k_c3d_side : profile.image_width, profile.frames);
    switch (row->kind) {
      case Kind::per_frame:
      case Kind::shifted:
        return per_frame(graph, name, clip, row->kind == Kind::shifted, profile.classes);
      case Kind::slow_only:
        return slow_only(graph, name, clip, profile.classes);
      case Kind::slow_fast:
        return slow_fast_by_name(graph, name, clip, profile.classes);
      case Kind::i3d:
        return clip_head(graph, inflated_resnet(graph, clip, spec, name.word("nl") || name.has("nonlocal")), profile.classes);
      case Kind::csn:
        return clip_head(graph, channel_separated_resnet(graph, clip, spec), profile.classes);
      case Kind::c3d:
        return c3d(graph, clip, profile.classes);
      case Kind::r2plus1d:
        return r2plus1d(graph, clip, spec.blocks, profile.classes);
      case Kind::time_sformer:
        return time_sformer(graph, clip, name.has("joint"), profile.classes);
      case Kind::none:
        return;
    }
  };
  return Composed{Field::video, profile_of(network, profile)};
}

}  // namespace gpuadvise::model
