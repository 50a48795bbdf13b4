#include "import/onnx_walk.hpp"

#include <gpuadvise/error.hpp>

#include "import/onnx_values.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace gpuadvise::importer {
namespace {

using enum OnnxStepKind;

struct OpRow {
  std::string_view op;
  OnnxStepKind kind;
};

// What an operator is to training memory; those not listed make a copy that nothing keeps.
constexpr auto k_ops = std::to_array<OpRow>({
    {"Conv", convolution},
    {"ConvInteger", convolution},
    {"QLinearConv", convolution},
    {"ConvTranspose", transposed_convolution},
    {"Gemm", linear},
    {"MatMul", linear},
    {"MatMulInteger", linear},
    {"QLinearMatMul", linear},
    {"MatMulNBits", linear},
    {"BatchNormalization", batchnorm},
    {"LayerNormalization", layernorm},
    {"SimplifiedLayerNormalization", layernorm},
    {"SkipLayerNormalization", layernorm},
    {"RMSNormalization", layernorm},
    {"GroupNormalization", groupnorm},
    {"InstanceNormalization", instancenorm},
    {"Relu", relu},
    {"Clip", relu},
    {"Sigmoid", sigmoid},
    {"Softmax", sigmoid},
    {"Tanh", sigmoid},
    {"LeakyRelu", activation},
    {"PRelu", activation},
    {"HardSwish", activation},
    {"HardSigmoid", activation},
    {"Gelu", activation},
    {"FastGelu", activation},
    {"BiasGelu", activation},
    {"Erf", activation},
    {"Elu", activation},
    {"Selu", activation},
    {"Mish", activation},
    {"Softplus", activation},
    {"LRN", activation},
    {"Pow", activation},
    {"Sqrt", activation},
    {"Add", add},
    {"Sub", add},
    {"Sum", add},
    {"Mul", multiply},
    {"Div", multiply},
    {"Concat", concat},
    {"MaxPool", maxpool},
    {"AveragePool", avgpool},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"ReduceMean", global_pool},
    {"Resize", resize},
    {"Upsample", resize},
    {"Dropout", dropout},
    {"Reshape", view},
    {"Flatten", view},
    {"Squeeze", view},
    {"Unsqueeze", view},
    {"Identity", view},
    {"Transpose", view},
    {"Slice", view},
    {"Split", view},
    {"Cast", view},
    {"Expand", view},
});

OnnxStepKind kind_of(std::string_view op) {
  const auto row = std::find_if(k_ops.begin(), k_ops.end(), [&](const OpRow& r) { return r.op == op; });
  return row == k_ops.end() ? copy : row->kind;
}

double product_of(const Dims& dims, std::size_t from) {
  double product = 1;
  for (std::size_t i = from; i < dims.size(); ++i) {
    product *= static_cast<double>(dims[i]);
  }
  return product;
}

class Walker {
 public:
  Walker(const OnnxGraph& graph, const OnnxWalkOptions& options, const std::string& file) : graph_(graph), options_(options), file_(file) {}
  [[nodiscard]] OnnxWalk walk();

 private:
  void add_constants();
  void add_inputs();
  [[nodiscard]] Dims opened(const OnnxValue& input) const;
  void visit(const OnnxNode& node);
  void add_outputs(const NodeView& node, const InferredValue& first, bool constant);
  [[nodiscard]] InferredValue first_output(const NodeView& node);
  void record(const NodeView& node, std::size_t output);
  void count_work(const NodeView& node, const GraphValue& output, OnnxStep& step);
  // True where this is the first use of such a constant.
  bool count_weights(std::size_t index, bool buffer = false);
  [[nodiscard]] std::size_t weights_input(const NodeView& node) const;

  const OnnxGraph& graph_;
  const OnnxWalkOptions& options_;
  const std::string& file_;
  GraphValues values_;
  std::unordered_map<std::string, const OnnxValue*> stated_;
  OnnxWalk result_;
};

