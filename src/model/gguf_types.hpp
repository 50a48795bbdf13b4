// Storage types of a GGUF file and the blocks they are laid out in.
#pragma once

#include <gpuadvise/precision.hpp>

#include <cstdint>

namespace gpuadvise::model {

enum class GgufType : std::uint8_t {
  F32,
  F16,
  BF16,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  IQ1_S,
  IQ1_M,
  IQ2_XXS,
  IQ2_XS,
  IQ2_S,
  IQ3_XXS,
  IQ3_S,
  IQ4_NL,
  IQ4_XS,
  TQ1_0,
  TQ2_0,
  MXFP4,
  NVFP4,
  // The ik_llama.cpp fork
  Q6_0,
  IQ2_BN,
  IQ2_K,
  IQ3_K,
  IQ4_K,
  IQ5_K,
  IQ6_K,
  IQ4_KS,
  IQ4_KSS,
};

struct BlockLayout {
  double elements = 1.0;
  double bytes = 4.0;
  double row_bytes = 0.0;  // a scale of its own for each row
};

[[nodiscard]] BlockLayout block_layout(GgufType type);
[[nodiscard]] double bits_per_weight(GgufType type);
// The type itself where rows divide into its blocks, else the one llama.cpp's quantiser falls back to.
[[nodiscard]] GgufType fitting_type(GgufType type, double columns);
// Bytes of rows x columns elements; rows are stored as whole blocks.
[[nodiscard]] double gguf_tensor_bytes(GgufType type, double columns, double rows);

}  // namespace gpuadvise::model
