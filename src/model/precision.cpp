#include <gpuadvise/precision.hpp>
#include <gpuadvise/units.hpp>

#include <array>
#include <cctype>
#include <cstdio>

namespace gpuadvise {
namespace {

struct KindName {
  std::string_view name;
  PrecisionKind kind;
};

// The contract's names, in the order of the enumerators; gguf, mlx and exl2 carry an argument and are written apart.
constexpr auto k_kinds = std::to_array<KindName>({
    {"fp32", PrecisionKind::fp32},
    {"tf32", PrecisionKind::tf32},
    {"amp-fp16", PrecisionKind::amp_fp16},
    {"amp-bf16", PrecisionKind::amp_bf16},
    {"fp16", PrecisionKind::fp16},
    {"bf16", PrecisionKind::bf16},
    {"fp8", PrecisionKind::fp8},
    {"fp8-dynamic", PrecisionKind::fp8_dynamic},
    {"fp8-weight-only", PrecisionKind::fp8_weight_only},
    {"fp6", PrecisionKind::fp6},
    {"fp4", PrecisionKind::fp4},
    {"int8", PrecisionKind::int8},
    {"int8-dynamic", PrecisionKind::int8_dynamic},
    {"int8-weight-only", PrecisionKind::int8_weight_only},
    {"int4", PrecisionKind::int4},
    {"int4-dynamic", PrecisionKind::int4_dynamic},
    {"int4-weight-only", PrecisionKind::int4_weight_only},
    {"int8-gptq", PrecisionKind::int8_gptq},
    {"int4-gptq", PrecisionKind::int4_gptq},
    {"int3-gptq", PrecisionKind::int3_gptq},
    {"int4-awq", PrecisionKind::int4_awq},
    {"nf4", PrecisionKind::nf4},
    {"mxfp4", PrecisionKind::mxfp4},
    {"mxfp8", PrecisionKind::mxfp8},
    {"nvfp4", PrecisionKind::nvfp4},
    {"hqq", PrecisionKind::hqq},
});
static_assert(k_kinds.size() == static_cast<std::size_t>(PrecisionKind::gguf));

constexpr auto k_kind_synonyms = std::to_array<KindName>({
    {"float32", PrecisionKind::fp32},
    {"float", PrecisionKind::fp32},
    {"f32", PrecisionKind::fp32},
    {"32", PrecisionKind::fp32},
    {"single", PrecisionKind::fp32},
    {"tensorfloat32", PrecisionKind::tf32},
    {"half", PrecisionKind::fp16},
    {"float16", PrecisionKind::fp16},
    {"f16", PrecisionKind::fp16},
    {"fp16-true", PrecisionKind::fp16},
    {"bfloat16", PrecisionKind::bf16},
    {"bf16-true", PrecisionKind::bf16},
    {"amp", PrecisionKind::amp_fp16},
    {"fp16-mixed", PrecisionKind::amp_fp16},
    {"16-mixed", PrecisionKind::amp_fp16},
    {"mixed-fp16", PrecisionKind::amp_fp16},
    {"fp16-amp", PrecisionKind::amp_fp16},
    {"amp-bfloat16", PrecisionKind::amp_bf16},
    {"bf16-mixed", PrecisionKind::amp_bf16},
    {"mixed-bf16", PrecisionKind::amp_bf16},
    {"bf16-amp", PrecisionKind::amp_bf16},
    {"float8", PrecisionKind::fp8},
    {"fp8-e4m3", PrecisionKind::fp8},
    {"fp8-weightonly", PrecisionKind::fp8_weight_only},
    {"8bit", PrecisionKind::int8},
    {"int-8", PrecisionKind::int8},
    {"4bit", PrecisionKind::int4},
    {"full-bf16", PrecisionKind::bf16},
    {"pure-bf16", PrecisionKind::bf16},
    {"full-fp16", PrecisionKind::fp16},
    {"pure-fp16", PrecisionKind::fp16},
    {"w8a8", PrecisionKind::int8},
    {"w4a16", PrecisionKind::int4},
    {"gptq", PrecisionKind::int4_gptq},
    {"gptq-int4", PrecisionKind::int4_gptq},
    {"gptq-int8", PrecisionKind::int8_gptq},
    {"awq", PrecisionKind::int4_awq},
    {"awq-int4", PrecisionKind::int4_awq},
    {"bnb-4bit", PrecisionKind::nf4},
    {"bnb-nf4", PrecisionKind::nf4},
    {"mixed", PrecisionKind::amp_fp16},
    {"fp16-fp32", PrecisionKind::amp_fp16},
    {"fp8-e5m2", PrecisionKind::fp8},
    {"w8a8-fp8", PrecisionKind::fp8},
    {"fp8-w8a8", PrecisionKind::fp8},
    {"w8a16", PrecisionKind::int8_weight_only},
    {"int8-bnb", PrecisionKind::int8},
    {"bnb-int8", PrecisionKind::int8},
    {"llm-int8", PrecisionKind::int8},
    {"llm.int8", PrecisionKind::int8},
    {"w8a8-int8", PrecisionKind::int8},
    {"gptq-4bit", PrecisionKind::int4_gptq},
    {"gptq-8bit", PrecisionKind::int8_gptq},
    {"gptq-3bit", PrecisionKind::int3_gptq},
    {"awq-4bit", PrecisionKind::int4_awq},
    {"nf4-dq", PrecisionKind::nf4},
    {"int4-hqq", PrecisionKind::hqq},
    {"q4f16-1", PrecisionKind::int4},
    {"q4f16", PrecisionKind::int4},
    {"int4-bnb", PrecisionKind::nf4},
});

struct MixRow {
  GgufMix mix;
  std::string_view name;
  double bits;  // of the base block type, counted from its layout (ggml-common.h): bytes of a block x 8 / weights in it
  bool custom;
};

// In the order of the enumerators. The fork's types: ik_llama.cpp's block layouts; *_XL: the base type of recipes that keep
// embeddings and some attention tensors in a better one, so their files are larger than these bits say.
constexpr auto k_mixes = std::to_array<MixRow>({
    {GgufMix::none, "", 0.0, false},
    {GgufMix::F32, "F32", 32.0, false},
    {GgufMix::F16, "F16", 16.0, false},
    {GgufMix::BF16, "BF16", 16.0, false},
    {GgufMix::Q8_0, "Q8_0", 8.5, false},
    {GgufMix::Q4_0, "Q4_0", 4.5, false},
    {GgufMix::Q4_1, "Q4_1", 5.0, false},
    {GgufMix::Q5_0, "Q5_0", 5.5, false},
    {GgufMix::Q5_1, "Q5_1", 6.0, false},
    {GgufMix::Q2_K, "Q2_K", 2.625, false},
    {GgufMix::Q2_K_S, "Q2_K_S", 2.625, false},
    {GgufMix::Q3_K_S, "Q3_K_S", 3.4375, false},
    {GgufMix::Q3_K_M, "Q3_K_M", 3.4375, false},
    {GgufMix::Q3_K_L, "Q3_K_L", 3.4375, false},
    {GgufMix::Q4_K_S, "Q4_K_S", 4.5, false},
    {GgufMix::Q4_K_M, "Q4_K_M", 4.5, false},
    {GgufMix::Q5_K_S, "Q5_K_S", 5.5, false},
    {GgufMix::Q5_K_M, "Q5_K_M", 5.5, false},
    {GgufMix::Q6_K, "Q6_K", 6.5625, false},
    {GgufMix::IQ1_S, "IQ1_S", 1.5625, false},
    {GgufMix::IQ1_M, "IQ1_M", 1.75, false},
    {GgufMix::IQ2_XXS, "IQ2_XXS", 2.0625, false},
    {GgufMix::IQ2_XS, "IQ2_XS", 2.3125, false},
    {GgufMix::IQ2_S, "IQ2_S", 2.3125, false},
    {GgufMix::IQ2_M, "IQ2_M", 2.5625, false},
    {GgufMix::IQ3_XXS, "IQ3_XXS", 3.0625, false},
    {GgufMix::IQ3_XS, "IQ3_XS", 3.4375, false},
    {GgufMix::IQ3_S, "IQ3_S", 3.4375, false},
    {GgufMix::IQ3_M, "IQ3_M", 3.4375, false},
    {GgufMix::IQ4_XS, "IQ4_XS", 4.25, false},
    {GgufMix::IQ4_NL, "IQ4_NL", 4.5, false},
    {GgufMix::TQ1_0, "TQ1_0", 1.6875, false},
    {GgufMix::TQ2_0, "TQ2_0", 2.0625, false},
    {GgufMix::MXFP4_MOE, "MXFP4_MOE", 4.25, false},
    {GgufMix::Q6_0, "Q6_0", 6.5, true},
    {GgufMix::IQ2_BN, "IQ2_BN", 2.0, true},
    {GgufMix::IQ2_K, "IQ2_K", 2.375, true},
    {GgufMix::IQ3_K, "IQ3_K", 3.4375, true},
    {GgufMix::IQ4_K, "IQ4_K", 4.5, true},
    {GgufMix::IQ5_K, "IQ5_K", 5.5, true},
    {GgufMix::IQ6_K, "IQ6_K", 6.625, true},
    {GgufMix::IQ4_KS, "IQ4_KS", 4.25, true},
    {GgufMix::IQ4_KSS, "IQ4_KSS", 4.0, true},
    {GgufMix::Q2_K_XL, "Q2_K_XL", 2.625, true},
    {GgufMix::Q3_K_XL, "Q3_K_XL", 3.4375, true},
    {GgufMix::Q4_K_XL, "Q4_K_XL", 4.5, true},
    {GgufMix::Q5_K_XL, "Q5_K_XL", 5.5, true},
    {GgufMix::Q6_K_XL, "Q6_K_XL", 6.5625, true},
    {GgufMix::Q8_K_XL, "Q8_K_XL", 8.5, true},
});
static_assert(k_mixes.size() == static_cast<std::size_t>(GgufMix::Q8_K_XL) + 1);

constexpr bool mixes_in_order() {
  for (std::size_t i = 0; i < k_mixes.size(); ++i) {
    if (static_cast<std::size_t>(k_mixes[i].mix) != i) {
      return false;
    }
  }
  return true;
}
static_assert(mixes_in_order());

struct KvRow {
  KvType type;
  std::string_view name;
  double bytes;
};
// Quantised types hold 32 elements with a 16-bit scale (and a minimum in the _1 types).
constexpr auto k_kv_types = std::to_array<KvRow>({
    {KvType::fp32, "fp32", 4.0},
    {KvType::fp16, "fp16", 2.0},
    {KvType::bf16, "bf16", 2.0},
    {KvType::fp8, "fp8", 1.0},
    {KvType::int8, "int8", 1.0},
    {KvType::q8_0, "q8_0", 34.0 / 32.0},
    {KvType::q5_1, "q5_1", 24.0 / 32.0},
    {KvType::q5_0, "q5_0", 22.0 / 32.0},
    {KvType::q4_1, "q4_1", 20.0 / 32.0},
    {KvType::q4_0, "q4_0", 18.0 / 32.0},
    {KvType::iq4_nl, "iq4_nl", 18.0 / 32.0},
});

char fold(char c) {
  return c == '_' || c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (fold(a[i]) != fold(b[i])) {
      return false;
    }
  }
  return true;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && same(text.substr(0, prefix.size()), prefix);
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && same(text.substr(text.size() - suffix.size()), suffix);
}

std::optional<GgufMix> parse_mix(std::string_view text) {
  if (starts_with(text, "UD-")) {
    text.remove_prefix(3);
  }
  // Interleaved rows change the order of the bytes, not their number.
  for (const std::string_view rows : {"_R4", "_R8", "_R16"}) {
    if (ends_with(text, rows)) {
      text.remove_suffix(rows.size());
      break;
    }
  }
  for (const MixRow& row : k_mixes) {
    if (same(text, row.name) && !text.empty()) {
      return row.mix;
    }
  }
  // llama.cpp's quantiser takes the bare name for the medium mix.
  if (same(text, "Q3_K")) {
    return GgufMix::Q3_K_M;
  }
  if (same(text, "Q4_K")) {
    return GgufMix::Q4_K_M;
  }
  if (same(text, "Q5_K")) {
    return GgufMix::Q5_K_M;
  }
  if (same(text, "MXFP4")) {
    return GgufMix::MXFP4_MOE;
  }
  return std::nullopt;
}

// "4g64", "4bit", "4": bits and group.
std::optional<Precision> parse_mlx(std::string_view text) {
  if (ends_with(text, "bit")) {
    text.remove_suffix(3);
  }
  const auto at = text.find_first_of("gG");
  const auto bits = parse_number(text.substr(0, at));
  const auto group = at == std::string_view::npos ? std::optional<double>(64.0) : parse_number(text.substr(at + 1));
  if (!bits || !group || !(*bits >= 1.0 && *bits <= 8.0) || !(*group >= 16.0 && *group <= 4096.0)) {
    return std::nullopt;
  }
  return Precision{PrecisionKind::mlx, GgufMix::none, *bits, *group};
}

std::optional<Precision> parse_exl2(std::string_view text) {
  if (ends_with(text, "bpw")) {
    text.remove_suffix(3);
  }
  const auto bits = parse_number(text);
  if (!bits || !(*bits >= 1.0 && *bits <= 16.0)) {
    return std::nullopt;
  }
  return Precision{PrecisionKind::exl2, GgufMix::none, *bits, 0.0};
}

std::string number(double value) {
  std::array<char, 32> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::optional<Precision> parse_precision(std::string_view text) {
  if (text.empty() || text.size() > 40) {
    return std::nullopt;
  }
  for (const KindName& row : k_kinds) {
    if (same(text, row.name)) {
      return Precision{row.kind, GgufMix::none, 0.0, 0.0};
    }
  }
  if (starts_with(text, "gguf:")) {
    const auto mix = parse_mix(text.substr(5));
    return mix ? std::optional<Precision>(Precision{PrecisionKind::gguf, *mix, 0.0, 0.0}) : std::nullopt;
  }
  if (starts_with(text, "mlx:")) {
    return parse_mlx(text.substr(4));
  }
  if (starts_with(text, "exl2:")) {
    return parse_exl2(text.substr(5));
  }
  for (const KindName& row : k_kind_synonyms) {
    if (same(text, row.name)) {
      return Precision{row.kind, GgufMix::none, 0.0, 0.0};
    }
  }
  // "Q4" alone is what people call the usual download of that width.
  struct Width {
    std::string_view name;
    GgufMix mix;
  };
  static constexpr auto widths = std::to_array<Width>(
      {{"q3", GgufMix::Q3_K_M}, {"q4", GgufMix::Q4_K_M}, {"q5", GgufMix::Q5_K_M}, {"q6", GgufMix::Q6_K}, {"q8", GgufMix::Q8_0}});
  for (const Width& width : widths) {
    if (same(text, width.name)) {
      return Precision{PrecisionKind::gguf, width.mix, 0.0, 0.0};
    }
  }
  // "q4_k_m" alone can mean nothing else.
  if (const auto mix = parse_mix(text)) {
    return Precision{PrecisionKind::gguf, *mix, 0.0, 0.0};
  }
  return std::nullopt;
}

std::string_view to_string(GgufMix mix) {
  return k_mixes[static_cast<std::size_t>(mix)].name;
}

std::string to_string(const Precision& precision) {
  switch (precision.kind) {
    case PrecisionKind::gguf:
      return "gguf:" + std::string(to_string(precision.mix));
    case PrecisionKind::mlx:
      return "mlx:" + number(precision.bits) + "g" + number(precision.group);
    case PrecisionKind::exl2:
      return "exl2:" + number(precision.bits);
    default:
      return std::string(k_kinds[static_cast<std::size_t>(precision.kind)].name);
  }
}

double gguf_bits(GgufMix mix) {
  return k_mixes[static_cast<std::size_t>(mix)].bits;
}

bool is_custom_recipe(GgufMix mix) {
  return k_mixes[static_cast<std::size_t>(mix)].custom;
}

double compute_bytes(const Precision& precision) {
  switch (precision.kind) {
    case PrecisionKind::fp32:
    case PrecisionKind::tf32:
      return 4.0;
    case PrecisionKind::gguf:
      return precision.mix == GgufMix::F32 ? 4.0 : 2.0;
    default:
      return 2.0;
  }
}

bool is_amp(const Precision& precision) {
  return precision.kind == PrecisionKind::amp_fp16 || precision.kind == PrecisionKind::amp_bf16;
}

bool is_quantised(const Precision& precision) {
  switch (precision.kind) {
    case PrecisionKind::fp32:
    case PrecisionKind::tf32:
    case PrecisionKind::amp_fp16:
    case PrecisionKind::amp_bf16:
    case PrecisionKind::fp16:
    case PrecisionKind::bf16:
      return false;
    case PrecisionKind::gguf:
      return precision.mix != GgufMix::F32 && precision.mix != GgufMix::F16 && precision.mix != GgufMix::BF16;
    default:
      return true;
  }
}

bool uses_bf16(const Precision& precision) {
  return precision.kind == PrecisionKind::bf16 || precision.kind == PrecisionKind::amp_bf16;
}

std::optional<KvType> parse_kv_type(std::string_view text) {
  for (const KvRow& row : k_kv_types) {
    if (same(text, row.name)) {
      return row.type;
    }
  }
  struct Synonym {
    std::string_view name;
    KvType type;
  };
  static constexpr auto synonyms = std::to_array<Synonym>({{"f32", KvType::fp32},
                                                           {"float32", KvType::fp32},
                                                           {"f16", KvType::fp16},
                                                           {"half", KvType::fp16},
                                                           {"float16", KvType::fp16},
                                                           {"bfloat16", KvType::bf16},
                                                           {"float8", KvType::fp8},
                                                           {"fp8-e4m3", KvType::fp8},
                                                           {"fp8-e5m2", KvType::fp8},
                                                           {"q8", KvType::q8_0},
                                                           {"int4", KvType::q4_0},
                                                           {"q4", KvType::q4_0}});
  for (const Synonym& synonym : synonyms) {
    if (same(text, synonym.name)) {
      return synonym.type;
    }
  }
  return std::nullopt;
}

std::string_view to_string(KvType type) {
  return k_kv_types[static_cast<std::size_t>(type)].name;
}

double element_bytes(KvType type) {
  return k_kv_types[static_cast<std::size_t>(type)].bytes;
}

}  // namespace gpuadvise
