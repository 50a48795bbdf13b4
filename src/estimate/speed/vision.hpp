// Networks over images: classification, dense prediction, video, volumes.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"

#include <optional>

namespace gpuadvise::estimate {

// Kinds of network whose kernels reach different shares of the peak.
enum class ImageClass : std::uint8_t { cnn, transformer, convnext, mobile };
[[nodiscard]] ImageClass image_class(const ImageProfile& profile);

// What one forward pass of one image takes.
struct ImageWork {
  double tflop = 0.0;
  double elements_m = 0.0;  // outputs of all layers, normalisation and activation included, 1e6
  double operators = 0.0;   // kernels of an eager pass
  double params_m = 0.0;
};
[[nodiscard]] std::optional<ImageWork> image_work(const Workload& workload, const ImageProfile& profile);

// Images in a micro-batch; a card-filling batch where the user stated none.
[[nodiscard]] double image_batch(const Workload& workload);

// One micro-batch on one card, the optimizer's work included when training (once a micro-batch of a step: see accumulate).
[[nodiscard]] std::optional<StepTime> image_step(const Workload& workload, const ImageProfile& profile, const Gpu& gpu);

}  // namespace gpuadvise::estimate
