// Bytes of a language model's weights as an engine holds them, and how they divide over GPUs.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>

namespace gpuadvise::estimate {

// Over how many GPUs each matrix, and the stack of layers, is divided. Further GPUs hold copies.
struct DeviceSplit {
  double tensor = 1;
  double stages = 1;

  [[nodiscard]] double gpus() const { return tensor * stages; }
};
[[nodiscard]] DeviceSplit device_split(const Workload& workload);

// One whole model, by where its parts may lie.
struct WeightBytes {
  double embedding = 0;       // the look-up table
  double head = 0;            // 0 where it is the same matrix as the embedding
  double layers = 0;          // one copy of all layers
  double layers_of_rank = 0;  // the same as one rank of a tensor-parallel group holds it
  double experts = 0;         // what of `layers` is routed experts
  double outer = 0;           // vision tower, adapters, positions, last norm
  double layer_count = 1;
  double largest_matrix = 0;  // elements, in a layer
  double split_qkv = 0;       // what of `layers` is separate query, key and value matrices
  double untied_head = 0;     // head that loading materialises although the model runs tied

  [[nodiscard]] double total() const { return embedding + head + layers + outer; }
};

// The card decides how servers pad what they hold in MXFP4; null = a card like those of most published logs (Hopper).
[[nodiscard]] WeightBytes weight_bytes(const Workload& workload, const TransformerShape& shape, const Gpu* gpu = nullptr);

// On the fullest GPU, and summed over the GPUs of one copy.
[[nodiscard]] double weights_per_gpu(const WeightBytes& weights, const DeviceSplit& split);
[[nodiscard]] double weights_all_gpus(const WeightBytes& weights, const DeviceSplit& split);

// Where the weights lie under an offload mode.
struct WeightPlacement {
  double gpu = 0;  // on the fullest GPU
  double all_gpus = 0;
  double host = 0;
  double kv_share = 1;  // of the key-value cache that stays with the layers on GPUs
};
[[nodiscard]] WeightPlacement place_weights(const WeightBytes& weights, const DeviceSplit& split, const Workload& workload);

// A published 8-bit checkpoint may keep its attention in 16 bits (Llama-3.1-405B does): what that adds to one copy.
[[nodiscard]] double attention_in_16_bits_extra(const TransformerShape& shape);

// The same for each GPU of a request in FP8 whose model's published FP8 checkpoint is such a one: the weights are counted all in
// FP8, and the checkpoint takes this much more. nullopt where it takes no more.
[[nodiscard]] std::optional<double> checkpoint_extra_bytes_per_gpu(const Workload& workload, const TransformerShape& shape);

// Share of a model's keys and values, and of its KV projections, that one tensor-parallel rank holds: heads are copied
// when there are fewer than ranks, and latent attention keeps one vector for all heads on every rank.
[[nodiscard]] double kv_share_of_rank(const TransformerShape& shape, double tensor_ranks);

}  // namespace gpuadvise::estimate
