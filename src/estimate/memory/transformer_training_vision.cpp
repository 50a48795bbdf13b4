#include "estimate/memory/transformer_training_vision.hpp"

#include <cmath>

namespace gpuadvise::estimate {
namespace {

// prior: towers in use are 28 to 43 times as wide as deep (CLIP-L 43, SigLIP-400M 43, Qwen2-VL 40, bigG 35), with
// 12 h^2 parameters a block and patches of 14 pixels.
constexpr double k_width_per_layer = 40;
constexpr double k_block_parameters = 12;
constexpr double k_patch_pixels = 14;
// Patches that are merged into one token of the language model, where only tokens are known.
constexpr double k_patches_per_token = 4;
constexpr double k_default_patches = 4096;  // a picture of 900 x 900 pixels, in tiles or whole
// Counted: norm inputs and outputs, q, k, v, attention output, the feed-forward's two tensors of four widths.
constexpr double k_kept_elements = 16;

double patches(const Workload& w, const TransformerShape& s) {
  if (w.image.height > 0 && w.image.width > 0) {
    return w.image.frames * (w.image.height / k_patch_pixels) * (w.image.width / k_patch_pixels);
  }
  return s.image_tokens > 0 ? s.image_tokens * k_patches_per_token : k_default_patches;
}

}  // namespace

// Checkpoints are set on the language layers; programs differ in whether the tower has them, so it is counted without.
double vision_tower_bytes(const Workload& w, const TransformerShape& s, const TrainingMode& mode) {
  if (s.vision_params <= 0 || !mode.trains_base) {
    return 0;
  }
  const double layers = std::cbrt(s.vision_params / (k_block_parameters * k_width_per_layer * k_width_per_layer));
  const double width = k_width_per_layer * layers;
  return w.batch * patches(w, s) * layers * k_kept_elements * width * mode.compute;
}

}  // namespace gpuadvise::estimate
