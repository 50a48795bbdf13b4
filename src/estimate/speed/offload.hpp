// Weights, states or layers kept in host memory: what moving or computing them there costs a step. All priors.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

struct OffloadBytes {
  double weights = 0.0;
  double activations = 0.0;  // kept between forward and backward
  double host_share = 0.5;   // of the layers, computed by the host
};

// What a step waits for.
[[nodiscard]] double offload_seconds(const Workload& workload, const Gpu& gpu, const OffloadBytes& bytes);

}  // namespace gpuadvise::estimate
