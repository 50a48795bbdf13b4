#include "estimate/memory/assemble.hpp"

#include <gpuadvise/error.hpp>

#include "estimate/memory/band.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

constexpr double k_sum_tolerance = 1e-6;

MemoryComponents scaled(const MemoryComponents& c, double factor) {
  return {c.weights * factor,       c.gradients * factor, c.optimizer_states * factor, c.activations * factor,
          c.logits * factor,        c.kv_cache * factor,  c.recurrent_state * factor,  c.workspace * factor,
          c.communication * factor, c.runtime * factor,   c.fragmentation * factor};
}

}  // namespace

// The runtime is no tensor: it does not fragment.
Interval need_bytes(const Interval& allocated, const Interval& runtime, double communication_bytes) {
  return shifted(sum_independent(allocated.scaled(k_need_per_allocated), runtime), communication_bytes);
}

MemoryFigures assemble(const MemoryParts& parts) {
  const double sum = parts.components.sum();
  if (std::abs(sum - parts.device.expected) > k_sum_tolerance * std::max(1.0, parts.device.expected)) {
    throw Error(ErrorCode::internal, "memory components do not sum to the device figure");
  }
  MemoryFigures figures;
  figures.allocated = parts.allocated;
  figures.reserved = parts.reserved;
  figures.device = parts.device;
  figures.steady = parts.steady;
  figures.need = need_bytes(parts.allocated, parts.runtime, parts.communication_bytes);
  figures.components = parts.components;
  figures.host_bytes = parts.host_bytes;
  figures.all_gpus.allocated = parts.allocated.scaled(parts.gpus);
  figures.all_gpus.reserved = parts.reserved.scaled(parts.gpus);
  figures.all_gpus.device = parts.device.scaled(parts.gpus);
  if (parts.steady) {
    figures.all_gpus.steady = parts.steady->scaled(parts.gpus);
  }
  figures.all_gpus.components = scaled(parts.components, parts.gpus);
  return figures;
}

}  // namespace gpuadvise::estimate
