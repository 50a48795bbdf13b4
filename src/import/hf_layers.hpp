// Parts of a shape that config.json spreads over many keys: experts, windows, recurrent layers, towers.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>

#include "import/hf_families.hpp"
#include "import/hf_keys.hpp"

#include <string_view>
#include <vector>

namespace gpuadvise::importer {

void read_experts(const ConfigKeys& keys, std::string_view type, TransformerShape& shape);
void read_windows(const ConfigKeys& keys, const HfFamily& family, TransformerShape& shape);
// Layers with recurrent state, and layers without attention.
void read_recurrent(const ConfigKeys& keys, std::string_view type, TransformerShape& shape);
void read_latent_attention(const ConfigKeys& keys, std::string_view type, TransformerShape& shape, std::vector<Finding>& findings);
// nemotron-nas: every layer has its own heads and width; the shape takes their means.
void read_block_configs(const ConfigKeys& keys, TransformerShape& shape, std::vector<Finding>& findings);
// Parameters of the tower that a vision_config describes, with its projector.
[[nodiscard]] double tower_params(const ConfigKeys& tower, double hidden_of_text);

}  // namespace gpuadvise::importer
