// Backbones and necks of the YOLO family. SiLU keeps its input and its output; split bottlenecks concatenate.
#include "model/graph_yolo.hpp"

#include "model/graph_backbones.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

struct Scaled {
  const Csp& scale;
  [[nodiscard]] double channels(double base) const { return std::ceil(std::min(base, scale.largest) * scale.width / 8) * 8; }
  [[nodiscard]] int repeats(int base) const { return std::max(1, static_cast<int>(std::lround(base * scale.depth))); }
};

Tensor silu_conv(Graph& graph, const Tensor& x, double out, double kernel = 1, double stride = 1) {
  return conv_norm_act(graph, x, out, {.kernel = kernel, .stride = stride});
}

// C3: two branches of half the width, one of them through bottlenecks.
Tensor split_bottleneck(Graph& graph, const Tensor& x, double out, int repeats, bool shortcut) {
  graph.begin_block(x);
  const double hidden = out / 2;
  Tensor y = silu_conv(graph, x, hidden);
  for (int i = 0; i < repeats; ++i) {
    const Tensor z = silu_conv(graph, silu_conv(graph, y, hidden), hidden, 3);
    y = shortcut ? graph.add(z, y) : z;
  }
  (void)silu_conv(graph, x, hidden);
  return silu_conv(graph, graph.concat(y, out), out);
}

// C2f: one convolution split in two, every bottleneck's output joins the concatenation.
Tensor split_fast(Graph& graph, const Tensor& x, double out, int repeats, bool shortcut) {
  graph.begin_block(x);
  const double hidden = out / 2;
  const Tensor both = silu_conv(graph, x, out);
  Tensor y = graph.reshaped(both, hidden, both.height, both.width);
  for (int i = 0; i < repeats; ++i) {
    const Tensor z = silu_conv(graph, silu_conv(graph, y, hidden, 3), hidden, 3);
    y = shortcut ? graph.add(z, y) : z;
  }
  return silu_conv(graph, graph.concat(both, (2 + repeats) * hidden), out);
}

// Three poolings in a row stand for kernels 5, 9, 13.
Tensor pyramid_pooling(Graph& graph, const Tensor& x, double out) {
  Tensor y = silu_conv(graph, x, x.channels / 2);
  for (int i = 0; i < 3; ++i) {
    y = graph.maxpool(y, 5, 1, 2);
  }
  return silu_conv(graph, graph.concat(y, 4 * y.channels), out);
}

}  // namespace

Stages yolo_features(Graph& graph, const Tensor& image, YoloVersion version, const Csp& scale) {
  const Scaled s{scale};
  const bool fast = version == YoloVersion::v8;
  const auto block = [&](const Tensor& x, double out, int repeats, bool shortcut) {
    return fast ? split_fast(graph, x, out, repeats, shortcut) : split_bottleneck(graph, x, out, repeats, shortcut);
  };
  constexpr std::array<int, 4> k_repeats_v5 = {3, 6, 9, 3};
  constexpr std::array<int, 4> k_repeats_v8 = {3, 6, 6, 3};
  constexpr std::array<int, 4> k_repeats_x = {3, 9, 9, 3};
  const auto& repeats = fast ? k_repeats_v8 : version == YoloVersion::x ? k_repeats_x : k_repeats_v5;

  Tensor x;
  if (version == YoloVersion::x) {
    const Tensor focus = graph.tensor(12, 1, image.height / 2, image.width / 2, image.element_bytes);
    x = silu_conv(graph, focus, s.channels(64), 3);
  } else if (version == YoloVersion::v5) {
    x = graph.activation(graph.batchnorm(graph.conv(image, s.channels(64), {.kernel = 6, .stride = 2, .padding = 2})));
  } else {
    x = silu_conv(graph, image, s.channels(64), 3, 2);
  }
  Stages stages;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    const double out = s.channels(128.0 * static_cast<double>(1U << i));
    x = silu_conv(graph, x, out, 3, 2);
    if (version == YoloVersion::x && i == 3) {
      x = pyramid_pooling(graph, x, out);
    }
    x = block(x, out, s.repeats(repeats[i]), !(version == YoloVersion::x && i == 3));
    stages.push_back(x);
  }
  if (version != YoloVersion::x) {
    stages.back() = pyramid_pooling(graph, stages.back(), stages.back().channels);
  }
  return stages;
}

