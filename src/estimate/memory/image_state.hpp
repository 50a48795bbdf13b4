// Parameters of an image network in training: weights, gradients, optimizer states, and how they live through a step.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// Bytes on one GPU.
struct TrainingState {
  double weights = 0;
  double gradients = 0;
  double optimizer_states = 0;
  double step_temporary = 0;
  double buckets = 0;              // flat gradient copies of DistributedDataParallel
  double host = 0;                 // what is kept in the host's memory instead
  bool gradients_persist = false;  // through the forward pass as well, so the step never starts without them
};

// Parameters with the head of the requested number of classes.
[[nodiscard]] double parameter_count(const Workload& workload, const ImageProfile& profile);

[[nodiscard]] TrainingState training_state(const Workload& workload, const ImageProfile& profile);

}  // namespace gpuadvise::estimate
