#include "estimate/memory/transformer_training_sharding.hpp"

#include <gpuadvise/units.hpp>

#include "estimate/memory/communication.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// What each strategy divides by the number of ranks.
struct Divided {
  Strategy strategy = Strategy::none;
  bool weights = false, gradients = false, states = false;
};
constexpr Divided k_divided[] = {
    {Strategy::fsdp, true, true, true},
    {Strategy::zero3, true, true, true},
    {Strategy::zero2, false, true, true},
    {Strategy::zero1, false, false, true},
};

Divided divided_by(Strategy strategy) {
  for (const Divided& row : k_divided) {
    if (row.strategy == strategy) {
      return row;
    }
  }
  return {};
}

// Defaults of DeepSpeed: reduce and gather buckets of 2e8 elements, 1e9 live parameters in stage 3.
constexpr double k_zero_bucket_elements = 2e8;
constexpr double k_zero3_live_elements = 1e9;
constexpr double k_zero3_live_share = 0.9;  // fitted by eye on two sources

// FSDP holds the unit in work and the one fetched ahead, and the embeddings, which are a unit of their own.
double fsdp_gathered(const ParameterSplit& split, const TransformerShape& s, const TrainingMode& mode) {
  const double unit = (split.linear + split.experts) / std::max(1.0, all_layers(s));
  const double sixteen = std::min(mode.compute, 2.0 + (mode.autocast ? 0.0 : 2.0));
  const double weight = mode.storage == BaseStorage::plain ? (mode.trains_base ? sixteen : std::min(mode.base, 2.0)) : mode.quantised;
  const double gradient = mode.trains_base ? unit * sixteen : 0.0;
  return 2 * unit * weight + split.embedding * 2 + gradient;
}

double gathered_bytes(const Workload& w, const ParameterSplit& split, const TransformerShape& s, const TrainingMode& mode) {
  const double fsdp = fsdp_gathered(split, s, mode);
  if (w.strategy != Strategy::zero3) {
    return fsdp;
  }
  return std::max(fsdp, k_zero3_live_share * 2 * std::min(split.total(), k_zero3_live_elements));
}

double bucket_bytes(const Workload& w, double gradients, const Parallel& parallel, double trained_bytes) {
  switch (w.strategy) {
    case Strategy::zero1:
    case Strategy::zero2:
      return std::min(2 * k_zero_bucket_elements * 2, 2 * gradients);
    case Strategy::fsdp:
    case Strategy::zero3:
      return 0;
    default:
      return trained_bytes > 0 ? ddp_bucket_bytes(gradients, parallel.data) : 0;
  }
}

}  // namespace

Parallel parallel_degrees(const Workload& w) {
  Parallel parallel;
  const double all = w.all_gpus();
  parallel.tensor = std::max(1.0, w.strategy == Strategy::tp && w.tp <= 1 ? w.gpus : w.tp);
  parallel.pipeline = std::max(1.0, (w.strategy == Strategy::pp || w.strategy == Strategy::layer_split) && w.pp <= 1 ? all : w.pp);
  parallel.context = std::max(1.0, w.cp);
  parallel.data = std::max(1.0, all / (parallel.tensor * parallel.pipeline * parallel.context));
  parallel.sequence_parallel = w.stack == Stack::megatron || w.stack == Stack::torchtitan;
  return parallel;
}

ShardedBytes shard(const Workload& w, const TransformerShape& s, const ParameterSplit& split, const TrainingMode& mode,
                   const StaticBytes& whole, const Parallel& parallel) {
  const Divided divided = divided_by(w.strategy);
  // Context-parallel ranks hold the same weights and shard them as data-parallel ones do.
  const double ranks = parallel.data * parallel.context;
  const double model_parallel = parallel.tensor * parallel.pipeline;
  const auto part = [&](double bytes, bool by_ranks) { return bytes / model_parallel / (by_ranks ? ranks : 1.0); };
  ShardedBytes bytes;
  bytes.weights = part(whole.weights(), divided.weights);
  bytes.gradients = part(whole.gradients, divided.gradients);
  bytes.states = part(whole.states, divided.states);
  // A DeepSpeed model in 16 bits has its fp32 weights among the states.
  if (ranks > 1 && divided.weights) {
    bytes.gathered = gathered_bytes(w, split, s, mode) / parallel.tensor;
  }
  if (ranks > 1) {
    bytes.buckets = bucket_bytes(w, part(whole.gradients, divided.gradients), parallel, mode.trained);
  }
  const double gpus = w.all_gpus();
  if (w.offload.kind == OffloadKind::optimizer) {
    bytes.host = bytes.states * gpus;
    bytes.states = 0;
  } else if (w.offload.kind == OffloadKind::params || w.offload.kind == OffloadKind::model || w.offload.kind == OffloadKind::sequential) {
    bytes.host = (bytes.weights + bytes.gradients + bytes.states) * gpus;
    bytes.weights = bytes.gradients = bytes.states = 0;
    // One layer at a time is on the card, and the next on its way.
    bytes.gathered = std::max(bytes.gathered, gathered_bytes(w, split, s, mode) / parallel.tensor);
  }
  return bytes;
}

}  // namespace gpuadvise::estimate
