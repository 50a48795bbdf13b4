// One forward pass without gradients: weights, and the widest point of one layer.
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

// Derived from the operators, no rows behind it.
constexpr BandRow k_band = {"encoder inference", 0.88, 1.18, ConstantKind::prior, 0, 0};
constexpr std::array<BandRow, 1> k_band_rows = {k_band};

constexpr double k_fragmentation_share = 0.05;
constexpr double k_small_buffers = 12 * k_mib;  // cuBLAS, masks, pooled output

}  // namespace

std::span<const BandRow> encoder_inference_band_rows() {
  return k_band_rows;
}

InferenceEstimate encoder_memory(const InferenceInput& input) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const Tokens tokens = request_tokens(w);
  const double element = compute_bytes(w.precision);
  const double gpus = input.split.gpus();

  InferenceEstimate e;
  e.gpu.weights = input.placement.gpu;
  e.gpu.activations = tokens.sequences * tokens.total * activation_bytes_per_token(s, element);
  if (w.attention == AttentionBackend::eager) {
    // scores in the compute type and their softmax in fp32
    e.gpu.activations += tokens.sequences * s.heads * tokens.total * tokens.total * (element + 4);
  }
  e.gpu.workspace = k_small_buffers;
  e.all = e.gpu.scaled(gpus);
  e.all.weights = input.placement.all_gpus;
  e.allocated = e.gpu.sum();
  e.allocated_all = e.all.sum();
  e.steady = e.gpu.weights;
  e.steady_all = e.all.weights;
  e.gpu.fragmentation = k_fragmentation_share * e.gpu.activations;
  e.all.fragmentation = k_fragmentation_share * e.all.activations;
  e.runtime = runtime_bytes(false, w.module_loading, input.gpu);
  e.gpu.runtime = e.runtime.expected;
  e.all.runtime = e.runtime.expected * gpus;
  e.copies = model_copies(input);
  e.host_bytes = input.placement.host;
  e.band = k_band;
  return e;
}

}  // namespace gpuadvise::estimate
