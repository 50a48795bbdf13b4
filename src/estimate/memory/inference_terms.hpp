// What every inference engine's estimate is made of, and how it becomes the three figures.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/band.hpp"
#include "estimate/memory/weights.hpp"

#include <optional>

namespace gpuadvise::estimate {

// A request to an engine: the workload with what follows from it at once.
struct InferenceInput {
  const Workload& workload;
  const TransformerShape& shape;
  const Gpu* gpu = nullptr;
  DeviceSplit split;
  WeightBytes weights;
  WeightPlacement placement;
};
[[nodiscard]] InferenceInput inference_input(const Workload& workload, const TransformerShape& shape, const Gpu* gpu);

// How many whole copies of the model the GPUs hold.
[[nodiscard]] double model_copies(const InferenceInput& input);

struct InferenceEstimate {
  MemoryComponents gpu;  // fullest GPU; they sum to the device figure
  MemoryComponents all;  // of the GPUs that share one copy of the model
  double copies = 1;     // copies on further GPUs
  double allocated = 0;  // live tensors at the peak
  double allocated_all = 0;
  double steady = 0;
  double steady_all = 0;
  double host_bytes = 0;
  Interval runtime;
  BandRow band;                        // of all but the runtime
  std::optional<double> minimum_card;  // bytes a card must have for this engine to start, where above the common rule
};

[[nodiscard]] MemoryFigures inference_figures(const InferenceEstimate& estimate);

// Tokens of a request, all sequences alike.
struct Tokens {
  double sequences = 1;
  double prompt = 0;
  double total = 0;  // prompt and answer
};
[[nodiscard]] Tokens request_tokens(const Workload& workload);

// Bytes of activations that one token takes at the widest point of a layer without gradients: the inputs and outputs of
// the MLP (gate, up and their product: 3 x ff), or those of attention.
[[nodiscard]] double activation_bytes_per_token(const TransformerShape& shape, double element_bytes);
// Width of the MLP one token passes through.
[[nodiscard]] double mlp_width_of_token(const TransformerShape& shape);

// Memory that CUDA reports for a card, or what the workload says; nullopt for an unknown card.
[[nodiscard]] std::optional<double> device_total_bytes(const Workload& workload, const Gpu* gpu);

}  // namespace gpuadvise::estimate
