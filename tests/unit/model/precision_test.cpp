#include <gpuadvise/precision.hpp>

#include "catch.hpp"

#include <string>

namespace gpuadvise {

TEST_CASE("precisions read back as the contract names them") {
  for (const char* name : {"fp32",
                           "tf32",
                           "amp-fp16",
                           "amp-bf16",
                           "fp16",
                           "bf16",
                           "fp8",
                           "fp8-dynamic",
                           "fp8-weight-only",
                           "fp6",
                           "fp4",
                           "int8",
                           "int8-dynamic",
                           "int8-weight-only",
                           "int4",
                           "int4-dynamic",
                           "int4-weight-only",
                           "int8-gptq",
                           "int4-gptq",
                           "int3-gptq",
                           "int4-awq",
                           "nf4",
                           "mxfp4",
                           "mxfp8",
                           "nvfp4",
                           "hqq",
                           "gguf:Q4_K_M",
                           "gguf:IQ2_XXS",
                           "gguf:MXFP4_MOE",
                           "gguf:F16",
                           "mlx:4g64",
                           "exl2:4.65"}) {
    INFO(name);
    const auto precision = parse_precision(name);
    REQUIRE(precision);
    CHECK(to_string(*precision) == name);
  }
}

TEST_CASE("precisions forgive case, separators and common names") {
  const auto kind = [](std::string_view text) { return parse_precision(text)->kind; };
  CHECK(kind("half") == PrecisionKind::fp16);
  CHECK(kind("float16") == PrecisionKind::fp16);
  CHECK(kind("BFloat16") == PrecisionKind::bf16);
  CHECK(kind("AMP_BF16") == PrecisionKind::amp_bf16);
  CHECK(kind("int4_awq") == PrecisionKind::int4_awq);
  CHECK(parse_precision("q4_k_m")->mix == GgufMix::Q4_K_M);
  CHECK(parse_precision("gguf:q4_k")->mix == GgufMix::Q4_K_M);
  CHECK(parse_precision("mlx:8bit")->group == 64.0);
  CHECK(parse_precision("exl2:4.25bpw")->bits == 4.25);
}

TEST_CASE("types of forks and hand-made recipes have bits") {
  CHECK(gguf_bits(parse_precision("gguf:IQ3_K")->mix) == 3.4375);
  CHECK(parse_precision("gguf:IQ2_K_R4")->mix == GgufMix::IQ2_K);
  CHECK(parse_precision("gguf:Q4_K_R4")->mix == GgufMix::Q4_K_M);
  CHECK(parse_precision("gguf:Q8_0_R8")->mix == GgufMix::Q8_0);
  CHECK(parse_precision("gguf:IQ1_S_R4")->mix == GgufMix::IQ1_S);
  CHECK(parse_precision("gguf:UD-Q4_K_XL")->mix == GgufMix::Q4_K_XL);
  CHECK(is_custom_recipe(GgufMix::Q4_K_XL));
  CHECK_FALSE(is_custom_recipe(GgufMix::Q4_K_M));
}

TEST_CASE("what is no precision is refused") {
  for (const char* text : {"", "fp12", "gguf:", "gguf:CUSTOM", "gguf:unknown, may not work", "int8/fp8 (99)", "mlx:", "mlx:0g64", "mlx:4g",
                           "exl2:", "exl2:99", "exl2:nan", "hqq attn4/moe3", "_R4", "UD-"}) {
    INFO(text);
    CHECK_FALSE(parse_precision(text));
  }
  CHECK_FALSE(parse_precision(std::string(1 << 20, 'f')));
}

TEST_CASE("bytes of computation") {
  CHECK(compute_bytes(*parse_precision("fp32")) == 4.0);
  CHECK(compute_bytes(*parse_precision("tf32")) == 4.0);
  CHECK(compute_bytes(*parse_precision("amp-fp16")) == 2.0);
  CHECK(compute_bytes(*parse_precision("int4-awq")) == 2.0);
  CHECK(compute_bytes(*parse_precision("gguf:F32")) == 4.0);
}

TEST_CASE("kinds of precision") {
  CHECK(is_amp(*parse_precision("amp-bf16")));
  CHECK_FALSE(is_amp(*parse_precision("bf16")));
  CHECK(is_quantised(*parse_precision("gguf:Q8_0")));
  CHECK_FALSE(is_quantised(*parse_precision("gguf:BF16")));
  CHECK_FALSE(is_quantised(*parse_precision("tf32")));
  CHECK(uses_bf16(*parse_precision("amp-bf16")));
  CHECK_FALSE(uses_bf16(*parse_precision("fp8")));
}

TEST_CASE("cache types") {
  for (const KvType type : {KvType::fp32, KvType::fp16, KvType::bf16, KvType::fp8, KvType::int8, KvType::q8_0, KvType::q5_1, KvType::q5_0,
                            KvType::q4_1, KvType::q4_0, KvType::iq4_nl}) {
    CHECK(parse_kv_type(to_string(type)) == type);
  }
  CHECK(element_bytes(KvType::q8_0) == 1.0625);
  CHECK(element_bytes(KvType::q4_0) == 0.5625);
  CHECK(element_bytes(KvType::bf16) == 2.0);
  CHECK_FALSE(parse_kv_type("q3_0"));
}

}  // namespace gpuadvise
