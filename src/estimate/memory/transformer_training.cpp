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

// Work buffers of libraries inside the framework's allocator, and inputs of the step. fitted with the method's rows
constexpr double k_workspace_bytes = 0.15 * k_gib;
// What the caching allocator keeps beyond live tensors: little of what stays, more of what comes and goes.
constexpr double k_static_slack = 0.03;
constexpr double k_constant_slack_bytes = 0.4 * k_gib;

// A 4-bit layer is expanded for its product, in the forward pass and again for the input's gradient.
double dequantised_bytes(const TransformerShape& s, const TrainingMode& mode) {
  return mode.storage == BaseStorage::nf4 ? 2 * 2 * largest_linear(s) : 0;
}

bool pages_to_host(Optimizer optimizer) {
  return optimizer == Optimizer::paged_adamw_8bit;
}

}  // namespace

MemoryFigures transformer_training_memory(const Workload& w, const TransformerShape& s, const Gpu* gpu) {
  const StackBehaviour& stack = stack_behaviour(w.stack);
  const TrainingMode mode = training_mode(w, stack);
  const ParameterSplit split = split_parameters(s);
  const Parallel parallel = parallel_degrees(w);
  const StaticBytes whole = static_bytes(w, s, split, mode, stack);
  const ShardedBytes held = shard(w, s, split, mode, whole, parallel);
  const StepBytes step = step_bytes(w, s, mode, stack, parallel);

  // Paged states live in managed memory: the driver shows them, the framework's counter does not, the host can take them.
  const double paged = pages_to_host(w.optimizer) ? held.states : 0;
  const double kept = held.weights + held.gradients + held.states - paged;
  const double moving = step.sum() + held.gathered + held.buckets;
  const double workspace = k_workspace_bytes + dequantised_bytes(s, mode);
  const double allocated = kept + moving + workspace;
  const double fragmentation = k_static_slack * kept + stack.slack * moving + k_constant_slack_bytes - k_workspace_bytes;
  const double reserved = allocated + fragmentation;
  const Interval runtime = runtime_bytes(true, w.module_loading, gpu);
  const double collectives = collective_library_bytes(w.all_gpus(), w.nodes);

  MemoryParts parts;
  parts.components.weights = held.weights;
  parts.components.gradients = held.gradients;
  parts.components.optimizer_states = held.states;
  parts.components.activations = step.activations;
  parts.components.logits = step.logits;
  parts.components.workspace = workspace;
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
