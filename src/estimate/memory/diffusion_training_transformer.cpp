#include "estimate/memory/diffusion_training_denoiser.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// Tensors of one block, in elements of the hidden width a token, and which runs keep them. Counted from the published
// block definitions; the fp32 copies of the query and key norms count as two elements of 16 bits each.
struct BlockTensors {
  DenoiserKind kind = DenoiserKind::dit;
  double norm_inputs = 2;      // before attention and feed-forward (and cross-attention)
  double attention = 4;        // q, k, v, output
  double query_key_norm = 6;   // RMSNorm of q and k: the value and an fp32 copy of each
  double cross_attention = 0;  // q and output of the attention to the text
  double adapter_inputs = 1;   // what the adapted projections read
  // Kept where the weights they meet are trained:
  double modulated = 4;      // norms before scale and shift, branches before their gate
  double linear_inputs = 1;  // feed-forward input; its product is counted by its width
};

constexpr BlockTensors k_blocks[] = {
    {DenoiserKind::dit, 3, 4, 6, 2, 2, 5, 2},
    {DenoiserKind::mmdit, 2, 4, 6, 0, 1, 4, 1},
    {DenoiserKind::uvit, 3, 4, 0, 2, 2, 0, 2},
};

const BlockTensors& block_tensors(DenoiserKind kind) {
  for (const BlockTensors& row : k_blocks) {
    if (row.kind == kind) {
      return row;
    }
  }
  return k_blocks[0];
}

// A feed-forward of less than four widths is a gated one: gate, its activation and the second projection are kept.
constexpr double k_gated_below = 3.5;
constexpr double k_sixteen_bits = 2;

// Elements of the hidden width that a token leaves in a block.
double counted_elements(const DiffusionPipeline& p, const DenoiserMode& mode) {
  const BlockTensors& t = block_tensors(p.denoiser);
  const double hidden_layer = p.ffn_mult < k_gated_below ? 3 * p.ffn_mult : p.ffn_mult;
  double elements = t.norm_inputs + t.attention + t.query_key_norm + t.cross_attention + t.adapter_inputs + hidden_layer;
  if (mode.trains_base || mode.keeps_linear_inputs) {
    elements += t.linear_inputs + p.ffn_mult;
  }
  return elements + (mode.trains_base ? t.modulated : 0);
}

// Recipes that do not print the size of their images often train on smaller ones than the model's own. Where the size is
// not stated, what such recipes were seen to keep, at the model's own size, replaces the count.
double elements_per_width(const Workload& w, const DiffusionPipeline& p, const DenoiserMode& mode) {
  const double counted = counted_elements(p, mode);
  if (w.given.image || !p.saved_per_token_block) {
    return counted;
  }
  const DenoiserMode adapters{false, false, mode.element};
  return counted * *p.saved_per_token_block / (k_sixteen_bits * counted_elements(p, adapters));
}

}  // namespace

double latent_tokens(const Workload& w, const DiffusionPipeline& p) {
  const double side = std::max(1.0, p.patch) * p.vae_spatial;
  const double height = w.image.height > 0 ? w.image.height : p.height_px;
  const double width = w.image.width > 0 ? w.image.width : p.width_px;
  const double frames = w.image.height > 0 ? w.image.frames : p.frames;
  const double latent_frames = std::floor((std::max(1.0, frames) - 1) / std::max(1.0, p.vae_temporal)) + 1;
  const double image = std::floor(width / side) * std::floor(height / side) * latent_frames;
  // Text tokens pass through joint blocks; cross-attention only reads them.
  return image + (p.denoiser == DenoiserKind::mmdit ? p.text_tokens : 0);
}

DenoiserBytes transformer_denoiser_bytes(const Workload& w, const DiffusionPipeline& p, const DenoiserMode& mode) {
  const double tokens = w.batch * latent_tokens(w, p);
  DenoiserBytes bytes;
  bytes.largest = tokens * p.hidden * mode.element * elements_per_width(w, p, mode);
  bytes.kept = bytes.largest * p.blocks;
  bytes.checkpoints = tokens * p.hidden * mode.element * p.blocks;
  return bytes;
}

}  // namespace gpuadvise::estimate
