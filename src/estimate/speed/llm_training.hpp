// Training and tuning of language models: tokens a second, with checkpointing, adapters, sharding and splits.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"

#include <optional>

namespace gpuadvise::estimate {

// How the cards of a job divide a step: `replicas` groups of tensor x pipeline x context cards.
struct Division {
  double replicas = 1.0;
  double tensor = 1.0;
  double pipeline = 1.0;
  double context = 1.0;
  bool sharded = false;  // weights gathered for every micro-batch (FSDP, ZeRO-3)
  [[nodiscard]] double group() const { return tensor * pipeline * context; }
};
[[nodiscard]] Division training_division(const Workload& workload);

struct LlmTrainingStep {
  StepTime time;        // one optimizer step
  double tokens = 0.0;  // of all cards
};
[[nodiscard]] std::optional<LlmTrainingStep> llm_training_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu);

}  // namespace gpuadvise::estimate