void Walker::add_constants() {
  for (const OnnxTensor& tensor : graph_.initializers) {
    GraphValue value;
    value.name = tensor.name;
    value.shape = tensor.dims;
    value.known = true;
    value.constant = true;
    value.type = tensor.type;
    value.has_integers = !tensor.ints.empty();
    value.integers = tensor.ints;
    values_.add(std::move(value), file_);
  }
}

// Open dimensions: the batch in front; height and width of an image; a length.
Dims Walker::opened(const OnnxValue& input) const {
  Dims dims = *input.shape;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == k_open_dimension) {
      dims[i] = i == 0 ? options_.batch : dims.size() >= 4 ? (i == 1 ? 3 : options_.image) : options_.sequence;
    }
    if (dims[i] > (std::int64_t{1} << 32)) {
      throw Error(ErrorCode::bad_data, "input '" + input.name.substr(0, 100) + "' is impossibly large", {}, file_);
    }
  }
  return dims;
}

void Walker::add_inputs() {
  for (const OnnxValue& input : graph_.inputs) {
    if (values_.find(input.name) != k_no_value) {
      continue;  // older files list initializers among the inputs
    }
    GraphValue value;
    value.name = input.name;
    value.type = input.type;
    value.known = input.shape.has_value();
    value.shape = value.known ? opened(input) : Dims{};
    const std::size_t index = values_.add(std::move(value), file_);
    const bool image = values_[index].shape.size() >= 3;
    if (values_[index].known && (result_.image == k_no_value || (image && values_[result_.image].shape.size() < 3))) {
      result_.image = index;
    }
  }
  if (result_.image != k_no_value && !values_[result_.image].shape.empty()) {
    result_.batch = static_cast<double>(std::max<std::int64_t>(1, values_[result_.image].shape.front()));
  }
}

bool Walker::count_weights(std::size_t index, bool buffer) {
  if (index == k_no_value || !values_[index].constant || !onnx_weight_type(values_[index].type)) {
    return false;
  }
  GraphValue& value = values_[index];
  if (value.counted) {
    return false;
  }
  value.counted = true;
  const double elements = value.elements();
  (buffer ? result_.buffers : result_.params) += elements;
  result_.weight_bytes += elements * onnx_type_bits(value.type) / 8;
  result_.integer_weights = result_.integer_weights || value.type == 2 || value.type == 3;
  result_.half_weights = result_.half_weights || value.type == 10 || value.type == 16;
  return true;
}

std::size_t Walker::weights_input(const NodeView& node) const {
  const std::string& op = node.node.op;
  const std::size_t index = op == "QLinearConv" || op == "QLinearMatMul" ? 3 : 1;
  return index < node.inputs.size() ? node.inputs[index] : k_no_value;
}

InferredValue Walker::first_output(const NodeView& node) {
  InferredValue value = infer_output(node);
  const std::string& op = node.node.op;
  if (!value.known && op == "MatMulNBits" && !node.dims(0).empty()) {
    value = {true, node.dims(0), false, {}};
    value.shape.back() = std::clamp<std::int64_t>(node.node.integer("N", 1), 1, 1 << 24);
  }
  if (!value.known && (op == "Resize" || op == "Upsample") && !node.dims(0).empty()) {
    const auto* sizes = node.integers(3, "sizes");
    value = {true, node.dims(0), false, {}};
    for (std::size_t i = 2; i < value.shape.size(); ++i) {
      // Scales are floats and are not read: twice is what nearly all decoders use.
      value.shape[i] = sizes != nullptr && sizes->size() == value.shape.size() ? (*sizes)[i] : 2 * value.shape[i];
    }
  }
  const std::string& name = node.node.outputs.front();
  const auto stated = stated_.find(name);
  if (!value.known && stated != stated_.end() && stated->second->shape) {
    return {true, opened(*stated->second), false, {}};
  }
  if (!value.known) {
    if (kind_of(op) == copy && !keeps_shape(op)) {
      result_.unknown.insert(op.substr(0, 60));
    }
    const GraphValue* first = node.input(0);
    if (first != nullptr && first->known) {
      return {true, first->shape, false, {}};
    }
  }
  return value;
}

