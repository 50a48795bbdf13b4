#include "import/onnx_values.hpp"

#include <gpuadvise/error.hpp>

#include "import/onnx_rules.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace gpuadvise::importer {
namespace {

InferredValue broadcast(const NodeView& view) {
  Dims result;
  for (std::size_t i = 0; i < view.inputs.size(); ++i) {
    const GraphValue* value = view.input(i);
    if (value == nullptr || !value->known) {
      return {};
    }
    const Dims& dims = value->shape;
    if (dims.size() > result.size()) {
      result.insert(result.begin(), dims.size() - result.size(), 1);
    }
    for (std::size_t d = 0; d < dims.size(); ++d) {
      std::int64_t& into = result[result.size() - dims.size() + d];
      into = std::max(into, dims[d]);
    }
  }
  return shaped(std::move(result));
}

// Element by element where both are short lists of integers: how exporters compute the shape of a view.
InferredValue arithmetic(const NodeView& view) {
  InferredValue value = broadcast(view);
  const GraphValue* a = view.input(0);
  const GraphValue* b = view.input(1);
  if (a == nullptr || b == nullptr || !a->has_integers || !b->has_integers || a->integers.empty() || b->integers.empty()) {
    return value;
  }
  const std::size_t count = std::max(a->integers.size(), b->integers.size());
  const std::string& op = view.node.op;
  for (std::size_t i = 0; i < count; ++i) {
    // Sizes: far below what overflows.
    const std::int64_t x = std::clamp(a->integers[std::min(i, a->integers.size() - 1)], -k_largest_size, k_largest_size);
    const std::int64_t y = std::clamp(b->integers[std::min(i, b->integers.size() - 1)], -k_largest_size, k_largest_size);
    const double product = static_cast<double>(x) * static_cast<double>(y);
    value.integers.push_back(op == "Add"   ? x + y
                             : op == "Sub" ? x - y
                             : op == "Mul" ? static_cast<std::int64_t>(std::clamp(product, -1e18, 1e18))
                                           : (y == 0 ? 0 : x / y));
  }
  value.has_integers = true;
  return value;
}

InferredValue convolution(const NodeView& view) {
  const bool quantised = view.node.op == "QLinearConv";
  const Dims& x = view.dims(0);
  const Dims& w = view.dims(quantised ? 3 : 1);
  if (x.size() < 3 || w.size() != x.size()) {
    return {};
  }
  const Dims kernel(w.begin() + 2, w.end());
  Dims result = pooled_sizes(view, x, kernel);
  result[1] = w[0];
  return shaped(std::move(result));
}

InferredValue transposed(const NodeView& view) {
  const Dims& x = view.dims(0);
  const Dims& w = view.dims(1);
  if (x.size() < 3 || w.size() != x.size()) {
    return {};
  }
  Dims result = x;
  result[1] = w[1] * std::clamp<std::int64_t>(view.node.integer("group", 1), 1, k_largest_size / std::max<std::int64_t>(w[1], 1));
  const std::size_t spatial = x.size() - 2;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t stride = view.node.element("strides", i, 1);
    const std::int64_t dilation = view.node.element("dilations", i, 1);
    const std::int64_t pads = view.node.element("pads", i, 0) + view.node.element("pads", i + spatial, 0);
    const std::int64_t extra = view.node.element("output_padding", i, 0);
    for (const std::int64_t number : {stride, dilation, pads, extra}) {
      if (number < 0 || number > 1'000'000) {
        return {};
      }
    }
    result[i + 2] = std::max<std::int64_t>(1, stride * (x[i + 2] - 1) + extra + (w[i + 2] - 1) * dilation + 1 - pads);
  }
  return shaped(std::move(result));
}

InferredValue pooling(const NodeView& view) {
  const Dims& x = view.dims(0);
  const OnnxAttribute* kernel = view.node.attribute("kernel_shape");
  if (x.size() < 3 || kernel == nullptr || kernel->ints.size() != x.size() - 2) {
    return {};
  }
  return shaped(pooled_sizes(view, x, kernel->ints));
}

InferredValue global_pooling(const NodeView& view) {
  Dims dims = view.dims(0);
  for (std::size_t i = 2; i < dims.size(); ++i) {
    dims[i] = 1;
  }
  return dims.empty() ? InferredValue{} : shaped(std::move(dims));
}

