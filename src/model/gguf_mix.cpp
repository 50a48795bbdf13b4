#include "model/gguf_mix.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace gpuadvise::model {
namespace {

using Mix = GgufMix;
using Type = GgufType;
using Part = MixPart;
using When = MixCondition;

constexpr std::uint64_t bit(Mix mix) {
  return std::uint64_t{1} << static_cast<unsigned>(mix);
}

constexpr std::uint64_t set(std::initializer_list<Mix> mixes) {
  std::uint64_t bits = 0;
  for (const Mix mix : mixes) {
    bits |= bit(mix);
  }
  return bits;
}

constexpr std::uint64_t k_all = ~std::uint64_t{0};
constexpr std::uint64_t k_lowest = set({Mix::IQ1_S, Mix::IQ1_M, Mix::IQ2_XXS, Mix::IQ2_XS, Mix::IQ2_S, Mix::IQ2_M});
constexpr std::uint64_t k_iq2_upper = set({Mix::IQ2_S, Mix::IQ2_M});
constexpr std::uint64_t k_iq4 = set({Mix::IQ4_NL, Mix::IQ4_XS});
// Mixes whose attention output gets Q5_K beside 8 experts.
constexpr std::uint64_t k_eight_expert_output = set({Mix::Q2_K, Mix::IQ3_XS, Mix::IQ3_XXS, Mix::Q3_K_S, Mix::Q3_K_M, Mix::IQ4_NL,
                                                     Mix::Q4_K_S, Mix::Q4_K_M, Mix::IQ3_S, Mix::IQ3_M, Mix::IQ4_XS});

// Facts read in the quantiser of llama.cpp (src/llama-quant.cpp at 007dbbf3); the first row that holds decides. Fused
// query-key-value matrices follow the rule of the files made before that version, which are nearly all files there are.
constexpr auto k_rules = std::to_array<MixRule>({
    {k_lowest, Part::attention_v, When::grouped_or_experts, Type::Q4_K},
    {k_iq2_upper, Part::attention_v, When::always, Type::IQ3_S},
    {k_lowest, Part::attention_v, When::always, Type::Q2_K},
    {k_all, Part::attention_v, When::eight_experts, Type::Q8_0},
    {bit(Mix::Q2_K), Part::attention_v, When::grouped_by_four, Type::Q4_K},
    {bit(Mix::Q2_K), Part::attention_v, When::always, Type::Q3_K},
    {bit(Mix::Q2_K_S), Part::attention_v, When::grouped_by_four, Type::Q4_K},
    {bit(Mix::IQ3_XXS), Part::attention_v, When::grouped_by_four, Type::Q4_K},
    {bit(Mix::IQ3_XXS), Part::attention_v, When::no_importance_matrix, Type::IQ3_S},
    {set({Mix::IQ3_XS, Mix::IQ3_S}), Part::attention_v, When::grouped_by_four, Type::Q4_K},
    {bit(Mix::IQ3_M), Part::attention_v, When::always, Type::Q4_K},
    {bit(Mix::Q3_K_M), Part::attention_v, When::first_two, Type::Q5_K},
    {bit(Mix::Q3_K_M), Part::attention_v, When::always, Type::Q4_K},
    {bit(Mix::Q3_K_L), Part::attention_v, When::always, Type::Q5_K},
    {k_iq4, Part::attention_v, When::grouped_by_four, Type::Q5_K},
    {set({Mix::Q4_K_M, Mix::Q5_K_M}), Part::attention_v, When::extra_bits, Type::Q6_K},
    {bit(Mix::Q4_K_S), Part::attention_v, When::first_four, Type::Q5_K},

    {k_lowest, Part::attention_k, When::eight_experts, Type::Q4_K},
    {k_all, Part::attention_k, When::eight_experts, Type::Q8_0},
    {bit(Mix::IQ3_XS), Part::attention_k, When::always, Type::IQ3_XXS},
    {bit(Mix::IQ3_XXS), Part::attention_k, When::always, Type::IQ2_S},
    {bit(Mix::IQ3_XS), Part::attention_q, When::always, Type::IQ3_XXS},
    {bit(Mix::IQ3_XXS), Part::attention_q, When::always, Type::IQ2_S},

    {set({Mix::Q3_K_M, Mix::Q3_K_L, Mix::IQ3_M}), Part::attention_qkv, When::always, Type::Q4_K},
    {bit(Mix::Q4_K_M), Part::attention_qkv, When::always, Type::Q5_K},
    {bit(Mix::Q5_K_M), Part::attention_qkv, When::always, Type::Q6_K},

    {k_iq2_upper, Part::ffn_down, When::first_eighth, Type::IQ3_S},
    {k_lowest, Part::ffn_down, When::first_eighth, Type::Q2_K},
    {bit(Mix::Q2_K), Part::ffn_down, When::always, Type::Q3_K},
    {bit(Mix::Q2_K_S), Part::ffn_down, When::first_eighth, Type::Q4_K},
    {bit(Mix::IQ3_XXS), Part::ffn_down, When::no_importance_first_eighth, Type::Q4_K},
    {bit(Mix::IQ3_XXS), Part::ffn_down, When::no_importance_matrix, Type::Q3_K},
    {bit(Mix::Q3_K_M), Part::ffn_down, When::first_sixteenth, Type::Q5_K},
    {bit(Mix::Q3_K_M), Part::ffn_down, When::not_falcon, Type::Q4_K},
    {bit(Mix::Q3_K_M), Part::ffn_down, When::extra_bits, Type::Q4_K},
    {bit(Mix::IQ3_M), Part::ffn_down, When::first_eighth, Type::Q4_K},
    {bit(Mix::IQ3_M), Part::ffn_down, When::eight_experts_extra, Type::Q4_K},
    {bit(Mix::Q3_K_L), Part::ffn_down, When::falcon, Type::Q4_K},
    {bit(Mix::Q3_K_L), Part::ffn_down, When::always, Type::Q5_K},
    {bit(Mix::Q4_K_M), Part::ffn_down, When::falcon_first_sixteenth, Type::Q6_K},
    {bit(Mix::Q4_K_M), Part::ffn_down, When::falcon_extra_bits, Type::Q5_K},
    {bit(Mix::Q4_K_M), Part::ffn_down, When::falcon, Type::Q4_K},
    {set({Mix::Q4_K_M, Mix::Q5_K_M}), Part::ffn_down, When::extra_bits, Type::Q6_K},
    {k_iq4, Part::ffn_down, When::no_importance_first_eighth, Type::Q5_K},
    {bit(Mix::Q4_K_S), Part::ffn_down, When::not_falcon_first_eighth, Type::Q5_K},
    {bit(Mix::Q4_0), Part::ffn_down, When::importance_first_eighth, Type::Q4_1},
    {bit(Mix::Q5_0), Part::ffn_down, When::importance_first_eighth, Type::Q5_1},

    {k_lowest, Part::attention_output, When::eight_experts, Type::Q5_K},
    {set({Mix::IQ1_S, Mix::IQ1_M}), Part::attention_output, When::always, Type::IQ2_XXS},
    {k_iq2_upper, Part::attention_output, When::always, Type::IQ3_S},
    {bit(Mix::Q3_K_L), Part::attention_output, When::falcon, Type::Q4_K},
    {k_eight_expert_output, Part::attention_output, When::eight_experts, Type::Q5_K},
    {bit(Mix::Q3_K_L), Part::attention_output, When::eight_experts, Type::Q3_K},
    {bit(Mix::Q2_K), Part::attention_output, When::not_falcon, Type::Q3_K},
    {bit(Mix::IQ3_XXS), Part::attention_output, When::not_falcon, Type::IQ3_S},
    {set({Mix::Q3_K_M, Mix::IQ3_M}), Part::attention_output, When::not_falcon, Type::Q4_K},
    {bit(Mix::Q3_K_L), Part::attention_output, When::not_falcon, Type::Q5_K},

    {bit(Mix::IQ3_XS), Part::ffn_gate_up, When::inner_layers, Type::IQ3_XXS},
});

struct BaseRow {
  Mix mix;
  Type base;
};

// The type that most tensors of a mix get. Recipes known by name only are sized by their base type.
constexpr auto k_bases = std::to_array<BaseRow>({
    {Mix::F32, Type::F32},         {Mix::F16, Type::F16},         {Mix::BF16, Type::BF16},     {Mix::Q8_0, Type::Q8_0},
    {Mix::Q4_0, Type::Q4_0},       {Mix::Q4_1, Type::Q4_1},       {Mix::Q5_0, Type::Q5_0},     {Mix::Q5_1, Type::Q5_1},
    {Mix::Q2_K, Type::Q2_K},       {Mix::Q2_K_S, Type::Q2_K},     {Mix::Q3_K_S, Type::Q3_K},   {Mix::Q3_K_M, Type::Q3_K},
    {Mix::Q3_K_L, Type::Q3_K},     {Mix::Q4_K_S, Type::Q4_K},     {Mix::Q4_K_M, Type::Q4_K},   {Mix::Q5_K_S, Type::Q5_K},
    {Mix::Q5_K_M, Type::Q5_K},     {Mix::Q6_K, Type::Q6_K},       {Mix::IQ1_S, Type::IQ1_S},   {Mix::IQ1_M, Type::IQ1_M},
    {Mix::IQ2_XXS, Type::IQ2_XXS}, {Mix::IQ2_XS, Type::IQ2_XS},   {Mix::IQ2_S, Type::IQ2_XS},  {Mix::IQ2_M, Type::IQ2_S},
    {Mix::IQ3_XXS, Type::IQ3_XXS}, {Mix::IQ3_XS, Type::IQ3_S},    {Mix::IQ3_S, Type::IQ3_S},   {Mix::IQ3_M, Type::IQ3_S},
    {Mix::IQ4_XS, Type::IQ4_XS},   {Mix::IQ4_NL, Type::IQ4_NL},   {Mix::TQ1_0, Type::TQ1_0},   {Mix::TQ2_0, Type::TQ2_0},
    {Mix::MXFP4_MOE, Type::MXFP4}, {Mix::Q6_0, Type::Q6_0},       {Mix::IQ2_BN, Type::IQ2_BN}, {Mix::IQ2_K, Type::IQ2_K},
    {Mix::IQ3_K, Type::IQ3_K},     {Mix::IQ4_K, Type::IQ4_K},     {Mix::IQ5_K, Type::IQ5_K},   {Mix::IQ6_K, Type::IQ6_K},
    {Mix::IQ4_KS, Type::IQ4_KS},   {Mix::IQ4_KSS, Type::IQ4_KSS}, {Mix::Q2_K_XL, Type::Q2_K},  {Mix::Q3_K_XL, Type::Q3_K},
    {Mix::Q4_K_XL, Type::Q4_K},    {Mix::Q5_K_XL, Type::Q5_K},    {Mix::Q6_K_XL, Type::Q6_K},  {Mix::Q8_K_XL, Type::Q8_0},
});

Type base_type(Mix mix) {
  for (const BaseRow& row : k_bases) {
    if (row.mix == mix) {
      return row.base;
    }
  }
  return Type::F16;
}

bool in(std::uint64_t mixes, Mix mix) {
  return (mixes & bit(mix)) != 0;
}

MixPart part_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::attention_v:
      return Part::attention_v;
    case TensorKind::attention_k:
      return Part::attention_k;
    case TensorKind::attention_q:
      return Part::attention_q;
    case TensorKind::attention_qkv:
      return Part::attention_qkv;
    case TensorKind::attention_output:
      return Part::attention_output;
    case TensorKind::ffn_down:
      return Part::ffn_down;
    case TensorKind::ffn_gate:
    case TensorKind::ffn_up:
      return Part::ffn_gate_up;
    default:
      return Part::other;
  }
}

