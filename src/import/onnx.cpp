#include "import/onnx.hpp"

#include <gpuadvise/error.hpp>

#include "import/onnx_file.hpp"
#include "import/onnx_walk.hpp"
#include "model/graph.hpp"
#include "model/graph_profile.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::importer {
namespace {

using enum OnnxStepKind;
using model::Graph;
using Activation = model::Tensor;

// Channels first, then up to three axes of places; a list of tokens has its width last.
struct Extent {
  double channels = 1;
  double depth = 1;
  double height = 1;
  double width = 1;
};

Extent extent_of(const Dims& dims, double batch) {
  Extent extent;
  const auto size = [&](std::size_t i) { return static_cast<double>(dims[i]); };
  const double images = dims.empty() || size(0) < batch ? 1 : size(0) / batch;  // of values that hold more than one a picture
  switch (dims.size()) {
    case 0:
      break;
    case 1:
      extent.channels = size(0);
      break;
    case 2:
      extent = {size(1), 1, 1, images};
      break;
    case 3:
      extent = {size(2), 1, images, size(1)};
      break;
    case 4:
      extent = {size(1), images, size(2), size(3)};
      break;
    default:
      extent = {size(1), size(2) * images, size(3), size(4)};
      for (std::size_t i = 5; i < dims.size(); ++i) {
        extent.width *= size(i);
      }
  }
  return extent;
}

Activation placed(Activation x, const Extent& extent) {
  x.channels = extent.channels;
  x.depth = extent.depth;
  x.height = extent.height;
  x.width = extent.width;
  return x;
}

// Padding that makes a convolution's output as large as the file's shapes say.
double padding_for(double input, double output, double kernel, double stride, double dilation) {
  return std::max(0.0, ((output - 1) * stride + dilation * (kernel - 1) + 1 - input) / 2);
}

// Records the walked graph as the operators that training memory is counted on.
class Replay {
 public:
  Replay(const OnnxWalk& walk, Graph& graph) : walk_(walk), graph_(graph), values_(walk.shapes.size()), made_(walk.shapes.size()) {}

  void run() {
    for (const OnnxStep& step : walk_.steps) {
      graph_.reuse_weights(step.shared_weights);
      const Activation y = apply(step, value(step.input));
      values_[step.output] = placed(y, extent(step.output));
      made_[step.output] = true;
    }
    graph_.reuse_weights(false);
  }

 private:
  [[nodiscard]] Extent extent(std::size_t index) const { return extent_of(walk_.shapes[index], walk_.batch); }
  // Inputs of the network are made when they are first read.
  [[nodiscard]] Activation value(std::size_t index) {
    if (!made_[index]) {
      const Extent e = extent(index);
      values_[index] = graph_.input(e.channels, e.height, e.width, e.depth);
      made_[index] = true;
    }
    return values_[index];
  }
  [[nodiscard]] Activation fresh(std::size_t index, const Activation& like) {
    const Extent e = extent(index);
    return graph_.tensor(e.channels, e.depth, e.height, e.width, like.element_bytes);
  }
  [[nodiscard]] Activation convolved(const OnnxStep& step, const Activation& x);
  [[nodiscard]] Activation multiplied(const OnnxStep& step, const Activation& x);
  [[nodiscard]] Activation apply(const OnnxStep& step, const Activation& x);

