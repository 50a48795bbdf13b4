// What a training run holds from step to step: weights, gradients, optimizer states.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_layers.hpp"
#include "estimate/memory/transformer_training_mode.hpp"

namespace gpuadvise::estimate {

// Bytes of the whole model, before any of it is spread over GPUs.
struct StaticBytes {
  double base_weights = 0;   // the model itself
  double extra_weights = 0;  // adapters, trained copies of embeddings, cast copies
  double gradients = 0;
  double states = 0;

  [[nodiscard]] double weights() const { return base_weights + extra_weights; }
};

[[nodiscard]] StaticBytes static_bytes(const Workload& workload, const TransformerShape& shape, const ParameterSplit& split,
                                       const TrainingMode& mode, const StackBehaviour& stack);

// Parameters of the low-rank adapters alone.
[[nodiscard]] double adapter_parameters(const Workload& workload, const TransformerShape& shape);

}  // namespace gpuadvise::estimate
