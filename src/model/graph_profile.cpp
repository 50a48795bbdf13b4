#include "model/graph_profile.hpp"

#include <array>

namespace gpuadvise::model {
namespace {

using Lines = FixedList<PeakLine, 8>;

// The moments that are the highest for some batch size: a line each.
Lines envelope(const std::vector<Moment>& moments) {
  constexpr std::array<double, 8> k_batches = {1, 2, 4, 8, 16, 32, 64, 256};
  Lines lines;
  std::size_t previous = moments.size();
  for (const double batch : k_batches) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < moments.size(); ++i) {
      const auto live = [&](std::size_t k) { return moments[k].constant_bytes + moments[k].per_image_bytes * batch; };
      best = live(i) > live(best) ? i : best;
    }
    if (best != previous) {
      lines.push_back({moments[best].constant_bytes, moments[best].per_image_bytes});
      previous = best;
    }
  }
  return lines;
}

}  // namespace

// fp32 and autocast keep different tensors, not halves of the same: both are counted.
ImageProfile profile_of(const Builder& build, const ProfileOptions& options) {
  Graph plain(Numbers::fp32, options.workspace_per_io);
  build(plain);
  Graph cast(Numbers::autocast, options.workspace_per_io);
  build(cast);

  ImageProfile profile;
  profile.params = plain.params();
  profile.buffers = plain.buffers();
  profile.gmacs = plain.multiply_adds() / 1e9;
  profile.activations_m = plain.activations() / 1e6;
  profile.image = options.image_width;
  profile.image_height = options.image_height;
  profile.frames = options.frames;
  profile.channels = options.channels;
  profile.saved_bytes = plain.saved_bytes();
  profile.saved_amp_bytes = cast.saved_bytes();
  profile.amp_weight_cast_bytes = cast.cast_bytes();
  profile.source = options.source;
  profile.depthwise = plain.depthwise();
  profile.attention = options.attention;
  profile.batchnorms = plain.batchnorms();
  profile.layernorms = plain.layernorms();
  profile.convs = plain.convs();
  profile.spatial_convs = plain.spatial_convs();
  profile.dense3x3_io_bytes = plain.dense3x3_io();
  profile.grouped_io_bytes = plain.grouped_io();
  profile.dense_large_io_bytes = plain.large_io();
  profile.largest_conv_weight_bytes = plain.largest_weight();
  if (plain.scores() > 0) {
    profile.eager_scores = plain.scores();
  }
  profile.peak_lines = envelope(plain.moments());
  profile.peak_lines_amp = envelope(cast.moments());
  profile.forward_operators = plain.operators();
  profile.workspace_in_lines = options.workspace_per_io > 0;
  if (options.partly_frozen) {
    profile.trained_params = plain.trained_params();
  }
  profile.checkpointed_bytes = plain.checkpointed_bytes();
  profile.classes = options.classes;
  profile.params_per_class = plain.params_per_class();
  return profile;
}

}  // namespace gpuadvise::model
