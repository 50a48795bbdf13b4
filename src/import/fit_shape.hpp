// Brings a shape into agreement with the weights that a file holds: those are exact, the shape is by the nearest family.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>

#include "import/tensor_facts.hpp"

#include <string_view>
#include <vector>

namespace gpuadvise::importer {

// `precision`: the format of the file. Bytes are kept only where the file is whole.
void fit_to_tensors(TransformerShape& shape, const TensorFacts& facts, std::string_view precision, std::vector<Finding>& findings);

// A shape from the names and sizes of tensors alone. Throws Error{unsupported} where they name no transformer over tokens.
[[nodiscard]] TransformerShape shape_of_tensors(const TensorFacts& facts);

}  // namespace gpuadvise::importer
