// Which type each tensor of a named llama.cpp mix ("Q4_K_M") gets, and so the exact size of its file.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/precision.hpp>

#include "model/gguf_types.hpp"
#include "model/inventory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuadvise::model {

// Tensors that the quantiser's rules tell apart.
enum class MixPart : std::uint8_t { attention_v, attention_k, attention_q, attention_qkv, attention_output, ffn_down, ffn_gate_up, other };
inline constexpr std::size_t k_mix_parts = static_cast<std::size_t>(MixPart::other) + 1;

// When a rule holds for a tensor.
enum class MixCondition : std::uint8_t {
  always,
  first_eighth,  // of the layers
  first_sixteenth,
  inner_layers,  // all but the first and last eighth
  extra_bits,    // the first and last eighth, and every third layer between
  first_two,
  first_four,
  grouped_by_four,      // at least 4 query heads share a key head
  grouped_or_experts,   // the same, or at least 4 experts
  eight_experts,        // exactly 8 (Mixtral, Grok)
  eight_experts_extra,  // exactly 8, with extra_bits
  no_importance_matrix,
  no_importance_first_eighth,
  importance_first_eighth,
  falcon_first_sixteenth,
  falcon_extra_bits,
  falcon,
  not_falcon,
  not_falcon_first_eighth,
};

struct MixRule {
  std::uint64_t mixes = 0;  // a set of GgufMix, one bit each
  MixPart part = MixPart::other;
  MixCondition condition = MixCondition::always;
  GgufType type = GgufType::F16;
};

// Assigns types to the tensors of one model, in file order. Holds only what the rules count.
class MixAssigner {
 public:
  // `importance_matrix`: the quantiser was given one; the low-bit mixes need it.
  MixAssigner(const TransformerShape& shape, GgufMix mix, bool importance_matrix);

  [[nodiscard]] GgufType next(const Tensor& tensor, int layer);

  // Layers of one kind that start with the same signature get the same types: all that the rules ask of their indexes.
  [[nodiscard]] std::uint32_t signature(int layer) const;
  // Counts a layer's tensors without assigning them.
  void skip_layer(int values, int downs);
  [[nodiscard]] int values_seen() const { return values_seen_; }
  [[nodiscard]] int downs_seen() const { return downs_seen_; }

 private:
  [[nodiscard]] std::uint32_t index_bits(int index) const;
  [[nodiscard]] bool extra_bits(int index) const;
  [[nodiscard]] bool holds(MixCondition condition, int index) const;
  [[nodiscard]] GgufType by_rules(MixPart part, int index) const;
  [[nodiscard]] GgufType wanted_type(const Tensor& tensor, int layer);

  TransformerShape shape_;
  GgufMix mix_;
  bool importance_matrix_;
  GgufType base_;
  bool plain_ = false;  // one type for every matrix
  // Thresholds of the quantiser's integer divisions.
  int eighth_ = 0;
  int seven_eighths_ = 0;
  int sixteenth_ = 0;
  bool large_grouped_ = false;
  double heads_per_key_ = 1;
  int values_seen_ = 0;
  int downs_seen_ = 0;
  std::array<FixedList<MixRule, 6>, k_mix_parts> rules_{};
};

// Whether a mix is made with an importance matrix unless said otherwise.
[[nodiscard]] bool default_importance_matrix(GgufMix mix);

// Bytes of the parts of a file, without its metadata.
struct GgufBytes {
  double embedding = 0;  // the look-up table
  double head = 0;       // the output matrix; 0 where tied
  double layers = 0;
  double outer = 0;    // norms and positions outside the layers
  double experts = 0;  // what of the layers is routed experts
  double elements = 0;

  [[nodiscard]] double total() const { return embedding + head + layers + outer; }
};

[[nodiscard]] GgufBytes gguf_bytes(const TransformerShape& shape, GgufMix mix, bool importance_matrix);
[[nodiscard]] GgufBytes gguf_bytes(const TransformerShape& shape, GgufMix mix);

}  // namespace gpuadvise::model
