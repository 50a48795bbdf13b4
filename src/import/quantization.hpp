// quantization_config of a model, and what the types of its tensors say, as the precision that requests name.
#pragma once

#include "import/tensor_facts.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace gpuadvise::importer {

struct Quantization {
  std::string precision;  // "int4-awq"; empty = not quantised, or a method that no precision stands for
  std::string method;     // as the file names it
  double bits = 0;        // of a packed weight; 0 = not said
};

[[nodiscard]] Quantization read_quantization(const nlohmann::json& config);

// "bfloat16" -> "bf16"; empty where unknown.
[[nodiscard]] std::string_view precision_of_dtype(std::string_view dtype);
// The format that most of the bytes are in, by the types and names of the tensors.
[[nodiscard]] std::string precision_of_tensors(const TensorFacts& facts, const Quantization& stated);

}  // namespace gpuadvise::importer
