// Semantic segmentation: a backbone, a decode head, usually an auxiliary head, and the loss over the whole crop.
#include "model/dense.hpp"
#include "model/graph_profile.hpp"
#include "model/graph_unet.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::model {
namespace {

struct HeadUse {
  double channels = 512;
  double auxiliary = 256;  // 0 = none
  double classes = 19;
  double stage = 2;  // of the backbone, read by the auxiliary head
};

using HeadBuilder = Tensor (*)(Graph&, const Stages&, const HeadUse&);

Tensor pooled_pyramid(Graph& graph, const Tensor& x, double channels) {
  for (const double side : {1.0, 2.0, 3.0, 6.0}) {
    const Tensor pooled = graph.resized(x, side, side);
    (void)graph.resized(conv_norm_relu(graph, pooled, channels, {.kernel = 1}), x.height, x.width);
  }
  return conv_norm_relu(graph, graph.concat(x, x.channels + 4 * channels), channels, {});
}

Tensor fcn(Graph& graph, const Stages& s, const HeadUse& use) {
  Tensor y = conv_norm_relu(graph, s.back(), use.channels, {});
  y = conv_norm_relu(graph, y, use.channels, {});
  return conv_norm_relu(graph, graph.concat(y, s.back().channels + use.channels), use.channels, {});
}

Tensor psp(Graph& graph, const Stages& s, const HeadUse& use) {
  return pooled_pyramid(graph, s.back(), use.channels);
}

Tensor atrous_pyramid(Graph& graph, const Tensor& x, double channels, bool separable) {
  (void)conv_norm_relu(graph, graph.global_pool(x), channels, {.kernel = 1});
  (void)conv_norm_relu(graph, x, channels, {.kernel = 1});
  for (const double dilation : {12.0, 24.0, 36.0}) {
    const Conv atrous = {.dilation = dilation, .groups = separable ? x.channels : 1};
    const Tensor y = conv_norm_relu(graph, x, separable ? x.channels : channels, atrous);
    if (separable) {
      (void)conv_norm_relu(graph, y, channels, {.kernel = 1});
    }
  }
  return conv_norm_relu(graph, graph.concat(x, 5 * channels), channels, {});
}

Tensor deeplab_v3(Graph& graph, const Stages& s, const HeadUse& use) {
  return atrous_pyramid(graph, s.back(), use.channels, false);
}

Tensor separable(Graph& graph, const Tensor& x, double out) {
  const Tensor y = conv_norm_relu(graph, x, x.channels, {.groups = x.channels});
  return conv_norm_relu(graph, y, out, {.kernel = 1});
}

Tensor deeplab_v3_plus(Graph& graph, const Stages& s, const HeadUse& use) {
  const Tensor y = atrous_pyramid(graph, s.back(), use.channels, true);
  const double low = s.front().channels >= 256 ? 48 : 12;
  (void)conv_norm_relu(graph, s.front(), low, {.kernel = 1});
  const Tensor fine = graph.resized(y, s.front().height, s.front().width);
  return separable(graph, separable(graph, graph.concat(fine, use.channels + low), use.channels), use.channels);
}

Tensor uper(Graph& graph, const Stages& s, const HeadUse& use) {
  (void)pooled_pyramid(graph, s.back(), use.channels);
  for (std::size_t i = 0; i + 1 < s.size(); ++i) {
    const Tensor lateral = conv_norm_relu(graph, s[i], use.channels, {.kernel = 1});
    (void)conv_norm_relu(graph, graph.like(lateral), use.channels, {});
  }
  Tensor fused = graph.like(s.front());
  fused.element_bytes = s.back().element_bytes;
  return conv_norm_relu(graph, graph.concat(fused, 4 * use.channels), use.channels, {});
}

// Feature pyramid with a head that brings every level to a quarter of the image (panoptic FPN's semantic branch).
Tensor semantic_fpn(Graph& graph, const Stages& s, const HeadUse& use) {
  const double channels = use.channels / 4;
  Tensor finest;
  for (std::size_t level = 0; level < s.size(); ++level) {
    const Tensor lateral = graph.conv(s[level], 256, {.kernel = 1, .bias = true});
    Tensor y = graph.conv(graph.like(lateral), 256, {.bias = true});
    for (std::size_t step = 0; step < std::max<std::size_t>(1, level); ++step) {
      y = conv_norm_relu(graph, y, channels, {});
      y = level > 0 ? graph.resized(y, y.height * 2, y.width * 2) : y;
    }
    finest = level == 0 ? y : finest;
  }
  return finest;
}

Tensor all_branches(Graph& graph, const Stages& s) {
  double channels = 0;
  for (const Tensor& branch : s) {
    channels += branch.channels;
  }
  return graph.concat(s.front(), channels);
}

Tensor hrnet_fcn(Graph& graph, const Stages& s, const HeadUse&) {
  const Tensor all = all_branches(graph, s);
  return conv_norm_relu(graph, all, all.channels, {.kernel = 1});
}

// Object context: a coarse head's classes are regions that every place attends to.
Tensor object_context(Graph& graph, const Tensor& features, double classes) {
  const Tensor x = conv_norm_relu(graph, features, 512, {});
  const Tensor q = conv_norm_relu(graph, conv_norm_relu(graph, x, 256, {.kernel = 1}), 256, {.kernel = 1});
  const Tensor mixed = graph.eager_attention(q, 1, x.places(), classes, 1);
  const Tensor context = conv_norm_relu(graph, mixed, 512, {.kernel = 1});
  return conv_norm_relu(graph, graph.concat(context, 1024), 512, {.kernel = 1});
}

Tensor ocr(Graph& graph, const Stages& s, const HeadUse& use) {
  const bool branches = s.front().height == s.back().height * 8;
  const Tensor coarse = branches ? hrnet_fcn(graph, s, use) : conv_norm_relu(graph, s[2], 256, {});
  (void)graph.conv(coarse, use.classes, {.kernel = 1, .bias = true});
  return object_context(graph, branches ? all_branches(graph, s) : s.back(), use.classes);
}

Tensor segformer(Graph& graph, const Stages& s, const HeadUse&) {
  for (const Tensor& level : s) {
    const Tensor y = conv_norm_relu(graph, level, 256, {.kernel = 1});
    (void)graph.resized(y, s.front().height, s.front().width);
  }
  Tensor all = graph.concat(s.front(), 4 * 256);
  all.element_bytes = graph.autocast() ? 2 : 4;
  return conv_norm_relu(graph, all, 256, {.kernel = 1});
}

// --- heads that put attention between the convolutions of an FCN head

using Mixer = Tensor (*)(Graph&, const Tensor&);

Tensor mixed_fcn(Graph& graph, const Stages& s, const HeadUse& use, Mixer mix) {
  const Tensor x = mix(graph, conv_norm_relu(graph, s.back(), use.channels, {}));
  const Tensor y = conv_norm_relu(graph, x, use.channels, {});
  return conv_norm_relu(graph, graph.concat(y, s.back().channels + use.channels), use.channels, {});
}

// Scores between all places; the softmax and its gradient stand beside it when it is differentiated.
Tensor non_local_mixer(Graph& graph, const Tensor& x) {
  (void)graph.conv(x, x.channels / 2, {.kernel = 1, .bias = true});
  (void)graph.conv(x, x.channels / 2, {.kernel = 1, .bias = true});
  const Tensor value = graph.conv(x, x.channels / 2, {.kernel = 1, .bias = true});
  const Tensor mixed = graph.eager_attention(value, 1, x.places(), x.places(), 1);
  return graph.add(conv_norm(graph, mixed, x.channels, {.kernel = 1}), x);
}

// Disentangled: scores of whitened pairs, and a unary term.
Tensor disentangled_mixer(Graph& graph, const Tensor& x) {
  const Tensor y = non_local_mixer(graph, x);
  graph.keep(graph.conv(x, 1, {.kernel = 1, .bias = true}));
  return y;
}

// Criss-cross: every place attends to its row and column, twice.
Tensor criss_cross_mixer(Graph& graph, const Tensor& x) {
  Tensor y = x;
  for (int pass = 0; pass < 2; ++pass) {
    (void)graph.conv(y, x.channels / 8, {.kernel = 1, .bias = true});
    (void)graph.conv(y, x.channels / 8, {.kernel = 1, .bias = true});
    const Tensor value = graph.conv(y, x.channels, {.kernel = 1, .bias = true});
    y = graph.add(graph.eager_attention(value, 1, x.places(), x.height + x.width, 1), y);
  }
  return y;
}

Tensor global_context_mixer(Graph& graph, const Tensor& x) {
  graph.keep(graph.conv(x, 1, {.kernel = 1, .bias = true}));
  return graph.like(x);
}

// Point-wise spatial attention at half the resolution: a map over all places for every place, in two directions.
Tensor point_wise_mixer(Graph& graph, const Tensor& x) {
  Tensor result = x;
  for (int direction = 0; direction < 2; ++direction) {
    const Tensor reduced = conv_norm_relu(graph, x, x.channels, {.kernel = 1});
    const Tensor half = graph.resized(reduced, (x.height + 1) / 2, (x.width + 1) / 2);
    const Tensor hidden = conv_norm_relu(graph, half, x.channels, {.kernel = 1});
    const double reach = (2 * half.height - 1) * (2 * half.width - 1);
    (void)graph.conv(hidden, reach, {.kernel = 1});
    const Tensor mixed = graph.eager_attention(half, 1, half.places(), half.places(), 1, 2);
    result = conv_norm_relu(graph, graph.resized(mixed, x.height, x.width), x.channels, {.kernel = 1});
  }
  return result;
}

template <Mixer mix>
Tensor fcn_with(Graph& graph, const Stages& s, const HeadUse& use) {
  return mixed_fcn(graph, s, use, mix);
}

// Asymmetric non-local: keys and values are pooled to 110 places; one fuses the last two stages, one refines.
Tensor asymmetric_non_local(Graph& graph, const Stages& s, const HeadUse& use) {
  constexpr double k_pooled_places = 110;
  const Tensor q = conv_norm_relu(graph, s.back(), 256, {.kernel = 1});
  (void)conv_norm_relu(graph, s[2], 256, {.kernel = 1});
  const Tensor mixed = graph.eager_attention(q, 1, q.places(), k_pooled_places, 1);
  const Tensor context = conv_norm(graph, mixed, 2048, {.kernel = 1});
  const Tensor fused = conv_norm_relu(graph, graph.concat(context, 4096), 2048, {.kernel = 1});
  const Tensor x = conv_norm_relu(graph, fused, use.channels, {});
  const Tensor query = conv_norm_relu(graph, x, 256, {.kernel = 1});
  const Tensor refined = graph.eager_attention(query, 1, x.places(), k_pooled_places, 1);
  const Tensor out = conv_norm(graph, refined, use.channels, {.kernel = 1});
  return conv_norm_relu(graph, graph.concat(out, 2 * use.channels), use.channels, {.kernel = 1});
}

// Position attention and channel attention side by side, each between two convolutions.
Tensor dual_attention(Graph& graph, const Stages& s, const HeadUse& use) {
  Tensor sum;
  for (int branch = 0; branch < 2; ++branch) {
    const Tensor x = conv_norm_relu(graph, s.back(), use.channels, {});
    Tensor mixed;
    if (branch == 0) {
      (void)graph.conv(x, use.channels / 8, {.kernel = 1, .bias = true});
      (void)graph.conv(x, use.channels / 8, {.kernel = 1, .bias = true});
      mixed = graph.eager_attention(graph.conv(x, use.channels, {.kernel = 1, .bias = true}), 1, x.places(), x.places(), 1);
    } else {
      graph.keep_bytes(use.channels * use.channels * 4.0);
      mixed = graph.like(x);
    }
    sum = conv_norm_relu(graph, graph.add(mixed, x), use.channels, {});
    // Each branch has a classifier and a loss of its own.
    (void)graph.conv(graph.like(sum), use.classes, {.kernel = 1, .bias = true});
  }
  return graph.add(sum, sum);
}

// Distances of every place to 32 code words over all channels: once squared, once weighted.
Tensor encoding(Graph& graph, const Stages& s, const HeadUse& use) {
  constexpr double k_code_words = 32;
  const Tensor x = conv_norm_relu(graph, s.back(), use.channels, {});
  const Tensor y = conv_norm_relu(graph, x, use.channels, {.kernel = 1});
  graph.keep_bytes(2 * k_code_words * y.elements() * 4.0);
  graph.transient(2 * k_code_words * y.elements() * 4.0);
  const Tensor gate = graph.sigmoid(graph.linear(graph.tensor(use.channels, 1, 1, 1, 4), use.channels));
  return graph.relu(graph.multiply(x, gate));
}

// Expectation-maximisation of 64 bases, without gradient but for its last product.
Tensor expectation_maximisation(Graph& graph, const Stages& s, const HeadUse& use) {
  constexpr double k_bases = 64;
  const Tensor x = conv_norm_relu(graph, s.back(), use.channels, {});
  const Tensor y = graph.conv(x, use.channels, {.kernel = 1, .bias = true});
  const Tensor mixed = graph.relu(graph.eager_attention(y, 1, y.places(), k_bases, 1));
  const Tensor z = graph.relu(graph.add(conv_norm(graph, mixed, use.channels, {.kernel = 1}), x));
  const Tensor out = conv_norm_relu(graph, z, use.channels, {});
  return conv_norm_relu(graph, graph.concat(out, s.back().channels + use.channels), use.channels, {});
}

// Adaptive and dynamic pyramids: four branches, each reduces the features and filters them with weights it computes.
Tensor adaptive_pyramid(Graph& graph, const Stages& s, const HeadUse& use) {
  for (const double side : {1.0, 2.0, 3.0, 6.0}) {
    const Tensor x = conv_norm_relu(graph, s.back(), use.channels, {.kernel = 1});
    (void)graph.conv(graph.like(x), side * side, {.kernel = 1, .bias = true});
    const Tensor mixed = graph.eager_attention(x, 1, x.places(), side * side, 1);
    const Tensor residual = graph.relu(graph.add(graph.conv(mixed, use.channels, {.kernel = 1, .bias = true}), x));
    (void)conv_norm_relu(graph, residual, use.channels, {.kernel = 1});
  }
  return conv_norm_relu(graph, graph.concat(s.back(), s.back().channels + 4 * use.channels), use.channels, {});
}

Tensor dynamic_pyramid(Graph& graph, const Stages& s, const HeadUse& use) {
  for (const double kernel : {1.0, 3.0, 5.0, 7.0}) {
    (void)graph.conv(graph.resized(s.back(), kernel, kernel), use.channels, {.kernel = 1, .bias = true});
    const Tensor x = conv_norm_relu(graph, s.back(), use.channels, {.kernel = 1});
    const Tensor y = graph.relu(graph.batchnorm(graph.conv(x, use.channels, {.kernel = kernel, .groups = use.channels})));
    (void)conv_norm_relu(graph, y, use.channels, {.kernel = 1});
  }
  return conv_norm_relu(graph, graph.concat(s.back(), s.back().channels + 4 * use.channels), use.channels, {});
}

Tensor lite_pyramid(Graph& graph, const Stages& s, const HeadUse&) {
  const Tensor x = conv_norm_relu(graph, s.back(), 128, {.kernel = 1});
  const Tensor gate = graph.sigmoid(graph.conv(graph.resized(s.back(), 1, 1), 128, {.kernel = 1}));
  (void)graph.multiply(x, gate);
  Tensor y;
  for (std::size_t i = 0; i < 2 && i < s.size(); ++i) {
    const Tensor side = conv_norm(graph, s[1 - i], i == 0 ? 64 : 32, {.kernel = 1});
    y = conv_norm_relu(graph, graph.concat(side, 128 + side.channels), 128, {.kernel = 1});
  }
  return y;
}

// U-Nets put one convolution before the classifier.
Tensor single_conv(Graph& graph, const Stages& s, const HeadUse& use) {
  return conv_norm_relu(graph, s.back(), use.channels, {});
}

struct HeadRow {
  std::string_view marker;  // within the name without separators; the first row that matches decides
  HeadBuilder build;
  double output_stride;  // of the backbone; 32 = a pyramid of all stages
  bool auxiliary;
  bool measured;  // on three networks or more
};
constexpr std::array<HeadRow, 24> k_heads = {{
    {"deeplabv3plus", deeplab_v3_plus, 8, true, true},
    {"deeplab", deeplab_v3, 8, true, true},
    {"aspp", deeplab_v3, 8, true, true},
    {"pspnet", psp, 8, true, true},
    {"psphead", psp, 8, true, true},
    {"segformer", segformer, 32, false, true},
    {"upernet", uper, 32, true, true},
    {"ocrnet", ocr, 8, false, true},
    {"pointrend", semantic_fpn, 32, false, true},
    {"nonlocal", fcn_with<non_local_mixer>, 8, true, false},
    {"dnl", fcn_with<disentangled_mixer>, 8, true, false},
    {"ccnet", fcn_with<criss_cross_mixer>, 8, true, false},
    {"gcnet", fcn_with<global_context_mixer>, 8, true, true},
    {"psanet", fcn_with<point_wise_mixer>, 8, true, false},
    {"danet", dual_attention, 8, true, false},
    {"encnet", encoding, 8, true, false},
    {"emanet", expectation_maximisation, 8, true, false},
    {"ann", asymmetric_non_local, 8, true, false},
    {"apcnet", adaptive_pyramid, 8, true, false},
    {"dmnet", dynamic_pyramid, 8, true, false},
    {"lraspp", lite_pyramid, 8, false, false},
    {"fpn", semantic_fpn, 32, false, true},
    {"fcn", fcn, 8, true, true},
    {"fcnhead", fcn, 8, true, true},
}};

const HeadRow* head_row(const DenseName& name) {
  for (const HeadRow& row : k_heads) {
    if (name.matches(row.marker)) {
      return &row;
    }
  }
  return nullptr;
}

// Segmentation without a row of its own, told by its data set or its name: an FCN head stands in, and the profile says
// that it is a stand-in.
constexpr std::array<std::string_view, 13> k_other_segmentation = {
    "isanet", "fastfcn", "knet", "setr", "segmenter", "dpt", "ade20k", "cityscapes", "voc12", "stare", "chasedb1", "drive", "hrf"};

bool other_head(const DenseName& name) {
  return std::any_of(k_other_segmentation.begin(), k_other_segmentation.end(),
                     [&](std::string_view marker) { return name.matches(marker); });
}

// Cross entropy over the crop: each head keeps its resized logits and their log-softmax; the gradients of both stand
// beside them when the first head is differentiated.
void crop_loss(Graph& graph, double classes, double places, int heads) {
  const double logits = classes * places * 4.0;
  graph.keep_bytes(2.0 * heads * logits);
  graph.transient(2.0 * logits);
}

double default_classes(const NamedModelOptions& options, double height, double width) {
  constexpr double k_ade20k = 150;
  constexpr double k_cityscapes = 19;
  if (options.classes > 0) {
    return options.classes;
  }
  return height * width <= 640.0 * 640.0 ? k_ade20k : k_cityscapes;
}

}  // namespace

