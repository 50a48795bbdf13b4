// Single-shot detectors: YOLO v3, v5, v8, X; SSD; CornerNet.
#include "model/dense.hpp"
#include "model/graph_profile.hpp"
#include "model/graph_yolo.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::model {
namespace {

struct SizeRow {
  char letter;
  Csp scale;
};
// Depth and width multiples as the projects publish them.
constexpr std::array<SizeRow, 7> k_v5 = {{{'n', {0.33, 0.25, 1024}},
                                          {'s', {0.33, 0.50, 1024}},
                                          {'m', {0.67, 0.75, 1024}},
                                          {'l', {1.0, 1.0, 1024}},
                                          {'x', {1.33, 1.25, 1024}},
                                          {'t', {0.33, 0.375, 1024}},
                                          {' ', {0.33, 0.50, 1024}}}};
constexpr std::array<SizeRow, 6> k_v8 = {{{'n', {0.33, 0.25, 1024}},
                                          {'s', {0.33, 0.50, 1024}},
                                          {'m', {0.67, 0.75, 768}},
                                          {'l', {1.0, 1.0, 512}},
                                          {'x', {1.0, 1.25, 512}},
                                          {' ', {0.33, 0.50, 1024}}}};

template <std::size_t n>
Csp scale_of(const std::array<SizeRow, n>& rows, char letter) {
  for (const SizeRow& row : rows) {
    if (row.letter == letter) {
      return row.scale;
    }
  }
  return rows.back().scale;
}

// The letter behind the version: "yolov5s", "yolo_x_tiny".
char size_letter(const DenseName& name, std::string_view version) {
  const std::size_t at = name.compact.find(version);
  const std::size_t next = at + version.size();
  return at != std::string::npos && next < name.compact.size() ? name.compact[next] : ' ';
}

// Five convolutions a level, alternating 1x1 and 3x3, then the prediction; coarse levels are upsampled and joined.
void yolo_v3(Graph& graph, const Tensor& image, double classes) {
  const Stages s = darknet53(graph, image);
  const auto five = [&](Tensor x, double width) {
    for (int i = 0; i < 5; ++i) {
      x = conv_norm_relu(graph, x, i % 2 == 0 ? width : 2 * width, {.kernel = i % 2 == 0 ? 1.0 : 3.0});
    }
    return x;
  };
  Tensor x = s[4];
  for (std::size_t level = 0; level < 3; ++level) {
    const double width = 512.0 / static_cast<double>(1U << level);
    x = five(x, width);
    const Tensor out = graph.conv(conv_norm_relu(graph, x, 2 * width, {}), 3 * (classes + 5), {.kernel = 1, .bias = true});
    graph.keep_bytes(3 * out.elements() * 4.0);
    if (level < 2) {
      const Tensor& skip = s[3 - level];
      const Tensor up = graph.resized(conv_norm_relu(graph, x, width / 2, {.kernel = 1}), skip.height, skip.width);
      x = graph.concat(skip, up.channels + skip.channels);
    }
  }
}

// VGG-16 with its linear layers as convolutions, four more levels, predictions on six.
void ssd(Graph& graph, const Tensor& image, double classes) {
  Stages s = vgg(graph, image, 16, false);
  Tensor x = graph.relu(graph.conv(s[4], 1024, {.dilation = 6, .bias = true}));
  x = graph.relu(graph.conv(x, 1024, {.kernel = 1, .bias = true}));
  Stages levels = {s[3], x};
  for (const double width : {256.0, 128.0, 128.0, 128.0}) {
    x = graph.relu(graph.conv(x, width, {.kernel = 1, .bias = true}));
    x = graph.relu(graph.conv(x, 2 * width, {.stride = x.height > 5 ? 2.0 : 1.0, .bias = true}));
    levels.push_back(x);
  }
  for (const Tensor& level : levels) {
    const Tensor out = graph.conv(level, 6 * (classes + 1), {.bias = true});
    (void)graph.conv(level, 6 * 4, {.bias = true});
    graph.keep_bytes(3 * out.elements() * 4.0);
  }
}

Tensor residual(Graph& graph, const Tensor& x, double out, double stride) {
  const Tensor y = conv_norm(graph, conv_norm_relu(graph, x, out, {.stride = stride}), out, {});
  const bool changes = stride > 1 || x.channels != out;
  return graph.relu(graph.add(y, changes ? conv_norm(graph, x, out, {.kernel = 1, .stride = stride}) : x));
}

// Newell et al.: every level keeps a branch at its size and descends with another.
Tensor hourglass(Graph& graph, const Tensor& x, std::size_t depth) {
  constexpr std::array<double, 6> k_widths = {256, 256, 384, 384, 384, 512};
  constexpr std::array<int, 6> k_blocks = {2, 2, 2, 2, 2, 4};
  Tensor upper = x;
  for (int i = 0; i < k_blocks[depth]; ++i) {
    upper = residual(graph, upper, k_widths[depth], 1);
  }
  Tensor lower = residual(graph, x, k_widths[depth + 1], 2);
  lower = residual(graph, lower, k_widths[depth + 1], 1);
  if (depth < 4) {
    lower = hourglass(graph, lower, depth + 1);
  } else {
    for (int i = 0; i < k_blocks[depth + 1]; ++i) {
      lower = residual(graph, lower, k_widths[depth + 1], 1);
    }
  }
  lower = residual(graph, residual(graph, lower, k_widths[depth + 1], 1), k_widths[depth], 1);
  return graph.add(upper, lower);
}

// Law and Deng: two stacked hourglasses; each corner pools in two directions and predicts heat, offsets, embeddings.
void corner_net(Graph& graph, const Tensor& image, double classes, bool centripetal) {
  Tensor x = conv_norm_relu(graph, image, 128, {.kernel = 7, .stride = 2});
  x = residual(graph, x, 256, 2);
  for (int stack = 0; stack < 2; ++stack) {
    const Tensor features = conv_norm_relu(graph, hourglass(graph, x, 0), 256, {});
    for (int corner = 0; corner < 2; ++corner) {
      // Two directional pools, whose indices are kept, and the convolutions around them.
      const Tensor a = conv_norm_relu(graph, features, 128, {});
      const Tensor b = conv_norm_relu(graph, features, 128, {});
      graph.keep(graph.like(a));
      graph.keep(graph.like(b));
      Tensor y = conv_norm(graph, graph.like(a), 256, {});
      y = graph.relu(graph.add(y, conv_norm(graph, features, 256, {.kernel = 1})));
      y = conv_norm_relu(graph, y, 256, {});
      const int outputs = centripetal ? 4 : 3;
      for (int output = 0; output < outputs; ++output) {
        const Tensor out =
            graph.conv(graph.relu(graph.conv(y, 256, {.bias = true})), output == 0 ? classes : 2, {.kernel = 1, .bias = true});
        graph.keep_bytes(4 * out.elements() * 4.0);
      }
    }
    x = stack == 0
            ? residual(graph,
                       graph.relu(graph.add(conv_norm(graph, x, 256, {.kernel = 1}), conv_norm(graph, features, 256, {.kernel = 1}))), 256,
                       1)
            : x;
  }
}

enum class Kind { none, v3, v5, v8, x, ssd, corner };

Kind kind_of(const DenseName& name) {
  if (name.has("yolox")) {
    return Kind::x;
  }
  if (name.has("yolov3")) {
    return Kind::v3;
  }
  if (name.has("yolov5")) {
    return Kind::v5;
  }
  if (name.has("yolov8") || name.has("yolo11") || name.has("yolov11")) {
    return Kind::v8;
  }
  if (name.has("ssd300") || name.has("ssd512") || name.has("ssdvgg") || name.compact == "ssd") {
    return Kind::ssd;
  }
  return name.has("cornernet") || name.has("centripetalnet") ? Kind::corner : Kind::none;
}

// What the projects train at.
double reference_size(Kind kind, const DenseName& name) {
  switch (kind) {
    case Kind::v3:
      return 416;
    case Kind::ssd:
      return name.has("512") ? 512 : 300;
    case Kind::corner:
      return 511;
    default:
      return 640;
  }
}

void build(Graph& graph, const Tensor& image, Kind kind, const DenseName& name, double classes) {
  const auto yolo = [&](YoloVersion version, const Csp& scale) {
    const Stages stages = yolo_features(graph, image, version, scale);
    yolo_head(graph, yolo_neck(graph, stages, version, scale), version, classes);
  };
  switch (kind) {
    case Kind::v3:
      return yolo_v3(graph, image, classes);
    case Kind::v5:
      return yolo(YoloVersion::v5, scale_of(k_v5, size_letter(name, "yolov5")));
    case Kind::v8:
      return yolo(YoloVersion::v8, scale_of(k_v8, size_letter(name, name.has("11") ? "11" : "yolov8")));
    case Kind::x:
      return yolo(YoloVersion::x, scale_of(k_v5, size_letter(name, "yolox")));
    case Kind::ssd:
      return ssd(graph, image, classes);
    case Kind::corner:
      return corner_net(graph, image, classes, name.has("centripetal"));
    case Kind::none:
      return;
  }
}

}  // namespace

