// What one block keeps for its backward pass, for one token.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_mode.hpp"

namespace gpuadvise::estimate {

// Bytes of one token in one block.
struct BlockBytes {
  double attention = 0;  // q, k, v, output, log-sum-exp; linear-attention state where the block has it
  double scores = 0;     // matrices of an eager softmax
  double feed_forward = 0;
  double norms = 0;
  double dropout = 0;
  double adapters = 0;  // inputs that low-rank adapters and 4-bit layers keep

  [[nodiscard]] double sum() const { return attention + scores + feed_forward + norms + dropout + adapters; }
};

// `seq` is the length that attention sees.
[[nodiscard]] BlockBytes block_bytes(const Workload& workload, const TransformerShape& shape, const TrainingMode& mode,
                                     const StackBehaviour& stack, double seq);

}  // namespace gpuadvise::estimate
