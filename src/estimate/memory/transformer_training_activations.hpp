// What lives within one micro-batch: saved activations or their checkpoints, the block being recomputed, the loss.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_block.hpp"
#include "estimate/memory/transformer_training_sharding.hpp"

namespace gpuadvise::estimate {

struct StepBytes {
  double activations = 0;
  double logits = 0;
  double host = 0;  // activations kept on the host, one GPU

  [[nodiscard]] double sum() const { return activations + logits; }
};

[[nodiscard]] StepBytes step_bytes(const Workload& workload, const TransformerShape& shape, const TrainingMode& mode,
                                   const StackBehaviour& stack, const Parallel& parallel);

}  // namespace gpuadvise::estimate
