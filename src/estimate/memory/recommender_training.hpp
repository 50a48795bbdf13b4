// GPU memory of recommenders: embedding tables, spread over the GPUs, and small networks around them.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// For the fullest GPU. A null card means an NVIDIA card of unknown kind.
[[nodiscard]] MemoryFigures recommender_training_memory(const Workload& workload, const RecommenderShape& shape, const Gpu* gpu);

// Lookups and one forward pass of the networks for a batch.
[[nodiscard]] MemoryFigures recommender_inference_memory(const Workload& workload, const RecommenderShape& shape, const Gpu* gpu);

}  // namespace gpuadvise::estimate