// Down to the finest level, and up again (PANet).
Stages yolo_neck(Graph& graph, const Stages& s, YoloVersion version, const Csp& scale) {
  const Scaled scaled{scale};
  const bool fast = version == YoloVersion::v8;
  const int repeats = scaled.repeats(3);
  const auto block = [&](const Tensor& x, double out) {
    return fast ? split_fast(graph, x, out, repeats, false) : split_bottleneck(graph, x, out, repeats, false);
  };
  const Tensor& p3 = s[1];
  const Tensor& p4 = s[2];
  // C3 versions reduce before they upsample.
  const Tensor top = fast ? s[3] : silu_conv(graph, s[3], p4.channels);
  Tensor x = graph.concat(p4, top.channels + p4.channels);
  const Tensor middle = block(x, p4.channels);
  const Tensor reduced = fast ? middle : silu_conv(graph, middle, p3.channels);
  x = graph.concat(p3, reduced.channels + p3.channels);
  const Tensor fine = block(x, p3.channels);
  const Tensor down = silu_conv(graph, fine, p3.channels, 3, 2);
  const Tensor medium = block(graph.concat(down, down.channels + reduced.channels), p4.channels);
  const Tensor lower = silu_conv(graph, medium, p4.channels, 3, 2);
  const Tensor coarse = block(graph.concat(lower, lower.channels + top.channels), s[3].channels);
  return {fine, medium, coarse};
}

// v5 predicts from one convolution a level; v8 and X have separate towers.
void yolo_head(Graph& graph, const Stages& levels, YoloVersion version, double classes) {
  constexpr double k_bins = 16;  // of the box distribution (v8)
  // v8 compares every place with every box of the fullest mosaic at once: differences to four sides, overlap, score,
  // alignment and masks of 15 numbers a pair, without gradient (counted; 100 boxes are a prior).
  constexpr double k_boxes = 100;
  constexpr double k_pair_bytes = 60;
  const double box = version == YoloVersion::v8 ? std::max({16.0, levels[0].channels / 4, k_bins * 4}) : 0;
  const double score = std::max(levels[0].channels, std::min(classes, 100.0));
  for (const Tensor& level : levels) {
    if (version == YoloVersion::v5) {
      const Tensor out = graph.conv(level, 3 * (classes + 5), {.kernel = 1, .bias = true});
      graph.keep_bytes(out.elements() * 4.0);
      continue;
    }
    if (version == YoloVersion::x) {
      const Tensor stem = silu_conv(graph, level, levels[0].channels);
      const Tensor c = silu_conv(graph, silu_conv(graph, stem, stem.channels, 3), stem.channels, 3);
      const Tensor r = silu_conv(graph, silu_conv(graph, stem, stem.channels, 3), stem.channels, 3);
      graph.keep(graph.conv(c, classes, {.kernel = 1, .bias = true}));
      (void)graph.conv(r, 5, {.kernel = 1, .bias = true});
      continue;
    }
    const Tensor b = silu_conv(graph, silu_conv(graph, level, box, 3), box, 3);
    const Tensor c = silu_conv(graph, silu_conv(graph, level, score, 3), score, 3);
    graph.keep(graph.conv(b, 4 * k_bins, {.kernel = 1, .bias = true}));
    graph.keep(graph.conv(c, classes, {.kernel = 1, .bias = true}));
  }
  if (version == YoloVersion::v8) {
    double places = 0;
    for (const Tensor& level : levels) {
      places += level.places();
    }
    graph.transient(k_boxes * k_pair_bytes * places);
  }
}

}  // namespace gpuadvise::model