constexpr int k_large_gqa_layers = 80;  // the "70B" models, whose value matrices the quantiser treats with more care

struct LayerBytes {
  double bytes = 0;
  double experts = 0;
  double elements = 0;
  int values = 0;  // tensors that the rules count
  int downs = 0;
};

LayerBytes assign_layer(const TransformerShape& shape, LayerKind kind, int layer, MixAssigner& assigner) {
  LayerBytes sum;
  const int values = assigner.values_seen();
  const int downs = assigner.downs_seen();
  for_each_layer_tensor(shape, kind, [&](const Tensor& tensor) {
    const double bytes = gguf_tensor_bytes(assigner.next(tensor, layer), tensor.columns, tensor.rows * tensor.count);
    sum.bytes += bytes;
    sum.experts += tensor.expert ? bytes : 0.0;
    sum.elements += tensor.elements();
  });
  sum.values = assigner.values_seen() - values;
  sum.downs = assigner.downs_seen() - downs;
  return sum;
}

// Layers repeat: a model has a handful of kinds that differ in a type. When full it only forgets to remember.
class LayerMemo {
 public:
  [[nodiscard]] const LayerBytes* find(LayerKind kind, std::uint32_t signature) const {
    for (const Entry& entry : entries_) {
      if (entry.signature == signature && entry.kind == kind) {
        return &entry.bytes;
      }
    }
    return nullptr;
  }
  void add(LayerKind kind, std::uint32_t signature, const LayerBytes& bytes) {
    if (entries_.size() < entries_.capacity()) {
      entries_.push_back({kind, signature, bytes});
    }
  }