void Walker::add_outputs(const NodeView& node, const InferredValue& first, bool constant) {
  const bool split = node.node.op == "Split";
  const std::size_t parts = node.node.outputs.size();
  for (std::size_t i = 0; i < parts; ++i) {
    if (node.node.outputs[i].empty()) {
      continue;
    }
    GraphValue value;
    value.name = node.node.outputs[i];
    value.known = first.known && (i == 0 || split);
    value.shape = value.known ? first.shape : Dims{};
    value.constant = constant;
    value.has_integers = i == 0 && first.has_integers;
    value.integers = value.has_integers ? first.integers : std::vector<std::int64_t>{};
    value.type = !node.inputs.empty() && node.input(0) != nullptr ? node.input(0)->type : 1;
    const OnnxAttribute* content = node.node.attribute("value");
    if (node.node.op == "Constant" || node.node.op == "ConstantOfShape") {
      value.type = content != nullptr && !content->tensors.empty() ? content->tensors.front().type : 1;
    } else if (node.node.op == "Gather" && node.input(0) != nullptr) {
      value.type = node.input(0)->type;
    }
    if (split && value.known) {
      const auto rank = static_cast<std::int64_t>(value.shape.size());
      const std::int64_t axis = node.node.integer("axis", 0);
      const std::int64_t at = axis < 0 ? axis + rank : axis;
      const auto* sizes = node.integers(1, "split");
      if (at >= 0 && at < rank) {
        std::int64_t& size = value.shape[static_cast<std::size_t>(at)];
        size = sizes != nullptr && i < sizes->size() ? std::clamp<std::int64_t>((*sizes)[i], 0, size)
                                                     : size / static_cast<std::int64_t>(parts);
      }
    }
    values_.add(std::move(value), file_);
  }
}

void Walker::count_work(const NodeView& node, const GraphValue& output, OnnxStep& step) {
  const std::string& op = node.node.op;
  const std::size_t weights = weights_input(node);
  const Dims none;
  const Dims& w = weights != k_no_value && values_[weights].known ? values_[weights].shape : none;
  if (step.kind == convolution || step.kind == transposed_convolution) {
    if (w.size() < 3) {
      return;
    }
    step.kernel.assign(w.begin() + 2, w.end());
    step.groups = static_cast<double>(std::clamp<std::int64_t>(node.node.integer("group", 1), 1, 1 << 24));
    for (std::size_t i = 0; i + 2 < w.size(); ++i) {
      step.strides.push_back(std::clamp<std::int64_t>(node.node.element("strides", i, 1), 1, 1'000'000));
      step.dilations.push_back(std::clamp<std::int64_t>(node.node.element("dilations", i, 1), 1, 1'000'000));
    }
    const double per_place = static_cast<double>(w[1]) * product_of(w, 2);
    result_.macs += per_place * (step.kind == convolution ? output.elements() : values_[step.input].elements());
    step.outputs = output.shape.size() > 1 ? static_cast<double>(output.shape[1]) : 0;
    step.bias = op == "QLinearConv" ? node.input(8) != nullptr : op != "ConvInteger" && node.input(2) != nullptr;
  } else if (step.kind == linear) {
    const Dims& a = node.dims(0);
    const bool turned = op == "Gemm" && node.node.integer("transA", 0) != 0;
    const double depth = a.empty() ? 0 : static_cast<double>(turned ? a.front() : a.back());
    result_.macs += output.elements() * depth;
    step.outputs = output.shape.empty() ? 1 : static_cast<double>(output.shape.back());
    step.bias = op == "Gemm" && node.input(2) != nullptr;
    const bool constant = weights != k_no_value && values_[weights].constant;
    const bool first_constant = node.input(0) != nullptr && node.input(0)->constant;
    step.kind = constant || first_constant ? linear : product;
    if (op == "MatMulNBits") {
      // Packed: N x K weights, and the bytes of the file.
      result_.params += step.outputs * depth - (weights != k_no_value ? values_[weights].elements() : 0);
    }
  }
  if (step.kind == convolution || step.kind == transposed_convolution || step.kind == linear || step.kind == product) {
    result_.activations += output.elements();
  }
  if (op == "LSTM" || op == "GRU" || op == "RNN") {
    const Dims& x = node.dims(0);
    const double gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    const auto hidden = static_cast<double>(std::clamp<std::int64_t>(node.node.integer("hidden_size", 0), 0, 1 << 24));
    const double directions = output.shape.size() > 1 ? static_cast<double>(output.shape[1]) : 1;
    result_.macs += x.size() == 3 ? static_cast<double>(x[0]) * static_cast<double>(x[1]) * gates * hidden *
                                        (static_cast<double>(x[2]) + hidden) * directions
                                  : 0;
  }
  if (op == "Attention" && w.size() == 2 && node.dims(0).size() == 3) {
    const Dims& x = node.dims(0);
    const auto tokens = static_cast<double>(x[1]);
    result_.macs += static_cast<double>(x[0]) * tokens * (values_[weights].elements() + 2 * tokens * static_cast<double>(x[2]));
  }
}

