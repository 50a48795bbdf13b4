// The chain from the last hidden state to the loss: logits, their copies, log-softmax, gradients.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_mode.hpp"

namespace gpuadvise::estimate {

// Bytes at the peak of the loss for all tokens of a micro-batch on one GPU.
[[nodiscard]] double loss_bytes(const Workload& workload, const TransformerShape& shape, const TrainingMode& mode,
                                const StackBehaviour& stack, double tokens, double tensor_parallel);

}  // namespace gpuadvise::estimate
