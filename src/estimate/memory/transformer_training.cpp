#include "estimate/memory/transformer_training.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/optimizer_states.hpp"
#include "estimate/memory/runtime.hpp"
#include "estimate/memory/transformer_training_activations.hpp"
#include "estimate/memory/transformer_training_band.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// What the caching allocator keeps beyond live tensors: little of what stays, more of what comes and goes.
constexpr double k_static_slack = 0.03;
constexpr double k_constant_slack_bytes = 0.25 * k_gib;
// Inputs of one length leave little behind: encoders pad to it. fitted on 12 figures of 2 sources
constexpr double k_fixed_length_slack = 0.10;

// PyTorch's own optimizers update all parameters at once unless fused: a copy of the updates lives for a moment, when the
// activations are gone. Releases with eager module loading worked tensor by tensor.
double optimizer_temporary(const Workload& w, const StackBehaviour& stack, const ShardedBytes& held, const TrainingMode& mode) {
  const bool own_optimizer = w.strategy == Strategy::zero1 || w.strategy == Strategy::zero2 || w.strategy == Strategy::zero3;
  if (!stack.foreach_optimizer || own_optimizer || w.module_loading == ModuleLoading::eager || w.offload.kind != OffloadKind::none) {
    return 0;
  }
  return held.gradients * optimizer_bytes(w.optimizer, mode.trained).temporary / mode.trained;
}

bool pages_to_host(Optimizer optimizer) {
  return optimizer == Optimizer::paged_adamw_8bit;
}

}  // namespace

MemoryFigures transformer_training_memory(const Workload& w, const TransformerShape& s, const Gpu* gpu) {
  const StackBehaviour& stack = stack_behaviour(w.stack);
  const TrainingMode mode = training_mode(w, stack);
  const ParameterSplit split = split_parameters(s);
  const Parallel parallel = parallel_degrees(w, stack);
  const StaticBytes whole = static_bytes(w, s, split, mode, stack);
  const ShardedBytes held = shard(w, s, split, mode, stack, whole, parallel);
  const StepBytes step = step_bytes(w, s, mode, stack, parallel);

  // Paged states live in managed memory: the driver shows them, the framework's counter does not, the host can take them.
  const double paged = pages_to_host(w.optimizer) ? held.states : 0;
  const double kept = held.weights + held.gradients + held.states - paged;
  const double temporary = std::max(0.0, optimizer_temporary(w, stack, held, mode) - step.sum());
  const double moving = step.sum() + temporary + held.gathered + held.buckets;
  const double workspace = blas_workspace_bytes(gpu);
  const double allocated = kept + moving + workspace;
  const double slack = s.kind == TransformerKind::encoder ? std::min(stack.slack, k_fixed_length_slack) : stack.slack;
  const double fragmentation = k_static_slack * kept + slack * moving + k_constant_slack_bytes;
  const double reserved = allocated + fragmentation;
  const Interval runtime = runtime_bytes(true, w.module_loading, gpu);
  const double collectives = collective_library_bytes(w.all_gpus(), w.nodes);

  MemoryParts parts;
  parts.components.weights = held.weights;
  parts.components.gradients = held.gradients;
  parts.components.optimizer_states = held.states;
  parts.components.activations = step.activations;
  parts.components.logits = step.logits;
  parts.components.workspace = workspace + temporary;
  parts.components.communication = held.gathered + held.buckets + collectives;
  parts.components.runtime = runtime.expected;
  parts.components.fragmentation = fragmentation;
  const TransformerBands bands = transformer_training_bands(w, s, stack);
  parts.allocated = bands.allocated.scaled(allocated);
  parts.reserved = bands.reserved.scaled(reserved);
  parts.device = shifted(sum_independent(parts.reserved, runtime), collectives + paged);
  parts.runtime = runtime;
  parts.communication_bytes = collectives;
  parts.host_bytes = held.host + step.host * w.all_gpus();
  parts.gpus = w.all_gpus();
  return assemble(parts);
}

}  // namespace gpuadvise::estimate
