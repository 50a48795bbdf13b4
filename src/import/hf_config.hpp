// config.json of a model on the Hugging Face hub, as a transformer's shape.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>

#include "import/quantization.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::importer {

struct HfConfig {
  TransformerShape shape;  // its counts are those of the shape
  Field field = Field::language;
  std::string model_type;
  std::string family;
  std::string dtype;  // as the file writes it; may be empty
  Quantization quantization;
  std::vector<Finding> findings;
  bool known = true;  // the model class is one of the table's
};

inline constexpr std::size_t k_largest_config = 4UL * 1024 * 1024;

// Throws Error{bad_data} for a malformed file, Error{unsupported} for what is no transformer over tokens.
[[nodiscard]] HfConfig read_hf_config(std::string_view text, const std::string& file);

// What is said of an architecture (quoted) that no table knows; its shape's nearest_family is set beside it.
[[nodiscard]] Finding nearest_family_finding(const std::string& architecture);

// Counts parameters anew, after the shape was corrected by what a weight file says.
void count_shape(TransformerShape& shape);

}  // namespace gpuadvise::importer
