// What diffusion tuning holds from step to step, and what the training program keeps on the card beside the denoiser.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// What the training program keeps on the card beside the denoiser.
struct DiffusionProgram {
  Stack stack = Stack::none;
  bool encoders_on_card = true;  // text encoders and autoencoder run in every step; otherwise their output is cached
  double slack = 0.12;           // reserved over allocated, of what lives within a step
};
[[nodiscard]] const DiffusionProgram& diffusion_program(Stack stack);

struct DiffusionStorage {
  double base = 2;      // bytes of a weight of the denoiser
  double trained = 4;   // bytes of a trained parameter
  double resident = 2;  // bytes of a weight of encoders and autoencoder
  bool quantised = false;
};

[[nodiscard]] DiffusionStorage diffusion_storage(const Workload& workload);

// Bytes of one GPU; host for all of them.
struct DiffusionHeld {
  double weights = 0;
  double gradients = 0;
  double states = 0;
  double buckets = 0;
  double host = 0;
};
[[nodiscard]] DiffusionHeld diffusion_held(const Workload& workload, const DiffusionPipeline& pipeline, const DiffusionProgram& program);

}  // namespace gpuadvise::estimate
