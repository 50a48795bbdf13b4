#include "import/fit_shape.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "import/hf_config.hpp"
#include "model/inventory.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace gpuadvise::importer {
namespace {

constexpr double k_worth_saying = 0.01;  // of the parameters
constexpr double k_widest_change = 4;    // of a width, up or down

// Weights in matrices whose size goes with the width of the MLP, or of the experts.
double params_by_width(const TransformerShape& shape) {
  double sum = 0;
  model::for_each_distinct_tensor(shape, [&](const model::Tensor& tensor, double repeats) {
    const bool mlp = tensor.kind == model::TensorKind::ffn_gate || tensor.kind == model::TensorKind::ffn_up ||
                     tensor.kind == model::TensorKind::ffn_down;
    sum += mlp && (shape.moe.experts <= 0 || tensor.expert) ? tensor.elements() * repeats : 0.0;
  });
  return sum;
}

// The MLP takes what the shape misses, as it has most of the weights.
void absorb(TransformerShape& shape, double missing) {
  const double held = params_by_width(shape);
  const double ratio = held > 0 ? (held + missing) / held : 0;
  if (ratio > 1 / k_widest_change && ratio < k_widest_change) {
    (shape.moe.experts > 0 ? shape.moe.expert_ffn : shape.ffn) *= ratio;
  } else if (missing > 0) {
    shape.mtp_layers = 0;
    shape.extra_params += missing;
  }
}

}  // namespace

void fit_to_tensors(TransformerShape& shape, const TensorFacts& facts, std::string_view precision, std::vector<Finding>& findings) {
  if (facts.params <= 0) {
    return;
  }
  shape.vision_params = facts.tower_params;
  if (facts.embedding_bytes > 0) {
    shape.tied_embeddings = facts.head_bytes <= 0;
  }
  if (facts.mtp_params <= 0) {
    shape.extra_params = shape.mtp_layers > 0 ? 0 : shape.extra_params;
    shape.mtp_layers = 0;
  } else {
    shape.extra_params = facts.mtp_params;
    shape.mtp_layers = std::max(1.0, shape.mtp_layers);
  }
  const double counted = model::count_params(shape);
  const double missing = facts.params - counted;
  if (std::abs(missing) > k_worth_saying * facts.params) {
    findings.push_back({"import-fitted", Severity::warn,
                        "the file holds " + format_count(facts.params) + " parameters where such a shape has " + format_count(counted) +
                            ": the weights are the file's, the rest is estimated by the nearest shape"});
    absorb(shape, missing);
    shape.from_memory = shape.nearest_family = true;
  }
  count_shape(shape);
  // Counting leaves out small vectors; the file's sum is the exact one.
  const double resting = shape.params - shape.active_params;
  shape.params = facts.params;
  shape.params_published = facts.params;
  shape.active_params = std::max(1.0, facts.params - resting);
  shape.stored = {precision, facts.bytes, facts.embedding_bytes, facts.head_bytes};
}

TransformerShape shape_of_tensors(const TensorFacts& facts) {
  const SeenMatrices& seen = facts.seen;
  if (seen.hidden <= 0 || seen.vocab <= 0 || facts.layers <= 0) {
    throw Error(ErrorCode::unsupported,
                "its " + std::to_string(static_cast<long>(facts.tensors)) + " tensors (" + format_count(facts.params) +
                    " parameters) have no names of a known kind of network",
                "put the model's config.json beside it, or give --params " + format_count(facts.params));
  }
  TransformerShape shape;
  shape.hidden = seen.hidden;
  shape.vocab = seen.vocab;
  shape.layers = facts.layers;
  shape.attention_layers = facts.layers;
  // Head sizes are not written in matrices: 128 where it divides, else 64 as in small models.
  const double query = seen.query_rows > 0 ? seen.query_rows : seen.hidden;
  shape.head_dim = std::fmod(query, 128) == 0 && seen.hidden >= 2048 ? 128 : 64;
  shape.heads = std::max(1.0, std::round(query / shape.head_dim));
  shape.kv_heads = seen.key_rows > 0 ? std::max(1.0, std::round(seen.key_rows / shape.head_dim)) : shape.heads;
  shape.attention = shape.kv_heads < shape.heads ? AttentionKind::gqa : AttentionKind::mha;
  shape.gated_mlp = seen.gate_rows > 0 || seen.experts > 0;
  shape.ffn = seen.up_rows > 0 ? seen.up_rows : 4 * seen.hidden;
  shape.tied_embeddings = facts.head_bytes <= 0;
  shape.max_context = 0;
  if (seen.experts > 1) {
    shape.moe.experts = seen.experts;
    shape.moe.active = std::min(seen.experts, 2.0);
    shape.moe.expert_ffn = seen.expert_rows > 0 ? seen.expert_rows : shape.ffn;
  }
  shape.from_memory = shape.nearest_family = true;
  count_shape(shape);
  return shape;
}

}  // namespace gpuadvise::importer
