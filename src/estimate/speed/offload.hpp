// Weights, states or layers kept in host memory: what moving or computing them there costs a step. All priors.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// `weight_bytes` pass once in each direction of a step.
[[nodiscard]] double offload_seconds(const Workload& workload, const Gpu& gpu, double weight_bytes);

}  // namespace gpuadvise::estimate