std::optional<Composed> single_shot_network(const DenseName& name, const NamedModelOptions& options) {
  const Kind kind = kind_of(name);
  if (kind == Kind::none) {
    return std::nullopt;
  }
  ProfileOptions profile;
  const double side = reference_size(kind, name);
  profile.image_height = options.image.height > 0 ? options.image.height : side;
  profile.image_width = options.image.width > 0 ? options.image.width : side;
  profile.classes = options.classes > 0 ? options.classes : 80;
  const bool modern = kind == Kind::v5 || kind == Kind::v8;
  profile.workspace_per_io = modern ? 0 : k_dense_workspace;
  // Measured far above the count: cudnn.benchmark (SSD), sizes drawn anew while training (YOLOX).
  profile.source = kind == Kind::ssd || kind == Kind::x ? ProfileSource::estimated : ProfileSource::counted;
  // YOLOX draws the size anew while it trains; the largest decides the peak: 800 for 640, 640 for the tiny 416.
  const double largest = kind != Kind::x ? 1.0 : name.has("tiny") || name.has("nano") ? 640.0 / 416.0 : 800.0 / 640.0;
  const auto network = [&](Graph& graph) {
    build(graph, graph.input(3, profile.image_height * largest, profile.image_width * largest), kind, name, profile.classes);
  };
  return Composed{Field::detection, profile_of(network, profile)};
}

}  // namespace gpuadvise::model
