// Values of an ONNX graph while it is followed: shapes, and the small integers that other shapes are made of.
#pragma once

#include "import/onnx_file.hpp"
#include "import/onnx_walk.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace gpuadvise::importer {

struct GraphValue {
  std::string name;
  Dims shape;
  bool known = false;     // the shape is
  bool constant = false;  // the same for every input
  bool counted = false;   // as weights
  int type = 1;
  bool has_integers = false;
  std::vector<std::int64_t> integers;  // elements, where they are few

  [[nodiscard]] double elements() const;
};

class GraphValues {
 public:
  // k_no_value for an optional input that is left out, or a value that nothing made.
  [[nodiscard]] std::size_t find(const std::string& name) const;
  // Throws Error{bad_data} where the name is taken.
  std::size_t add(GraphValue value, const std::string& file);
  [[nodiscard]] GraphValue& operator[](std::size_t index) { return values_[index]; }
  [[nodiscard]] const GraphValue& operator[](std::size_t index) const { return values_[index]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  std::vector<GraphValue> values_;
  std::unordered_map<std::string, std::size_t> index_;
};

// A node with its inputs found.
struct NodeView {
  const OnnxNode& node;
  const GraphValues& values;
  std::vector<std::size_t> inputs;

  [[nodiscard]] const GraphValue* input(std::size_t index) const {
    return index < inputs.size() && inputs[index] != k_no_value ? &values[inputs[index]] : nullptr;
  }
  // Dimensions of an input; empty where unknown.
  [[nodiscard]] const Dims& dims(std::size_t index) const;
  // Integers of an input, or of the attribute that older operator sets have in its place; null where not known.
  [[nodiscard]] const std::vector<std::int64_t>* integers(std::size_t index, std::string_view attribute) const;
};

// Shape of the first output; `known` is false where this operator's rule needs what is not known.
struct InferredValue {
  bool known = false;
  Dims shape;
  bool has_integers = false;
  std::vector<std::int64_t> integers;
};
[[nodiscard]] InferredValue infer_output(const NodeView& view);
// Operators whose output has the shape of their first input.
[[nodiscard]] bool keeps_shape(std::string_view op);

// Spatial sizes of a convolution's or pooling's output. Throws Error{bad_data} for impossible attributes.
[[nodiscard]] Dims pooled_sizes(const NodeView& view, const Dims& input, const Dims& kernel);

}  // namespace gpuadvise::importer