void Walker::record(const NodeView& node, std::size_t output) {
  OnnxStep step;
  step.kind = kind_of(node.node.op);
  step.output = output;
  for (const std::size_t input : node.inputs) {
    if (input == k_no_value || values_[input].constant) {
      continue;
    }
    (step.input == k_no_value ? step.input : step.second) = input;
    if (step.second != k_no_value) {
      break;
    }
  }
  if (step.input == k_no_value) {
    return;
  }
  count_work(node, values_[output], step);
  bool first_use = false;
  bool any = false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::size_t input = node.inputs[i];
    if (input == k_no_value || !values_[input].constant) {
      continue;
    }
    const bool buffer = step.kind == batchnorm && i >= 3;
    // Single numbers are part of a formula, not of the model.
    if (buffer || values_[input].elements() > 1 || step.kind == batchnorm || step.kind == linear || step.kind == convolution) {
      any = true;
      first_use = count_weights(input, buffer) || first_use;
    }
  }
  step.shared_weights = any && !first_use;
  if ((step.kind == add || step.kind == multiply) && step.second != k_no_value && node.inputs.size() > 2 && node.node.op != "Sum") {
    step.second = k_no_value;
  }
  result_.steps.push_back(std::move(step));
}

void Walker::visit(const OnnxNode& node) {
  if (node.outputs.empty()) {
    return;
  }
  NodeView view{node, values_, {}};
  bool constant = true;
  for (const std::string& name : node.inputs) {
    const std::size_t index = values_.find(name);
    if (index == k_no_value && !name.empty()) {
      throw Error(ErrorCode::bad_data, node.op.substr(0, 60) + " reads '" + name.substr(0, 100) + "', which nothing before it makes", {},
                  file_);
    }
    view.inputs.push_back(index);
    constant = constant && (index == k_no_value || values_[index].constant);
  }
  // The shape of an input is as good as a constant once sizes are chosen.
  const bool sizes_only = node.op == "Shape";
  if (std::any_of(node.attributes.begin(), node.attributes.end(), [](const OnnxAttribute& a) { return a.graph; })) {
    result_.nested.insert(node.op.substr(0, 60));
  }
  const InferredValue first = first_output(view);
  add_outputs(view, first, constant || sizes_only);
  const std::size_t output = values_.find(node.outputs.front());
  if (sizes_only && output != k_no_value) {
    values_[output].type = 7;
  }
  if (!constant && !sizes_only && output != k_no_value) {
    record(view, output);
  }
}

OnnxWalk Walker::walk() {
  for (const OnnxValue& value : graph_.values) {
    stated_.emplace(value.name, &value);
  }
  for (const OnnxValue& value : graph_.outputs) {
    stated_.emplace(value.name, &value);
  }
  add_constants();
  add_inputs();
  for (const OnnxNode& node : graph_.nodes) {
    visit(node);
  }
  result_.shapes.reserve(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    result_.shapes.push_back(values_[i].known ? values_[i].shape : Dims{});
  }
  return std::move(result_);
}

}  // namespace

OnnxWalk walk_onnx(const OnnxGraph& graph, const OnnxWalkOptions& options, const std::string& file) {
  return Walker(graph, options, file).walk();
}

}  // namespace gpuadvise::importer
