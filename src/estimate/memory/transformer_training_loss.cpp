#include "estimate/memory/transformer_training_loss.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// A fused loss walks over the tokens in chunks: logits and their gradient of one chunk, and the gradient of the hidden
// state in fp32.
constexpr double k_fused_chunk_tokens = 1024;
constexpr double k_fused_chunk_logit_bytes = 8;
constexpr double k_fused_hidden_bytes = 4;

// DeepSpeed's fp16 has no autocast, and the loss of such models stays in 16 bits but for the log-softmax.
// fitted on 16 figures of Qwen 14B, 72B and Qwen-VL (slope 8.2)
constexpr double k_half_logit_bytes = 8;

double logit_bytes(const Workload& w, const TrainingMode& mode, const StackBehaviour& stack) {
  if (mode.storage == BaseStorage::nf4 && (w.precision.kind == PrecisionKind::amp_fp16 || (stack.casts_model && mode.residual <= 2))) {
    return std::min(k_half_logit_bytes, stack.logit_bytes_pure);
  }
  const bool converts = mode.autocast && mode.storage == BaseStorage::plain;
  return converts ? stack.logit_bytes_autocast : stack.logit_bytes_pure;
}

}  // namespace

double loss_bytes(const Workload& w, const TransformerShape& s, const TrainingMode& mode, const StackBehaviour& stack, double tokens,
                  double tensor_parallel) {
  if (w.head != Head::lm) {
    return 0;
  }
  const double vocab = s.vocab / tensor_parallel;
  if (w.loss == LossKind::fused) {
    return std::min(tokens, k_fused_chunk_tokens) * k_fused_chunk_logit_bytes * vocab + k_fused_hidden_bytes * s.hidden * tokens;
  }
  const double compiled = w.compile ? stack.compiled_logit_share : 1.0;
  return compiled * logit_bytes(w, mode, stack) * vocab * tokens;
}

}  // namespace gpuadvise::estimate
