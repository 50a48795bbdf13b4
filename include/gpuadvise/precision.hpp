// Number formats of weights, computation and the key-value cache, as the contract names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise {

enum class PrecisionKind : std::uint8_t {
  fp32,
  tf32,
  amp_fp16,
  amp_bf16,
  fp16,
  bf16,
  fp8,
  fp8_dynamic,
  fp8_weight_only,
  fp6,
  fp4,
  int8,
  int8_dynamic,
  int8_weight_only,
  int4,
  int4_dynamic,
  int4_weight_only,
  int8_gptq,
  int4_gptq,
  int3_gptq,
  int4_awq,
  nf4,
  mxfp4,
  mxfp8,
  nvfp4,
  hqq,
  gguf,
  mlx,
  exl2,
};

// File mixes of llama.cpp's quantiser.
enum class GgufMix : std::uint8_t {
  none,
  F32,
  F16,
  BF16,
  Q8_0,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q2_K,
  Q2_K_S,
  Q3_K_S,
  Q3_K_M,
  Q3_K_L,
  Q4_K_S,
  Q4_K_M,
  Q5_K_S,
  Q5_K_M,
  Q6_K,
  IQ1_S,
  IQ1_M,
  IQ2_XXS,
  IQ2_XS,
  IQ2_S,
  IQ2_M,
  IQ3_XXS,
  IQ3_XS,
  IQ3_S,
  IQ3_M,
  IQ4_XS,
  IQ4_NL,
  TQ1_0,
  TQ2_0,
  MXFP4_MOE,
  // Types of the ik_llama.cpp fork and recipes known by name only: sized by gguf_bits, not by the rules of llama.cpp's quantiser.
  Q6_0,
  IQ2_BN,
  IQ2_K,
  IQ3_K,
  IQ4_K,
  IQ5_K,
  IQ6_K,
  IQ4_KS,
  IQ4_KSS,
  Q2_K_XL,
  Q3_K_XL,
  Q4_K_XL,
  Q5_K_XL,
  Q6_K_XL,
  Q8_K_XL,
};

struct Precision {
  PrecisionKind kind = PrecisionKind::fp32;
  GgufMix mix = GgufMix::none;  // gguf only
  double bits = 0.0;            // mlx, exl2: stated bits per weight
  double group = 0.0;           // mlx: quantisation group

  [[nodiscard]] friend constexpr bool operator==(const Precision&, const Precision&) = default;
};

// Accepts the contract's names and common spellings (half, float16, "gguf:Q4_K_M", "mlx:4g64", "exl2:4.65").
[[nodiscard]] std::optional<Precision> parse_precision(std::string_view text);
[[nodiscard]] std::string to_string(const Precision& precision);
[[nodiscard]] std::string_view to_string(GgufMix mix);

// Bits of one weight in the block type that most of the file has, scales included.
[[nodiscard]] double gguf_bits(GgufMix mix);
// Which tensor has which type is not known from the name (forks, hand-made recipes): bounds must be wider.
[[nodiscard]] bool is_custom_recipe(GgufMix mix);

// Bytes of one element in computation and activations (2 for every 16-bit and quantised kind, 4 for fp32 and tf32).
[[nodiscard]] double compute_bytes(const Precision& precision);
[[nodiscard]] bool is_amp(const Precision& precision);
[[nodiscard]] bool is_quantised(const Precision& precision);
// bfloat16 arithmetic is needed (bf16, amp-bf16).
[[nodiscard]] bool uses_bf16(const Precision& precision);

enum class KvType : std::uint8_t { fp32, fp16, bf16, fp8, int8, q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl };
[[nodiscard]] std::optional<KvType> parse_kv_type(std::string_view text);
[[nodiscard]] std::string_view to_string(KvType type);
// Bytes of one cached element, block scales included.
[[nodiscard]] double element_bytes(KvType type);

}  // namespace gpuadvise
