// What the denoiser keeps for its backward pass: blocks of a transformer over latent tokens, levels of a U-Net.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// What decides which tensors survive the forward pass.
struct DenoiserMode {
  bool trains_base = false;
  bool keeps_linear_inputs = false;  // a quantised layer that saves its input, whatever it needs
  double element = 2;                // bytes of an activation
};

// Bytes of a whole micro-batch.
struct DenoiserBytes {
  double kept = 0;         // without checkpoints
  double checkpoints = 0;  // inputs of all blocks
  double largest = 0;      // one block
};

// Latent and text tokens of one sample, as the transformer sees them.
[[nodiscard]] double latent_tokens(const Workload& workload, const DiffusionPipeline& pipeline);

[[nodiscard]] DenoiserBytes transformer_denoiser_bytes(const Workload& workload, const DiffusionPipeline& pipeline,
                                                       const DenoiserMode& mode);
[[nodiscard]] DenoiserBytes unet_bytes(const Workload& workload, const DiffusionPipeline& pipeline, const DenoiserMode& mode);

}  // namespace gpuadvise::estimate
