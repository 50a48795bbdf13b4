// How a model is spread over GPUs, and what the spreading needs itself.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_static.hpp"

namespace gpuadvise::estimate {

struct Parallel {
  double tensor = 1, pipeline = 1, context = 1;
  double data = 1;  // replicas or shards
  bool sequence_parallel = false;
};
[[nodiscard]] Parallel parallel_degrees(const Workload& workload, const StackBehaviour& stack);

// Bytes of one GPU.
struct ShardedBytes {
  double weights = 0;
  double gradients = 0;
  double states = 0;
  double gathered = 0;  // whole parameters and gradients of the units in work
  double buckets = 0;   // flat copies for reductions
  double host = 0;      // of all GPUs together
};
[[nodiscard]] ShardedBytes shard(const Workload& workload, const TransformerShape& shape, const ParameterSplit& split,
                                 const TrainingMode& mode, const StackBehaviour& stack, const StaticBytes& whole, const Parallel& parallel);

}  // namespace gpuadvise::estimate
