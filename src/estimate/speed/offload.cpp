#include "estimate/speed/offload.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/parallel.hpp"

namespace gpuadvise::estimate {

double offload_seconds(const Workload& workload, const Gpu& gpu, const OffloadBytes& bytes) {
  const double slot = 1e9 * constant(row("offload.slot")) * slot_gb_s(gpu);
  switch (workload.offload.kind) {
    case OffloadKind::none:
    case OffloadKind::model:
      return 0.0;  // whole networks change places between stages, not within a step
    // Gradients go out, weights come back.
    case OffloadKind::optimizer:
      return 2.0 * bytes.weights / slot;
    // Out and in again while other layers compute; little of it is waited for.
    case OffloadKind::activations:
      return 2.0 * constant(row("offload.activations_exposed")) * bytes.activations / slot;
    // Forward and backward each fetch the weights.
    case OffloadKind::params:
      return (workload.training() ? 3.0 : 1.0) * bytes.weights / slot;
    case OffloadKind::sequential:
      return bytes.weights / slot;
    // The layers left out are computed by the host at the speed of its memory.
    case OffloadKind::layers:
      return bytes.host_share * bytes.weights / (1e9 * constant(row("offload.host_memory")));
  }
  return 0.0;
}

}  // namespace gpuadvise::estimate
