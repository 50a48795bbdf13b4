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

// Defaults of DeepSpeed, in elements: buckets of stages 1 and 2 (one to reduce, one to gather), the flat buffer that
// stage 3 sets aside for reductions, and the parameters that stage 3 keeps gathered.
constexpr double k_zero_bucket = 2e8;
constexpr double k_zero3_bucket = 5e8;
constexpr double k_zero3_live = 1e9;
constexpr double k_zero3_live_share = 0.9;  // prior
constexpr double k_sixteen_bits = 2;

struct Gathered {
  double weights = 0;
  double gradients = 0;
};

// FSDP holds the unit in work and the one fetched ahead, and the embeddings, which are a unit of their own; the gradients
// of both are whole until they are reduced. A head of its own is reduced before the blocks, a tied one at the end.
Gathered fsdp_gathered(const ParameterSplit& split, const TransformerShape& s, const TrainingMode& mode, const StackBehaviour& stack) {
  const double unit = (split.linear + split.experts) / std::max(1.0, all_layers(s));
  const double compute = mode.autocast ? k_sixteen_bits : mode.base;
  const double weight = mode.storage == BaseStorage::plain ? std::min(compute, mode.base) : mode.quantised;
  const double gradient = s.tied_embeddings ? unit + split.embedding : std::max(unit, split.embedding / 2);
  const double embedding = split.embedding * std::min(compute, mode.embedding);
  const double weights = stack.own_embedding_unit ? std::max(2 * unit * weight, embedding) : 2 * unit * weight + embedding;
  return {weights, mode.trains_base ? gradient * compute : 0.0};
}

Gathered gathered(const Workload& w, const ParameterSplit& split, const TransformerShape& s, const TrainingMode& mode,
                  const StackBehaviour& stack, const Parallel& parallel) {
  Gathered whole = fsdp_gathered(split, s, mode, stack);
  if (w.strategy == Strategy::zero3) {
    whole.weights = std::max(whole.weights, k_zero3_live_share * k_sixteen_bits * std::min(split.total(), k_zero3_live));
  } else if (parallel.pipeline > 1 && mode.trains_base) {
    // The stages of a pipeline run many micro-batches between two reductions and keep their weights gathered.
    whole.weights = k_sixteen_bits * split.total() / parallel.pipeline;
  }
  return {whole.weights / parallel.tensor, whole.gradients / parallel.tensor};
}

// Gradients are reduced after the last micro-batch of a step only: where the program says so, and always between the stages of
// a pipeline.
bool reduces_late(const Workload& w, const StackBehaviour& stack, const Parallel& parallel) {
  const bool late = stack.fsdp_accumulates || parallel.pipeline > 1 || (w.accumulate > 1 && stack.delays_reduction);
  return w.strategy == Strategy::fsdp && late && w.offload.kind == OffloadKind::none;
}

double bucket_bytes(const Workload& w, double gradients, const Parallel& parallel) {
  switch (w.strategy) {
    case Strategy::zero1:
    case Strategy::zero2:
      return std::min(2 * k_zero_bucket * k_sixteen_bits, 2 * gradients);
    case Strategy::zero3:
      return k_zero3_bucket * k_sixteen_bits;
    case Strategy::fsdp:
      return 0;
    default:
      return ddp_bucket_bytes(gradients, parallel.data);
  }
}

bool keeps_weights_on_host(OffloadKind kind) {
  return kind == OffloadKind::params || kind == OffloadKind::model || kind == OffloadKind::sequential;
}

// The stage at an end of the pipeline has its share of the blocks and the embeddings, or the head.
double stage_share(const ParameterSplit& split, const TransformerShape& s, double stages) {
  if (stages <= 1 || split.total() <= 0) {
    return 1;
  }
  const double end = split.embedding * (s.tied_embeddings ? 1.0 : 0.5);
  return ((split.total() - split.embedding) / stages + end) / split.total();
}

// What is offloaded leaves the card but for the units in work.
void move_to_host(const Workload& w, const TransformerShape& s, const Gathered& in_work, ShardedBytes& bytes) {
  const double gpus = w.all_gpus();
  if (w.offload.kind == OffloadKind::optimizer) {
    bytes.host = bytes.states * gpus;
    bytes.states = 0;
  } else if (w.offload.kind == OffloadKind::layers) {
    const double away = 1 - std::min(1.0, w.offload.layers_on_gpu / std::max(1.0, all_layers(s)));
    bytes.host = away * bytes.weights * gpus;
    bytes.gathered += std::min(in_work.weights, away * bytes.weights);
    bytes.weights *= 1 - away;
  } else if (keeps_weights_on_host(w.offload.kind)) {
    bytes.host = (bytes.weights + bytes.gradients + bytes.states) * gpus;
    bytes.gathered = std::min(in_work.weights + in_work.gradients, bytes.weights + bytes.gradients + bytes.gathered);
    bytes.weights = bytes.gradients = bytes.states = 0;
  }
}

}  // namespace

Parallel parallel_degrees(const Workload& w, const StackBehaviour& stack) {
  Parallel parallel;
  const double all = w.all_gpus();
  parallel.tensor = std::max(1.0, w.strategy == Strategy::tp && w.tp <= 1 ? w.gpus : w.tp);
  parallel.pipeline = std::max(1.0, (w.strategy == Strategy::pp || w.strategy == Strategy::layer_split) && w.pp <= 1 ? all : w.pp);
  parallel.context = std::max(1.0, w.cp);
  parallel.data = std::max(1.0, all / (parallel.tensor * parallel.pipeline * parallel.context));
  parallel.sequence_parallel = stack.sequence_parallel;
  return parallel;
}

ShardedBytes shard(const Workload& w, const TransformerShape& s, const ParameterSplit& split, const TrainingMode& mode,
                   const StackBehaviour& stack, const StaticBytes& whole, const Parallel& parallel) {
  const Divided divided = divided_by(w.strategy);
  // Context-parallel ranks hold the same weights and shard them as data-parallel ones do.
  const double ranks = parallel.data * parallel.context;
  const double of_model = stage_share(split, s, parallel.pipeline) / parallel.tensor;
  const auto part = [&](double bytes, bool by_ranks) { return bytes * of_model / (by_ranks ? ranks : 1.0); };
  ShardedBytes bytes;
  bytes.weights = part(whole.weights(), divided.weights);
  bytes.gradients = part(whole.gradients, divided.gradients && !reduces_late(w, stack, parallel));
  bytes.states = part(whole.states, divided.states);
  const Gathered in_work = gathered(w, split, s, mode, stack, parallel);
  if (ranks > 1) {
    bytes.buckets = bucket_bytes(w, part(whole.gradients, divided.gradients), parallel);
    if (divided.weights) {
      // Never more than what the shards leave out.
      bytes.gathered = std::min(in_work.weights, part(whole.weights(), false) - bytes.weights) +
                       std::min(in_work.gradients, part(whole.gradients, false) - bytes.gradients);
    }
  }
  move_to_host(w, s, in_work, bytes);
  return bytes;
}

}  // namespace gpuadvise::estimate
