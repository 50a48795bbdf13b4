#include "estimate/memory/image_state.hpp"

#include "estimate/memory/communication.hpp"
#include "estimate/memory/optimizer_states.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

constexpr double k_fp32_bytes = 4.0;
// prior: adapters of rank 16 on the attention of a vision transformer are about 1 % of its parameters
constexpr double k_lora_share_per_rank = 0.01 / 16.0;
// prior: what is left to train when the whole backbone is frozen and the profile does not say
constexpr double k_head_share = 0.05;

bool pure_16_bit(const Workload& workload) {
  return workload.precision.kind == PrecisionKind::fp16 || workload.precision.kind == PrecisionKind::bf16;
}

// These libraries were measured with PyTorch 1: zero_grad keeps the gradients (set_to_none came with 2.0) and the
// optimizers walk the tensors one by one, without the foreach temporary.
bool first_generation(Stack stack) {
  return stack == Stack::openmmlab || stack == Stack::detectron2;
}

double trained_count(const Workload& workload, const ImageProfile& profile, double params) {
  if (profile.trained_params) {
    return std::min(params, *profile.trained_params);
  }
  if (workload.method != Method::full) {
    return std::min(params, params * k_lora_share_per_rank * workload.lora_rank);
  }
  return workload.frozen.backbone ? params * k_head_share : params;
}

struct Shards {
  double weights = 1;
  double gradients = 1;
  double states = 1;
};

Shards shards(const Workload& workload) {
  const double ranks = std::max(1.0, workload.all_gpus());
  switch (workload.strategy) {
    case Strategy::zero1:
      return {1, 1, ranks};
    case Strategy::zero2:
      return {1, ranks, ranks};
    case Strategy::zero3:
    case Strategy::fsdp:
      return {ranks, ranks, ranks};
    default:
      return {};
  }
}

void offload_to_host(const Workload& workload, TrainingState& state) {
  const OffloadKind kind = workload.offload.kind;
  if (kind == OffloadKind::optimizer || kind == OffloadKind::params || kind == OffloadKind::model) {
    state.host += state.optimizer_states;
    state.optimizer_states = 0;
    state.step_temporary = 0;
  }
}

}  // namespace

double parameter_count(const Workload& workload, const ImageProfile& profile) {
  const bool other_head = workload.classes > 0 && profile.classes > 0;
  return profile.params + (other_head ? (workload.classes - profile.classes) * profile.params_per_class : 0.0);
}

TrainingState training_state(const Workload& workload, const ImageProfile& profile) {
  const double params = parameter_count(workload, profile);
  const double trained = trained_count(workload, profile, params);
  const double bytes = pure_16_bit(workload) ? k_fp32_bytes / 2 : k_fp32_bytes;
  const Shards shard = shards(workload);
  const OptimizerBytes optimizer = optimizer_bytes(workload.optimizer, bytes);

  TrainingState state;
  state.weights = params * bytes / shard.weights + profile.buffers * k_fp32_bytes;
  if (workload.stack == Stack::ultralytics && workload.optimizer != Optimizer::none) {
    state.weights += params * k_fp32_bytes;  // the trainer's moving average of the weights
  }
  state.gradients = trained * bytes / shard.gradients;
  state.optimizer_states = trained * optimizer.states / shard.states;
  state.step_temporary = first_generation(workload.stack) ? 0.0 : trained * optimizer.temporary / shard.states;
  const bool replicated = workload.strategy == Strategy::ddp || workload.strategy == Strategy::none;
  state.buckets = replicated ? ddp_bucket_bytes(state.gradients, workload.all_gpus()) : 0.0;
  state.gradients_persist = first_generation(workload.stack) || workload.accumulate > 1;
  offload_to_host(workload, state);
  return state;
}

}  // namespace gpuadvise::estimate
