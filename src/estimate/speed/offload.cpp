#include "estimate/speed/offload.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/parallel.hpp"

namespace gpuadvise::estimate {

double offload_seconds(const Workload& workload, const Gpu& gpu, double weight_bytes) {
  const double slot = 1e9 * constant(row("offload.slot")) * slot_gb_s(gpu);
  const double once = weight_bytes / slot;
  switch (workload.offload.kind) {
    case OffloadKind::none:
    case OffloadKind::model:
      return 0.0;  // whole networks change places between stages, not within a step
    // Gradients go out, weights come back.
    case OffloadKind::optimizer:
      return 2.0 * once;
    case OffloadKind::activations:
      return once;
    // Forward and backward each fetch the weights.
    case OffloadKind::params:
      return 3.0 * once;
    case OffloadKind::sequential:
      return once;
    // The layers left out are computed by the host at the speed of its memory. How many there are the shape decides;
    // half of them is the usual case.
    case OffloadKind::layers:
      return 0.5 * weight_bytes / (1e9 * constant(row("offload.host_memory")));
  }
  return 0.0;
}

}  // namespace gpuadvise::estimate
