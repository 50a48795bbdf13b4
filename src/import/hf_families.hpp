// What a model class of Hugging Face's transformers is like where its config.json does not say.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuadvise::importer {

enum class Layout : std::uint8_t { decoder, encoder, encoder_decoder, speech };

struct HfFamily {
  std::string_view type;    // model_type
  std::string_view family;  // as the catalog groups models
  Layout layout = Layout::decoder;
  bool tied = false;
  bool gated = true;
  bool bias = false;
  bool qkv_bias = false;
  bool fused_qkv = false;
  bool fused_gate_up = false;
  bool positions = false;    // learned position rows
  double head_dim = 0;       // where the class fixes it; 0 = hidden / heads
  double window = 0;         // where the class has one
  double window_period = 0;  // one layer in so many is global; 0 = windows, if any, are in every layer
};

// Null for a type that is not known. "x_text" is found as "x".
[[nodiscard]] const HfFamily* find_family(std::string_view model_type);
[[nodiscard]] std::size_t family_count();

}  // namespace gpuadvise::importer
