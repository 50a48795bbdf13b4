// A network in an ONNX file as the profile that memory and speed are estimated from.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>

#include "import/byte_source.hpp"

#include <string>
#include <vector>

namespace gpuadvise::importer {

struct OnnxModel {
  ImageProfile profile;
  std::string name;
  std::string producer;
  std::string precision;  // of the weights: "fp32", "fp16", "int8"
  double weight_bytes = 0;
  double nodes = 0;
  std::vector<Finding> findings;
};

// Throws Error{bad_data} for a malformed file or a graph that cannot be followed.
[[nodiscard]] OnnxModel onnx_model(const ByteSource& source);

}  // namespace gpuadvise::importer
