// An image network without gradients: weights, the inputs and outputs of the largest operator, and what skips over it.
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_memory.hpp"
#include "estimate/memory/inference_terms.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

struct WeightRow {
  PrecisionKind kind;
  double bytes;
};

// Bytes of a weight where they differ from the compute type's.
constexpr auto k_weight_bytes = std::to_array<WeightRow>({
    {PrecisionKind::amp_fp16, 4},
    {PrecisionKind::amp_bf16, 4},
    {PrecisionKind::fp8, 1},
    {PrecisionKind::int8, 1},
    {PrecisionKind::int8_dynamic, 1},
    {PrecisionKind::int8_weight_only, 1},
});

double bytes_per_weight(const Precision& precision) {
  for (const WeightRow& row : k_weight_bytes) {
    if (row.kind == precision.kind) {
      return row.bytes;
    }
  }
  return compute_bytes(precision);
}

constexpr double k_profile_bytes = 4;       // profiles are in fp32
constexpr double k_skip_share = 1.3;        // a residual input waits beside the operator (prior)
constexpr double k_layers_alive = 0.6;      // of a transformer block's saved tensors: the MLP's (prior)
constexpr double k_convolutions_alive = 3;  // of a network whose operators are not itemised (prior)
constexpr double k_fragmentation_share = 0.1;
constexpr BandRow k_band = {"image inference", 0.75, 1.35, ConstantKind::prior, 0, 0};
constexpr std::array<BandRow, 1> k_band_rows = {k_band};

// Alive together at the widest point of the forward pass of one image at the reference size, fp32.
double live_bytes(const ImageProfile& p) {
  const double operators = std::max({p.dense3x3_io_bytes, p.grouped_io_bytes, p.dense_large_io_bytes}) * k_skip_share;
  const double blocks = p.layernorms.value_or(0) / 2;
  const double convolutions = p.convs.value_or(0);
  double by_depth = 0;
  if (blocks >= 1) {
    by_depth = k_layers_alive * p.saved_bytes / blocks;
  } else if (convolutions >= 1) {
    by_depth = k_convolutions_alive * p.saved_bytes / convolutions;
  }
  const double scores =
      p.attention == VisionAttention::eager ? 2 * k_profile_bytes * p.eager_scores.value_or(0) / std::max(1.0, blocks) : 0;
  return std::max(operators, by_depth) + scores;
}

// Pixels (voxels, frames) against the profile's own.
double size_ratio(const Workload& w, const ImageProfile& p) {
  const double height = p.image_height > 0 ? p.image_height : p.image;
  const double reference = height * p.image * std::max(1.0, p.frames);
  const double asked = w.image.height * w.image.width * std::max(1.0, w.image.frames);
  return reference > 0 && asked > 0 ? asked / reference : 1;
}

}  // namespace

std::span<const BandRow> image_inference_band_rows() {
  return k_band_rows;
}

MemoryFigures image_inference_memory(const Workload& w, const ImageProfile& p, const Gpu* gpu) {
  const double element = compute_bytes(w.precision);
  const double pixels = p.channels * p.image * (p.image_height > 0 ? p.image_height : p.image) * std::max(1.0, p.frames) * element;

  InferenceEstimate e;
  e.gpu.weights = p.params * bytes_per_weight(w.precision) + p.buffers * k_profile_bytes;
  e.gpu.activations = std::max(1.0, w.batch) * size_ratio(w, p) * (live_bytes(p) * element / k_profile_bytes + pixels);
  e.gpu.workspace = blas_workspace_bytes(gpu) / 2 + p.largest_conv_weight_bytes;
  e.allocated = e.allocated_all = e.gpu.sum();
  e.steady = e.steady_all = e.gpu.weights;
  e.gpu.fragmentation = k_fragmentation_share * e.gpu.activations;
  e.runtime = runtime_bytes(false, w.module_loading, gpu);
  e.gpu.runtime = e.runtime.expected;
  e.all = e.gpu;
  e.copies = w.all_gpus();
  e.band = k_band;
  return inference_figures(e);
}

}  // namespace gpuadvise::estimate
