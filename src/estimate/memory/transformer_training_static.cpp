#include "estimate/memory/transformer_training_static.hpp"

#include "estimate/memory/optimizer_states.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// Routed experts held in one 3-D tensor are no linear layers to the quantiser, and stay in 16 bits.
double base_weight_bytes(const ParameterSplit& split, const TrainingMode& mode) {
  const double linear = mode.quantised > 0 ? mode.quantised : mode.base;
  const double experts = mode.storage == BaseStorage::nf4 ? mode.base : linear;
  const double vision = mode.trains_base ? mode.base : mode.unquantised;
  return split.linear * linear + split.experts * experts + split.embedding * mode.embedding + split.vision * vision;
}

// Beside an adapter, embeddings and head are trained as copies in the type of the base, and the step needs a temporary.
// fitted on 12 figures of Qwen 1.8B and 7B: 9.6 to 12 bytes
constexpr double k_trained_copy = 2;
constexpr double k_trained_copy_states = 4 + 2;

bool optimizer_in_backward(const Workload& w, const StackBehaviour& stack) {
  return stack.paged_optimizer_in_backward && w.optimizer == Optimizer::paged_adamw_8bit && w.method == Method::full && w.accumulate <= 1;
}

}  // namespace

double adapter_parameters(const Workload& w, const TransformerShape& s) {
  double per_layer = 0;
  for (const AdaptedLinear& linear : adapted_linears(s, w.lora_targets)) {
    per_layer += linear.in + linear.out;
  }
  const double head = w.lora_targets.lm_head ? s.hidden + s.vocab : 0;
  return w.lora_rank * (per_layer * all_layers(s) + head);
}

StaticBytes static_bytes(const Workload& w, const TransformerShape& s, const ParameterSplit& split, const TrainingMode& mode,
                         const StackBehaviour& stack) {
  StaticBytes bytes;
  bytes.base_weights = base_weight_bytes(split, mode);
  const double trained = mode.trains_base ? split.total() : adapter_parameters(w, s);
  if (!mode.trains_base) {
    bytes.extra_weights = trained * mode.trained;
  }
  if (w.checkpointing == Checkpointing::none) {
    bytes.extra_weights += mode.cast_copy * (split.linear + split.experts);
  }
  bytes.gradients = trained * mode.trained;
  bytes.states = trained * (mode.master + optimizer_bytes(w.optimizer, std::max(mode.trained, mode.master)).states);
  if (optimizer_in_backward(w, stack)) {
    bytes.gradients = 2 * s.vocab * s.hidden * mode.trained;  // the two largest tensors
  }
  if (w.train_embeddings && !mode.trains_base) {
    bytes.extra_weights += k_trained_copy * split.embedding;
    bytes.gradients += k_trained_copy * split.embedding;
    bytes.states += k_trained_copy_states * split.embedding;
  }
  return bytes;
}

}  // namespace gpuadvise::estimate