 private:
  struct Entry {
    LayerKind kind;
    std::uint32_t signature = 0;
    LayerBytes bytes;
  };
  FixedList<Entry, 24> entries_;
};

}  // namespace

MixAssigner::MixAssigner(const TransformerShape& shape, GgufMix mix, bool importance_matrix)
    : shape_(shape), mix_(mix), importance_matrix_(importance_matrix), base_(base_type(mix)) {
  const int layers = total_layers(shape);
  eighth_ = layers / 8;
  seven_eighths_ = 7 * layers / 8;
  sixteenth_ = layers / 16;
  plain_ = base_ == Type::F32 || base_ == Type::F16 || base_ == Type::BF16;
  // Latent attention counts as one key head a query head.
  if (shape.attention != AttentionKind::mla && shape.kv_heads > 0) {
    heads_per_key_ = std::floor(shape.heads / shape.kv_heads);
  }
  large_grouped_ = layers == k_large_gqa_layers && heads_per_key_ > 1;
  for (const MixRule& rule : k_rules) {
    if (in(rule.mixes, mix)) {
      rules_[static_cast<std::size_t>(rule.part)].push_back(rule);
    }
  }
}

bool MixAssigner::extra_bits(int index) const {
  return index < eighth_ || index >= seven_eighths_ || (index - eighth_) % 3 == 2;
}