InferredValue gemm(const NodeView& view) {
  const Dims& a = view.dims(0);
  const Dims& b = view.dims(1);
  if (a.empty() || b.size() != 2) {
    return {};
  }
  std::int64_t rows = a[view.node.integer("transA", 0) != 0 && a.size() > 1 ? 1 : 0];
  return shaped({rows, b[view.node.integer("transB", 0) != 0 ? 0 : 1]});
}

InferredValue product(const NodeView& view) {
  const Dims& a = view.dims(0);
  const Dims& b = view.dims(view.node.op == "QLinearMatMul" ? 3 : 1);
  if (a.empty() || b.empty()) {
    return {};
  }
  if (b.size() == 1) {
    return shaped(Dims(a.begin(), a.end() - 1));
  }
  Dims result = a.size() >= b.size() ? a : b;
  for (std::size_t i = 0; i + 2 < result.size(); ++i) {
    const std::size_t from_end = result.size() - i;
    const std::int64_t of_a = from_end <= a.size() ? a[a.size() - from_end] : 1;
    const std::int64_t of_b = from_end <= b.size() ? b[b.size() - from_end] : 1;
    result[i] = std::max(of_a, of_b);
  }
  result[result.size() - 1] = b.back();
  if (result.size() > 1) {
    result[result.size() - 2] = a.size() > 1 ? a[a.size() - 2] : 1;
  }
  return shaped(std::move(result));
}

InferredValue depth_to_space(const NodeView& view) {
  Dims x = view.dims(0);
  const std::int64_t block = view.node.integer("blocksize", 1);
  if (x.size() != 4 || block < 1 || block > 1024) {
    return {};
  }
  const bool to_space = view.node.op == "DepthToSpace";
  x[1] = to_space ? x[1] / (block * block) : x[1] * block * block;
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    x[i] = to_space ? x[i] * block : x[i] / block;
  }
  return shaped(std::move(x));
}

InferredValue recurrent(const NodeView& view) {
  const Dims& x = view.dims(0);
  const std::int64_t hidden = view.node.integer("hidden_size", 0);
  const OnnxAttribute* direction = view.node.attribute("direction");
  const std::int64_t directions = direction != nullptr && direction->s == "bidirectional" ? 2 : 1;
  return x.size() != 3 || hidden <= 0 ? InferredValue{} : shaped({x[0], directions, x[1], hidden});
}

using Rule = InferredValue (*)(const NodeView&);

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> table = {
      {"Conv", convolution},
      {"ConvInteger", convolution},
      {"QLinearConv", convolution},
      {"ConvTranspose", transposed},
      {"MaxPool", pooling},
      {"AveragePool", pooling},
      {"LpPool", pooling},
      {"GlobalAveragePool", global_pooling},
      {"GlobalMaxPool", global_pooling},
      {"QLinearGlobalAveragePool", global_pooling},
      {"Gemm", gemm},
      {"MatMul", product},
      {"MatMulInteger", product},
      {"QLinearMatMul", product},
      {"Reshape", rule::reshape},
      {"Flatten", rule::flatten},
      {"Transpose", rule::transpose},
      {"Squeeze", rule::squeeze},
      {"Unsqueeze", rule::unsqueeze},
      {"Concat", rule::concat},
      {"Gather", rule::gather},
      {"Slice", rule::slice},
      {"ReduceMean", rule::reduce},
      {"ReduceSum", rule::reduce},
      {"ReduceMax", rule::reduce},
      {"ReduceMin", rule::reduce},
      {"ReduceL2", rule::reduce},
      {"Pad", rule::pad},
      {"Expand", rule::expand},
      {"ConstantOfShape", rule::constant_of_shape},
      {"Shape", rule::shape_of},
      {"Constant", rule::constant},
      {"DepthToSpace", depth_to_space},
      {"SpaceToDepth", depth_to_space},
      {"LSTM", recurrent},
      {"GRU", recurrent},
      {"RNN", recurrent},
      {"Add", arithmetic},
      {"Sub", arithmetic},
      {"Mul", arithmetic},
      {"Div", arithmetic},
      {"Sum", broadcast},
      {"Pow", broadcast},
      {"Max", broadcast},
      {"Min", broadcast},
      {"Mean", broadcast},
      {"Where", broadcast},
      {"Equal", broadcast},
      {"Greater", broadcast},
      {"Less", broadcast},
      {"And", broadcast},
      {"Or", broadcast},
  };
  return table;
}

}  // namespace

double GraphValue::elements() const {
  double product_of = 1;
  for (const std::int64_t dim : shape) {
    product_of *= static_cast<double>(std::max<std::int64_t>(dim, 0));
  }
  return product_of;
}

