// The metadata of a GGUF file as a transformer's shape, and the mix that its tensors' types are.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>

#include "import/gguf.hpp"

#include <span>
#include <string>
#include <vector>

namespace gpuadvise::importer {

struct GgufModel {
  TransformerShape shape;
  Field field = Field::language;
  std::string architecture;
  std::string name;
  std::string precision;  // "gguf:Q4_K_M"
  TensorFacts facts;
  std::vector<Finding> findings;
};

// `tensors`: of all parts of a split model; empty where parts are missing. Throws Error{bad_data}, Error{unsupported}.
[[nodiscard]] GgufModel gguf_model(const GgufHeader& header, std::span<const FileTensor> tensors, const std::string& file);

}  // namespace gpuadvise::importer