bool MixAssigner::holds(MixCondition condition, int index) const {
  const bool eight = shape_.moe.experts == 8;
  const bool first_eighth = index < eighth_;
  const bool first_sixteenth = index < sixteenth_;
  switch (condition) {
    case When::always:
      return true;
    case When::first_eighth:
      return first_eighth;
    case When::first_sixteenth:
      return first_sixteenth;
    case When::inner_layers:
      return index >= eighth_ && index < seven_eighths_;
    case When::extra_bits:
      return extra_bits(index);
    case When::first_two:
      return index < 2;
    case When::first_four:
      return index < 4;
    case When::grouped_by_four:
      return heads_per_key_ >= 4;
    case When::grouped_or_experts:
      return heads_per_key_ >= 4 || shape_.moe.experts >= 4;
    case When::eight_experts:
      return eight;
    case When::eight_experts_extra:
      return eight && extra_bits(index);
    case When::no_importance_matrix:
      return !importance_matrix_;
    case When::no_importance_first_eighth:
      return !importance_matrix_ && first_eighth;
    case When::importance_first_eighth:
      return importance_matrix_ && first_eighth;
    case When::falcon:
      return shape_.falcon;
    case When::not_falcon:
      return !shape_.falcon;
    case When::falcon_first_sixteenth:
      return shape_.falcon && first_sixteenth;
    case When::falcon_extra_bits:
      return shape_.falcon && extra_bits(index);
    case When::not_falcon_first_eighth:
      return !shape_.falcon && first_eighth;
  }
  return false;
}

GgufType MixAssigner::by_rules(MixPart part, int index) const {
  for (const MixRule& rule : rules_[static_cast<std::size_t>(part)]) {
    if (holds(rule.condition, index)) {
      return rule.type;
    }
  }
  return base_;
}