std::optional<Composed> segmentation_network(const DenseName& name, const NamedModelOptions& options) {
  const HeadRow* row = head_row(name);
  const bool stand_in = row == nullptr;
  if (stand_in && !other_head(name)) {
    return std::nullopt;
  }
  const BackboneName& parts = name.backbone;
  if (parts.kind == BackboneKind::unknown) {
    return std::nullopt;
  }
  ProfileOptions profile;
  profile.image_height = options.image.height > 0 ? options.image.height : 512;
  profile.image_width = options.image.width > 0 ? options.image.width : 512;
  profile.classes = default_classes(options, profile.image_height, profile.image_width);
  profile.workspace_per_io = k_dense_workspace;
  profile.source = stand_in || !row->measured ? ProfileSource::estimated : ProfileSource::counted;

  const bool shallow = (parts.kind == BackboneKind::resnet && parts.depth < 50) || parts.kind == BackboneKind::mix;
  HeadUse use;
  use.classes = profile.classes;
  use.channels = shallow ? 128 : 512;
  use.auxiliary = shallow ? 64 : 256;
  BackboneUse settings;
  settings.output_stride = name.has("d16") ? 16 : stand_in ? 8 : row->output_stride;
  // "R-50b" is the plain stem; the library's default for segmentation is the deep one.
  settings.deep_stem = !(name.has("r18b") || name.has("r50b") || name.has("r101b"));
  const bool branches = parts.kind == BackboneKind::hrnet;
  HeadBuilder build = stand_in ? fcn : row->build;
  if (build == fcn) {
    build = branches ? hrnet_fcn : parts.kind == BackboneKind::unet ? single_conv : fcn;
  }
  const bool auxiliary = (stand_in || row->auxiliary) && !branches;
  const int losses = build == dual_attention ? 4 : auxiliary || build == ocr ? 2 : 1;

  const auto network = [&](Graph& graph) {
    const Tensor image = graph.input(3, profile.image_height, profile.image_width);
    const bool unet = parts.kind == BackboneKind::unet;
    const Stages stages = unet ? unet_2d(graph, image, 64, 5) : backbone(graph, image, parts, settings);
    HeadUse head = use;
    if (unet) {
      head.channels = build == single_conv ? 64 : 16;
      head.auxiliary = 64;
    }
    const Tensor features = build(graph, stages, head);
    (void)graph.classifier(graph.dropout(features), profile.classes);
    if (auxiliary) {
      const Tensor side = conv_norm_relu(graph, stages[stages.size() - 2], head.auxiliary, {});
      (void)graph.classifier(graph.like(side), profile.classes);
    }
    crop_loss(graph, profile.classes, profile.image_height * profile.image_width, losses);
  };
  return Composed{Field::segmentation, profile_of(network, profile)};
}

}  // namespace gpuadvise::model
