// GPU memory of training recommenders: embedding tables, spread over the GPUs, and small networks around them.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// For the fullest GPU. A null card means an NVIDIA card of unknown kind.
[[nodiscard]] MemoryFigures recommender_training_memory(const Workload& workload, const RecommenderShape& shape, const Gpu* gpu);

}  // namespace gpuadvise::estimate
