// Memory of training a network over images, volumes or clips.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// saved tensors -> allocated -> reserved -> device, each step by itself. No allocation; a null card means an NVIDIA card.
[[nodiscard]] MemoryFigures image_training_memory(const Workload& workload, const ImageProfile& profile, const Gpu* gpu);

}  // namespace gpuadvise::estimate
