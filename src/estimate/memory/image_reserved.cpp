#include "estimate/memory/image_reserved.hpp"

#include <gpuadvise/precision.hpp>

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// fitted, n = 370 (A100, cudnn.benchmark on, NCHW, fp32): copies of input and output of the largest convolution
constexpr double k_workspace_dense = 1.76;
constexpr double k_workspace_grouped = 1.17;
constexpr double k_workspace_large = 0.97;
constexpr double k_cached_weight_divisor = 1.9;    // a cached block of the largest weight hosts the first part
constexpr double k_workspace_channels_last = 0.5;  // prior: no layout copies
constexpr double k_workspace_no_benchmark = 0.4;   // prior: heuristics choose algorithms with less

// fitted, same rows: gradients and step temporaries that find no hole of their size
constexpr double k_fragmented_weights = 0.36;
// Pure attention and MLP networks: the holes of a step-dominated run hold the next forward pass.
constexpr double k_step_slack = 0.18;
constexpr double k_envelope_slack = 1.02;
constexpr double k_envelope_weights = 0.85;

// Simulated reserved / allocated of networks without a simulation of their own (counted, medians of 1,348).
constexpr double k_ratio_batchnorm = 1.10;
constexpr double k_ratio_other = 1.06;

struct Simulated {
  double allocated = 0;
  double reserved = 0;
};

// Both figures without weights and momentum are close to linear in the batch between the simulated sizes.
Simulated simulated_at(const ImageProfile& profile, double batch) {
  const auto& samples = profile.allocator;
  std::size_t upper = 1;
  while (upper + 1 < samples.size() && samples[upper].batch < batch) {
    ++upper;
  }
  const AllocatorSample& a = samples[upper - 1];
  const AllocatorSample& b = samples[upper];
  const double t = (std::max(batch, a.batch) - a.batch) / (b.batch - a.batch);
  return {a.allocated_bytes + t * (b.allocated_bytes - a.allocated_bytes), a.reserved_bytes + t * (b.reserved_bytes - a.reserved_bytes)};
}

double fragmentation_ratio(const Workload& workload, const ImageProfile& profile) {
  if (profile.allocator.size() < 2) {
    return profile.batchnorms.value_or(1.0) > 0 ? k_ratio_batchnorm : k_ratio_other;
  }
  const Simulated at = simulated_at(profile, workload.batch * pixel_ratio(workload, profile));
  return at.reserved / at.allocated;
}

bool pure_attention(const ImageProfile& profile) {
  return profile.batchnorms.value_or(1.0) == 0 && profile.spatial_convs.value_or(2.0) <= 1;
}

}  // namespace

double convolution_workspace_bytes(const Workload& workload, const ImageProfile& profile) {
  if (profile.workspace_in_lines) {
    return 0.0;
  }
  const double images = workload.batch * pixel_ratio(workload, profile);
  const double dense = std::max(0.0, images * profile.dense3x3_io_bytes - profile.largest_conv_weight_bytes / k_cached_weight_divisor);
  const double all = k_workspace_dense * dense + k_workspace_grouped * images * profile.grouped_io_bytes +
                     k_workspace_large * images * profile.dense_large_io_bytes;
  const double element = compute_bytes(workload.precision) / 4.0;
  const double layout = workload.channels_last ? k_workspace_channels_last : 1.0;
  return all * element * layout * (workload.cudnn_benchmark ? 1.0 : k_workspace_no_benchmark);
}

double reserved_bytes(const Workload& workload, const ImageProfile& profile, const TrainingState& state, const AllocatedPeak& peak) {
  const double simulated = std::max(peak.bytes, (peak.bytes - peak.step_temporary) * fragmentation_ratio(workload, profile));
  const double fragmented = simulated + k_fragmented_weights * state.weights;
  if (!pure_attention(profile)) {
    return fragmented;
  }
  const double step = state.weights + state.optimizer_states + state.gradients + state.step_temporary + k_step_slack * state.weights;
  const double envelope = k_envelope_slack * (peak.step_dominates ? 0.0 : peak.bytes) + k_envelope_weights * state.weights;
  return std::max(peak.bytes, std::min(fragmented, std::max(step, envelope)));
}

}  // namespace gpuadvise::estimate
