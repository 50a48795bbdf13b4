// The image tower of a vision-language model in training.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_mode.hpp"

namespace gpuadvise::estimate {

// Bytes kept for the backward pass of the tower; 0 where it is frozen.
[[nodiscard]] double vision_tower_bytes(const Workload& workload, const TransformerShape& shape, const TrainingMode& mode);

}  // namespace gpuadvise::estimate