  const OnnxWalk& walk_;
  Graph& graph_;
  std::vector<Activation> values_;
  std::vector<bool> made_;
};

Activation Replay::convolved(const OnnxStep& step, const Activation& x) {
  if (step.kernel.empty() || step.outputs <= 0) {
    return fresh(step.output, x);
  }
  const Extent y = extent(step.output);
  const auto at = [](const Dims& dims, std::size_t from_end) {
    return from_end < dims.size() ? static_cast<double>(dims[dims.size() - 1 - from_end]) : 1.0;
  };
  // One-dimensional convolutions run along the width: their places are counted as a picture of one row.
  const bool flat = step.kernel.size() == 1;
  Activation in = x;
  if (flat) {
    const Dims& dims = walk_.shapes[step.input];
    in = placed(x, {static_cast<double>(dims.size() > 1 ? dims[1] : 1), 1, 1, at(dims, 0)});
  }
  if (step.kind == transposed_convolution) {
    return graph_.transposed_conv(in, step.outputs, std::sqrt(at(step.kernel, 0) * (flat ? 1.0 : at(step.kernel, 1))), 1, step.bias);
  }
  model::Conv conv;
  conv.kernel = flat ? 1 : at(step.kernel, 1);
  conv.kernel_width = at(step.kernel, 0);
  conv.stride = at(step.strides, 0);
  conv.dilation = at(step.dilations, 0);
  conv.groups = std::min(step.groups, in.channels);
  conv.bias = step.bias;
  conv.padding = padding_for(in.width, flat ? at(walk_.shapes[step.output], 0) : y.width, conv.kernel_width, conv.stride, conv.dilation);
  if (flat) {
    conv.stride = std::max(1.0, conv.stride);
  }
  if (step.kernel.size() == 3) {
    conv.depth_kernel = at(step.kernel, 2);
    conv.depth_stride = at(step.strides, 2);
    conv.depth_padding = padding_for(in.depth, y.depth, conv.depth_kernel, conv.depth_stride, 1);
  }
  return graph_.conv(in, step.outputs, conv);
}

// Weights of K x N at every place of a list of vectors.
Activation Replay::multiplied(const OnnxStep& step, const Activation& x) {
  const Dims& dims = walk_.shapes[step.input];
  const double depth = dims.empty() ? x.channels : static_cast<double>(dims.back());
  const double places = depth > 0 ? x.elements() / depth : 1;
  return graph_.linear(placed(x, {std::max(1.0, depth), 1, 1, places}), step.outputs, step.bias);
}

Activation Replay::apply(const OnnxStep& step, const Activation& x) {
  switch (step.kind) {
    case convolution:
    case transposed_convolution:
      return convolved(step, x);
    case linear:
      return multiplied(step, x);
    case product: {
      // Both factors are kept; the product is a tensor of its own.
      const Activation both = step.second == k_no_value ? graph_.activation(x) : graph_.multiply(x, value(step.second));
      return fresh(step.output, both);
    }
    case batchnorm:
      return graph_.batchnorm(x);
    case layernorm:
      return graph_.layernorm(x);
    case groupnorm:
      return graph_.groupnorm(x);
    case instancenorm:
      return graph_.instancenorm(x);
    case relu:
      return graph_.relu(x);
    case sigmoid:
      return graph_.sigmoid(x);
    case activation:
      return graph_.activation(x);
    case add:
      return step.second == k_no_value ? graph_.like(x) : graph_.add(x, value(step.second));
    case multiply:
      return step.second == k_no_value ? graph_.like(x) : graph_.multiply(x, value(step.second));
    case concat:
      return graph_.concat(x, extent(step.output).channels);
    case maxpool: {
      // The output is placed where the file says; what is kept are the input and an index for each output.
      const Extent y = extent(step.output);
      const double stride = y.width > 0 ? std::max(1.0, std::round(x.width / y.width)) : 1;
      return graph_.maxpool(x, stride, stride, 0);
    }
    case avgpool:
      return graph_.avgpool(x, 1, 1);
    case global_pool:
      return graph_.global_pool(x);
    case resize:
      return graph_.resized(x, extent(step.output).height, extent(step.output).width);
    case dropout:
      return graph_.dropout(x);
    case view:
      return x;
    case copy:
      return fresh(step.output, x);
  }
  return x;
}

std::string list_of(const std::set<std::string>& words) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& word : words) {
    if (++count > 8) {
      return text + " ...";
    }
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

// The picture that goes in: channels first, or last as TensorFlow's exports have it.
void read_picture(const OnnxWalk& walk, model::ProfileOptions& options) {
  options.image_height = 1;
  options.image_width = 1;
  if (walk.image == k_no_value) {
    return;
  }
  const Dims& dims = walk.shapes[walk.image];
  const auto size = [&](std::size_t i) { return static_cast<double>(dims[i]); };
  if (dims.size() == 4 && dims[3] <= 4 && dims[1] > 4) {
    options.channels = size(3);
    options.image_height = size(1);
    options.image_width = size(2);
  } else if (dims.size() >= 4) {
    options.channels = size(1);
    options.frames = dims.size() == 5 ? size(2) : 1;
    options.image_height = size(dims.size() - 2);
    options.image_width = size(dims.size() - 1);
  } else if (!dims.empty()) {
    // Not a picture: what goes in lies in one row.
    options.channels = 1;
    options.image_width = extent_of(dims, walk.batch).channels * extent_of(dims, walk.batch).width;
  }
}

void add_findings(const OnnxWalk& walk, const OnnxGraph& graph, OnnxModel& model) {
  const auto note = [&](Severity severity, std::string text) { model.findings.push_back({"import-onnx", severity, std::move(text)}); };
  if (!walk.unknown.empty()) {
    note(Severity::warn, "operators without a rule were passed through: " + list_of(walk.unknown));
  }
  if (!walk.nested.empty()) {
    note(Severity::warn, "graphs inside " + list_of(walk.nested) + " are not counted: how often they run is not known");
  }
  const bool picture = walk.image != k_no_value && walk.shapes[walk.image].size() >= 4;
  if (!picture) {
    note(Severity::warn, "its input is no picture: figures hold for the sizes in the file, or for 128 tokens where they are open");
  }
  if (!graph.external_files.empty()) {
    note(Severity::note, "weights lie in " + graph.external_files.front().substr(0, 100) +
                             (graph.external_files.size() > 1 ? " and other files" : "") + ": counted by their sizes, not read");
  }
  if (walk.params <= 0) {
    note(Severity::warn, "no weights were found");
  }
}

}  // namespace

