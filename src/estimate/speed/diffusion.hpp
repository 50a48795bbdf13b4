// Denoisers: iterations a second, when sampling and when tuning.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"

#include <optional>

namespace gpuadvise::estimate {

// One evaluation of the denoiser on one sample.
struct DiffusionWork {
  double tflop = 0.0;
  double traffic_gb = 0.0;  // layer outputs, 16 bits
  double operators = 0.0;
  double evaluations = 1.0;  // a step: 2 with classifier-free guidance
};
[[nodiscard]] DiffusionWork diffusion_work(const Workload& workload, const DiffusionPipeline& pipeline);

// One denoising step of a batch (inference), or one training micro-batch.
[[nodiscard]] std::optional<StepTime> diffusion_step(const Workload& workload, const DiffusionPipeline& pipeline, const Gpu& gpu);

}  // namespace gpuadvise::estimate
