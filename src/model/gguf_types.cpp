#include "model/gguf_types.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::model {
namespace {

struct TypeRow {
  GgufType type;
  BlockLayout layout;
  GgufType fallback;  // F16 where there is none
};

// Counted from the block structs of ggml (ggml-common.h of ggml and of the ik_llama.cpp fork); fallbacks from the
// quantiser of llama.cpp, which needs rows to divide into blocks. In the order of the enumerators.
constexpr auto k_types = std::to_array<TypeRow>({
    {GgufType::F32, {1, 4}, GgufType::F32},
    {GgufType::F16, {1, 2}, GgufType::F16},
    {GgufType::BF16, {1, 2}, GgufType::BF16},
    {GgufType::Q4_0, {32, 18}, GgufType::F16},
    {GgufType::Q4_1, {32, 20}, GgufType::F16},
    {GgufType::Q5_0, {32, 22}, GgufType::F16},
    {GgufType::Q5_1, {32, 24}, GgufType::F16},
    {GgufType::Q8_0, {32, 34}, GgufType::F16},
    {GgufType::Q2_K, {256, 84}, GgufType::Q4_0},
    {GgufType::Q3_K, {256, 110}, GgufType::Q4_0},
    {GgufType::Q4_K, {256, 144}, GgufType::Q5_0},
    {GgufType::Q5_K, {256, 176}, GgufType::Q5_1},
    {GgufType::Q6_K, {256, 210}, GgufType::Q8_0},
    {GgufType::IQ1_S, {256, 50}, GgufType::IQ4_NL},
    {GgufType::IQ1_M, {256, 56}, GgufType::IQ4_NL},
    {GgufType::IQ2_XXS, {256, 66}, GgufType::IQ4_NL},
    {GgufType::IQ2_XS, {256, 74}, GgufType::IQ4_NL},
    {GgufType::IQ2_S, {256, 82}, GgufType::IQ4_NL},
    {GgufType::IQ3_XXS, {256, 98}, GgufType::IQ4_NL},
    {GgufType::IQ3_S, {256, 110}, GgufType::IQ4_NL},
    {GgufType::IQ4_NL, {32, 18}, GgufType::F16},
    {GgufType::IQ4_XS, {256, 136}, GgufType::IQ4_NL},
    {GgufType::TQ1_0, {256, 54}, GgufType::Q4_0},
    {GgufType::TQ2_0, {256, 66}, GgufType::Q4_0},
    {GgufType::MXFP4, {32, 17}, GgufType::F16},
    {GgufType::NVFP4, {64, 36}, GgufType::F16},
    {GgufType::Q6_0, {32, 26}, GgufType::F16},
    {GgufType::IQ2_BN, {64, 16, 4}, GgufType::F16},
    {GgufType::IQ2_K, {256, 76}, GgufType::IQ4_NL},
    {GgufType::IQ3_K, {256, 110}, GgufType::IQ4_NL},
    {GgufType::IQ4_K, {256, 144}, GgufType::IQ4_NL},
    {GgufType::IQ5_K, {256, 176}, GgufType::Q6_0},
    {GgufType::IQ6_K, {256, 212}, GgufType::Q8_0},
    {GgufType::IQ4_KS, {256, 136, 4}, GgufType::IQ4_NL},
    {GgufType::IQ4_KSS, {256, 128, 4}, GgufType::IQ4_NL},
});

constexpr bool in_enumerator_order() {
  for (std::size_t i = 0; i < k_types.size(); ++i) {
    if (static_cast<std::size_t>(k_types[i].type) != i) {
      return false;
    }
  }
  return k_types.size() == static_cast<std::size_t>(GgufType::IQ4_KSS) + 1;
}
static_assert(in_enumerator_order());

const TypeRow& row_of(GgufType type) {
  return k_types[static_cast<std::size_t>(type)];
}

bool divides(const BlockLayout& layout, double columns) {
  return layout.elements == 1.0 || static_cast<long>(columns) % static_cast<long>(layout.elements) == 0;
}

}  // namespace

BlockLayout block_layout(GgufType type) {
  return row_of(type).layout;
}

double bits_per_weight(GgufType type) {
  const BlockLayout& layout = row_of(type).layout;
  return 8.0 * layout.bytes / layout.elements;
}

GgufType fitting_type(GgufType type, double columns) {
  if (divides(row_of(type).layout, columns)) {
    return type;
  }
  const GgufType second = row_of(type).fallback;
  return divides(row_of(second).layout, columns) ? second : GgufType::F16;
}

double gguf_tensor_bytes(GgufType type, double columns, double rows) {
  const BlockLayout& layout = row_of(type).layout;
  return (std::ceil(columns / layout.elements) * layout.bytes + layout.row_bytes) * rows;
}

}  // namespace gpuadvise::model