GgufType MixAssigner::wanted_type(const Tensor& tensor, int layer) {
  const bool embedding = tensor.kind == TensorKind::token_embedding;
  if (tensor.kind == TensorKind::output_head || (embedding && shape_.tied_embeddings)) {
    if (mix_ == Mix::MXFP4_MOE || shape_.falcon || fitting_type(base_, tensor.columns) != base_) {
      return Type::Q8_0;
    }
    if (in(k_lowest | bit(Mix::IQ3_XXS), mix_)) {
      return Type::Q5_K;
    }
    return base_ == Type::Q8_0 ? Type::Q8_0 : Type::Q6_K;
  }
  if (mix_ == Mix::MXFP4_MOE) {
    return tensor.expert ? Type::MXFP4 : Type::Q8_0;
  }
  if (embedding) {
    if (in(set({Mix::IQ1_S, Mix::IQ1_M, Mix::IQ2_XXS, Mix::IQ2_XS}), mix_)) {
      return Type::Q2_K;
    }
    return in(k_iq2_upper | bit(Mix::IQ3_XXS), mix_) ? Type::IQ3_S : base_;
  }
  const MixPart part = part_of(tensor.kind);
  // Models with experts go by the layer, others by how many tensors of the kind came before; the lowest mixes always by the latter.
  const bool by_layer = shape_.moe.experts > 1 && !in(k_lowest, mix_);
  const int count = part == Part::attention_v ? values_seen_ : downs_seen_;
  const int index = part == Part::ffn_gate_up || (by_layer && part == Part::ffn_down) ? layer : count;
  const Type type = by_rules(part, index);
  return part == Part::attention_v && large_grouped_ && !in(k_lowest, mix_) && (type == Type::Q3_K || type == Type::Q4_K) ? Type::Q5_K
                                                                                                                          : type;
}

GgufType MixAssigner::next(const Tensor& tensor, int layer) {
  if (!tensor.quantisable) {
    return Type::F32;
  }
  if (plain_) {
    return base_;
  }
  const Type type = wanted_type(tensor, layer);
  values_seen_ += tensor.kind == TensorKind::attention_v ? 1 : 0;
  downs_seen_ += tensor.kind == TensorKind::ffn_down ? 1 : 0;
  return fitting_type(type, tensor.columns);
}

std::uint32_t MixAssigner::index_bits(int index) const {
  const auto at = [](bool holds, unsigned position) { return holds ? 1U << position : 0U; };
  return at(index < 2, 0) | at(index < 4, 1) | at(index < eighth_, 2) | at(index < sixteenth_, 3) | at(index < seven_eighths_, 4) |
         at(extra_bits(index), 5);
}

std::uint32_t MixAssigner::signature(int layer) const {
  // A layer may have two of each: a shared expert's matrix beside the experts', cross attention beside self attention.
  return index_bits(values_seen_) | index_bits(values_seen_ + 1) << 6U | index_bits(downs_seen_) << 12U |
         index_bits(downs_seen_ + 1) << 18U | index_bits(layer) << 24U;
}

void MixAssigner::skip_layer(int values, int downs) {
  values_seen_ += values;
  downs_seen_ += downs;
}

bool default_importance_matrix(GgufMix mix) {
  return in(k_lowest | bit(Mix::IQ3_XXS), mix);
}

GgufBytes gguf_bytes(const TransformerShape& shape, GgufMix mix, bool importance_matrix) {
  MixAssigner assigner(shape, mix, importance_matrix);
  GgufBytes sum;
  for_each_outer_tensor(shape, [&](const Tensor& tensor) {
    const double bytes = gguf_tensor_bytes(assigner.next(tensor, -1), tensor.columns, tensor.rows * tensor.count);
    sum.elements += tensor.elements();
    (tensor.kind == TensorKind::token_embedding ? sum.embedding : tensor.kind == TensorKind::output_head ? sum.head : sum.outer) += bytes;
  });
  LayerMemo memo;
  const int layers = total_layers(shape);
  const bool uniform = uniform_layers(shape);
  LayerKind kind = layer_kind(shape, 0);
  for (int layer = 0; layer < layers; ++layer) {
    if (!uniform) {
      kind = layer_kind(shape, layer);
    }
    const std::uint32_t signature = assigner.signature(layer);
    const LayerBytes* known = memo.find(kind, signature);
    const LayerBytes bytes = known != nullptr ? *known : assign_layer(shape, kind, layer, assigner);
    if (known != nullptr) {
      assigner.skip_layer(bytes.values, bytes.downs);
    } else {
      memo.add(kind, signature, bytes);
    }
    sum.layers += bytes.bytes;
    sum.experts += bytes.experts;
    sum.elements += bytes.elements;
  }
  return sum;
}

GgufBytes gguf_bytes(const TransformerShape& shape, GgufMix mix) {
  return gguf_bytes(shape, mix, default_importance_matrix(mix));
}

}  // namespace gpuadvise::model