OnnxModel onnx_model(const ByteSource& source) {
  const OnnxGraph graph = read_onnx(source);
  const OnnxWalk walk = walk_onnx(graph, {}, source.name());
  if (!(walk.params > 0) || !(walk.params < 1e15) || !(walk.macs < 1e18)) {
    throw Error(ErrorCode::bad_data, "the graph holds no weights, or impossible ones",
                "weights are initializers, constants, or ConstantOfShape of a constant", source.name());
  }
  model::ProfileOptions options;
  options.attention = VisionAttention::none;
  options.source = walk.unknown.empty() && walk.nested.empty() ? ProfileSource::counted : ProfileSource::estimated;
  read_picture(walk, options);
  OnnxModel result;
  result.profile = model::profile_of([&](Graph& g) { Replay(walk, g).run(); }, options);
  // The walk's own sums are exact; the replay leaves out what has no operator of its own.
  ImageProfile& profile = result.profile;
  profile.params = walk.params;
  profile.buffers = walk.buffers;
  profile.gmacs = walk.macs / walk.batch / 1e9;
  profile.activations_m = walk.activations / walk.batch / 1e6;
  profile.fixed_image = walk.image != k_no_value && walk.shapes[walk.image].size() < 4;
  const bool attends = std::any_of(walk.steps.begin(), walk.steps.end(), [](const OnnxStep& s) { return s.kind == product; });
  profile.attention = attends ? VisionAttention::eager : VisionAttention::none;
  result.name = graph.name;
  result.producer = graph.producer;
  result.precision = walk.integer_weights ? "int8" : walk.half_weights ? "fp16" : "fp32";
  result.weight_bytes = walk.weight_bytes;
  result.nodes = static_cast<double>(graph.nodes.size());
  add_findings(walk, graph, result);
  return result;
}

}  // namespace gpuadvise::importer
