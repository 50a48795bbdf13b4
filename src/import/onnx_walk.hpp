// Follows an ONNX graph from its inputs: the shape of every value, weights, multiply-adds, and the operators in order.
#pragma once

#include "import/onnx_file.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace gpuadvise::importer {

using Dims = std::vector<std::int64_t>;

enum class OnnxStepKind : std::uint8_t {
  convolution,
  transposed_convolution,
  linear,   // a product with weights
  product,  // of two activations
  batchnorm,
  layernorm,
  groupnorm,
  instancenorm,
  relu,
  sigmoid,     // its output is kept for the backward pass
  activation,  // its input is
  add,
  multiply,
  concat,
  maxpool,
  avgpool,
  global_pool,
  resize,
  dropout,
  view,
  copy,
};

inline constexpr std::size_t k_no_value = static_cast<std::size_t>(-1);

// One operator with its values resolved.
struct OnnxStep {
  OnnxStepKind kind = OnnxStepKind::view;
  std::size_t input = k_no_value;
  std::size_t second = k_no_value;  // k_no_value: a constant
  std::size_t output = k_no_value;
  Dims kernel;
  Dims strides;
  Dims dilations;
  double groups = 1;
  double outputs = 0;  // channels, features
  bool bias = false;
  bool shared_weights = false;  // already counted
};

struct OnnxWalk {
  std::vector<Dims> shapes;  // of the values that steps name
  std::vector<OnnxStep> steps;
  std::size_t image = k_no_value;  // the first input that is no constant
  double params = 0;
  double buffers = 0;
  double weight_bytes = 0;
  double macs = 0;
  double activations = 0;  // outputs of products, elements
  double batch = 1;
  bool integer_weights = false;
  bool half_weights = false;
  std::set<std::string> unknown;  // operators that were passed through
  std::set<std::string> nested;   // operators with graphs of their own
};

struct OnnxWalkOptions {
  std::int64_t batch = 1;
  std::int64_t image = 224;     // where the file leaves height and width open
  std::int64_t sequence = 128;  // where it leaves a length open
};

// Throws Error{bad_data} where the graph cannot be followed.
[[nodiscard]] OnnxWalk walk_onnx(const OnnxGraph& graph, const OnnxWalkOptions& options, const std::string& file);

}  // namespace gpuadvise::importer
