#include "estimate/memory/diffusion_training_denoiser.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// Blocks of a level of the Stable Diffusion U-Nets on the way down and up; those on the way up also read a skip
// connection, so the first norm and its output are about twice as wide.
constexpr double k_down_blocks = 2;
constexpr double k_up_blocks = 3;

// Counted, in elements of the level's channels at one position. Residual block: input, first norm's output, first
// convolution's output, second norm's output; with trained weights also what the two convolutions read.
struct ResidualElements {
  double down = 4, up = 6, trained_down = 2, trained_up = 3;
};
constexpr ResidualElements k_residual;

// Transformer block: inputs of three norms; self-attention's q, k, v and output with the adapter's input; the same for
// cross-attention's q and output; the gated feed-forward's two halves and the gate's activation, four widths each.
// With trained weights (or quantised ones that keep their input) also the feed-forward's input and product, and what the
// two output projections read.
constexpr double k_transformer_elements = 3 + 4 + 1 + 2 + 1 + 12;
constexpr double k_transformer_trained = 1 + 4 + 2;
// Where a transformer begins and ends: a norm and two projections.
constexpr double k_transformer_frame = 2;

struct Level {
  double positions = 0;
  double channels = 0;
  double depth = 0;
  bool lowest = false;
};

Level level(const DiffusionPipeline& p, std::size_t i, double positions) {
  Level l;
  l.channels = p.channels[i];
  l.positions = positions / std::pow(4.0, static_cast<double>(i));
  l.lowest = i + 1 == p.channels.size();
  // Without a list: one block a level but the lowest of four (Stable Diffusion 1 and 2).
  l.depth = i < p.transformer_depth.size() ? p.transformer_depth[i] : (p.transformer_depth.empty() && !l.lowest ? 1 : 0);
  return l;
}

double residual(const Level& l, const DenoiserMode& mode) {
  const double trained = mode.trains_base || mode.keeps_linear_inputs ? 1 : 0;
  return l.positions * l.channels *
         (k_down_blocks * (k_residual.down + trained * k_residual.trained_down) +
          k_up_blocks * (k_residual.up + trained * k_residual.trained_up));
}

double transformer(const Level& l, const DenoiserMode& mode) {
  if (l.depth <= 0) {
    return 0;
  }
  const double block = k_transformer_elements + (mode.trains_base || mode.keeps_linear_inputs ? k_transformer_trained : 0);
  return l.positions * l.channels * (l.depth * block + k_transformer_frame);
}

}  // namespace

DenoiserBytes unet_bytes(const Workload& w, const DiffusionPipeline& p, const DenoiserMode& mode) {
  const double height = w.image.height > 0 ? w.image.height : p.height_px;
  const double width = w.image.width > 0 ? w.image.width : p.width_px;
  const double positions = w.batch * (height / p.vae_spatial) * (width / p.vae_spatial);
  DenoiserBytes bytes;
  for (std::size_t i = 0; i < p.channels.size(); ++i) {
    const Level l = level(p, i, positions);
    const double attention = transformer(l, mode);
    // The middle has one transformer and two residual blocks at the lowest level.
    const double transformers = l.depth > 0 ? k_down_blocks + k_up_blocks : 0;
    const double scale = l.lowest ? 1.2 : 1.0;
    bytes.kept += mode.element * scale * (residual(l, mode) + transformers * attention);
    bytes.checkpoints += mode.element * l.positions * l.channels * (k_down_blocks + 2 * k_up_blocks + transformers);
    bytes.largest = std::max(bytes.largest, mode.element * std::max(attention, l.positions * l.channels * k_residual.up));
    if (w.attention == AttentionBackend::eager && l.depth > 0) {
      // Softmax output and its input of eight heads, kept by every transformer of the level.
      const double scores = 2 * 8 * l.positions * (l.positions / w.batch) * mode.element * l.depth;
      bytes.kept += transformers * scores;
      bytes.largest = std::max(bytes.largest, mode.element * attention + scores);
    }
  }
  return bytes;
}

}  // namespace gpuadvise::estimate
