#include "estimate/memory/image_training.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/image_allocated.hpp"
#include "estimate/memory/image_band.hpp"
#include "estimate/memory/image_lines.hpp"
#include "estimate/memory/image_reserved.hpp"
#include "estimate/memory/image_state.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// A loader that prefetches keeps the next batch on the card, as bytes and as floats (fitted, n = 370).
constexpr double k_prefetched_inputs = 1.4;

// Workspaces that neither a simulation nor the lines account for (prior: 0.1-0.2 GiB seen with networks of 2-10 M parameters).
constexpr double k_uncounted_workspace = 0.15 * k_gib;

double prefetched_bytes(const Workload& workload, const ImageProfile& profile) {
  const bool prefetcher = workload.stack == Stack::timm || workload.stack == Stack::nvidia_dle;
  return prefetcher ? k_prefetched_inputs * workload.batch * input_bytes(workload, profile) : 0.0;
}

}  // namespace

MemoryFigures image_training_memory(const Workload& workload, const ImageProfile& profile, const Gpu* gpu) {
  const TrainingState state = training_state(workload, profile);
  const LiveLines live = live_lines(workload, profile, state.gradients);
  const AllocatedPeak peak = allocated_peak(state, live, workload.batch);
  const double blas = blas_workspace_bytes(gpu);
  const double workspace = convolution_workspace_bytes(workload, profile);
  const double cached = reserved_bytes(workload, profile, state, peak);
  const double reserved = cached + workspace + blas + prefetched_bytes(workload, profile);
  const double library = collective_library_bytes(workload.all_gpus(), workload.nodes);
  const Interval runtime = runtime_bytes(true, workload.module_loading, gpu);
  const ImageBand band = image_band(workload, profile);

  MemoryParts parts;
  parts.components.weights = state.weights;
  parts.components.gradients = peak.gradients;
  parts.components.optimizer_states = state.optimizer_states;
  parts.components.activations = peak.activations;
  parts.components.workspace = workspace + blas + peak.step_temporary;
  parts.components.communication = state.buckets + library;
  parts.components.runtime = runtime.expected;
  parts.components.fragmentation = reserved - peak.bytes - workspace - blas;

  parts.allocated = banded(peak.bytes + blas, band.allocated);
  parts.reserved = banded(reserved, band.reserved);
  if (profile.allocator.empty() && !profile.workspace_in_lines) {
    parts.reserved.high += k_uncounted_workspace;
  }
  parts.device = shifted(sum_independent(parts.reserved, runtime), library);
  parts.runtime = runtime;
  parts.communication_bytes = library;
  parts.host_bytes = state.host * workload.all_gpus();
  parts.gpus = workload.all_gpus();
  return assemble(parts);
}

}  // namespace gpuadvise::estimate