std::size_t GraphValues::find(const std::string& name) const {
  const auto found = name.empty() ? index_.end() : index_.find(name);
  return found == index_.end() ? k_no_value : found->second;
}

std::size_t GraphValues::add(GraphValue value, const std::string& file) {
  if (!index_.emplace(value.name, values_.size()).second) {
    throw Error(ErrorCode::bad_data, "two values are called '" + value.name.substr(0, 100) + "'", {}, file);
  }
  values_.push_back(std::move(value));
  return values_.size() - 1;
}

const Dims& NodeView::dims(std::size_t index) const {
  static const Dims none;
  const GraphValue* value = input(index);
  return value != nullptr && value->known ? value->shape : none;
}

const std::vector<std::int64_t>* NodeView::integers(std::size_t index, std::string_view attribute) const {
  if (const GraphValue* value = input(index)) {
    return value->has_integers ? &value->integers : nullptr;
  }
  const OnnxAttribute* list = node.attribute(attribute);
  return list == nullptr ? nullptr : &list->ints;
}

Dims pooled_sizes(const NodeView& view, const Dims& input, const Dims& kernel) {
  Dims result = input;
  const std::size_t spatial = input.size() - 2;
  const OnnxAttribute* automatic = view.node.attribute("auto_pad");
  const bool same = automatic != nullptr && automatic->s.starts_with("SAME");
  const bool ceil = view.node.integer("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t stride = view.node.element("strides", i, 1);
    const std::int64_t dilation = view.node.element("dilations", i, 1);
    const std::int64_t front = view.node.element("pads", i, 0);
    const std::int64_t back = view.node.element("pads", i + spatial, 0);
    const auto sane = [](std::int64_t number, std::int64_t least) { return number >= least && number <= 1'000'000; };
    if (!sane(stride, 1) || !sane(dilation, 1) || !sane(front, -1'000'000) || !sane(back, -1'000'000) || !sane(kernel[i], 1)) {
      throw Error(ErrorCode::bad_data, view.node.op + " '" + (view.node.outputs.empty() ? "" : view.node.outputs.front().substr(0, 100)) +
                                           "' has an impossible kernel, stride or padding");
    }
    const std::int64_t covered = dilation * (kernel[i] - 1) + 1;
    const std::int64_t room = same ? input[i + 2] - 1 : input[i + 2] + front + back - covered;
    result[i + 2] = room < 0 ? 0 : (room + (ceil && !same ? stride - 1 : 0)) / stride + 1;
  }
  return result;
}

bool keeps_shape(std::string_view op) {
  static constexpr auto ops = std::to_array<std::string_view>({"Relu",
                                                               "LeakyRelu",
                                                               "PRelu",
                                                               "Clip",
                                                               "Sigmoid",
                                                               "Tanh",
                                                               "HardSwish",
                                                               "HardSigmoid",
                                                               "Gelu",
                                                               "FastGelu",
                                                               "QuickGelu",
                                                               "BiasGelu",
                                                               "Erf",
                                                               "Softmax",
                                                               "LogSoftmax",
                                                               "Softplus",
                                                               "Mish",
                                                               "Elu",
                                                               "Selu",
                                                               "Celu",
                                                               "Swish",
                                                               "LayerNormalization",
                                                               "RMSNormalization",
                                                               "SimplifiedLayerNormalization",
                                                               "SkipLayerNormalization",
                                                               "BatchNormalization",
                                                               "InstanceNormalization",
                                                               "GroupNormalization",
                                                               "LRN",
                                                               "Sqrt",
                                                               "Exp",
                                                               "Log",
                                                               "Neg",
                                                               "Abs",
                                                               "Reciprocal",
                                                               "Ceil",
                                                               "Floor",
                                                               "Round",
                                                               "Sign",
                                                               "Sin",
                                                               "Cos",
                                                               "Not",
                                                               "Cast",
                                                               "Identity",
                                                               "Dropout",
                                                               "QuantizeLinear",
                                                               "DequantizeLinear",
                                                               "DynamicQuantizeLinear",
                                                               "CumSum",
                                                               "IsNaN",
                                                               "Softsign",
                                                               "ThresholdedRelu",
                                                               "Trilu"});
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

InferredValue infer_output(const NodeView& view) {
  const auto rule = rules().find(view.node.op);
  if (rule != rules().end()) {
    return rule->second(view);
  }
  if (const GraphValue* value = view.input(0); value != nullptr && keeps_shape(view.node.op)) {
    return {value->known, value->shape, value->has_integers, value->integers};
  }
  return {};
}

}  // namespace gpuadvise::importer
