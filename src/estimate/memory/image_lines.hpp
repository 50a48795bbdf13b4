// The live bytes of a training step of an image network as lines over the batch: what the catalog's profile says,
// changed by precision, image size, checkpointing, frozen parts and the attention kernel.
#pragma once

#include <gpuadvise/fixed_list.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

struct LiveLines {
  FixedList<PeakLine, 8> lines;  // without weights and optimizer states; gradients grow within the constants
  double cast_bytes = 0;         // 16-bit copies of the weights under autocast, part of the constants
};

// Pixels of the workload's image over those of the profile.
[[nodiscard]] double pixel_ratio(const Workload& workload, const ImageProfile& profile);

// Factor on everything that grows with the image: 1 at the profile's size.
[[nodiscard]] double size_factor(const Workload& workload, const ImageProfile& profile);

// Bytes of one input image.
[[nodiscard]] double input_bytes(const Workload& workload, const ImageProfile& profile);

[[nodiscard]] LiveLines live_lines(const Workload& workload, const ImageProfile& profile, double gradient_bytes);

}  // namespace gpuadvise::estimate
