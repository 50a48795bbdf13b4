// An ONNX model as its file states it: nodes, initializers, inputs. Weights are counted, not read.
#pragma once

#include "import/byte_source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::importer {

// A dimension that the file leaves open ("batch").
inline constexpr std::int64_t k_open_dimension = -1;

struct OnnxTensor {
  std::string name;
  std::vector<std::int64_t> dims;
  int type = 0;                    // TensorProto.DataType
  std::vector<std::int64_t> ints;  // of integer tensors up to 1024 elements
  bool external = false;

  [[nodiscard]] double elements() const;
};

struct OnnxAttribute {
  std::string name;
  std::int64_t i = 0;
  float f = 0;
  std::string s;
  std::vector<std::int64_t> ints;
  std::vector<OnnxTensor> tensors;  // one at most
  bool graph = false;
};

struct OnnxNode {
  std::string op;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<OnnxAttribute> attributes;

  [[nodiscard]] const OnnxAttribute* attribute(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  // Element `index` of a list; the fallback where the list is shorter.
  [[nodiscard]] std::int64_t element(std::string_view name, std::size_t index, std::int64_t fallback) const;
};

struct OnnxValue {
  std::string name;
  int type = 0;
  std::optional<std::vector<std::int64_t>> shape;
};

struct OnnxGraph {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;
  std::vector<OnnxValue> values;
  std::string producer;
  std::string name;
  std::vector<std::string> external_files;  // where weights lie beside the model
};

// Throws Error{bad_data} with the byte where the file cannot be meant.
[[nodiscard]] OnnxGraph read_onnx(const ByteSource& source);

// Bits of an element of a TensorProto.DataType; 0 where unknown.
[[nodiscard]] double onnx_type_bits(int type);
// Weights are stored in it: floating point, or the small integers of quantised models.
[[nodiscard]] bool onnx_weight_type(int type);

}  // namespace gpuadvise::importer
