// GPU memory of training and tuning diffusion models: the denoiser, and what else the program keeps on the card.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// For the fullest GPU. A null card means an NVIDIA card of unknown kind.
[[nodiscard]] MemoryFigures diffusion_training_memory(const Workload& workload, const DiffusionPipeline& pipeline, const Gpu* gpu);

}  // namespace gpuadvise::estimate
