#include "estimate/memory/recommender_training.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/band.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/optimizer_states.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// The Criteo data sets, which DLRM is measured on: 26 categorical features, one lookup each. prior for others
constexpr double k_features = 26;
// Widths of the two networks of DLRM together, each kept twice (input and activation). prior
constexpr double k_network_elements = 2 * 4096;
// Tables rarely split evenly between GPUs. prior
constexpr double k_imbalance = 1.1;
constexpr double k_slack = 0.10;
constexpr double k_constant_slack_bytes = 0.3 * k_gib;
constexpr BandRow k_band = {"recommender", 0.80, 1.35, ConstantKind::prior, 0, 0.0};

struct TableBytes {
  double weights = 0;
  double states = 0;
};

// Tables are divided by rows or by table whatever the strategy of the networks: replicas of them are of no use.
TableBytes table_bytes(const Workload& w, const RecommenderShape& s, double element) {
  const double gpus = w.all_gpus();
  const double elements = s.rows * s.dim * (gpus > 1 ? k_imbalance / gpus : 1.0);
  return {elements * element, elements * optimizer_bytes(w.optimizer, element).states};
}

}  // namespace

MemoryFigures recommender_training_memory(const Workload& w, const RecommenderShape& s, const Gpu* gpu) {
  // Tables and states keep the type of the weights; autocast only touches the networks.
  const double element = compute_bytes(w.precision) <= 2 && !is_amp(w.precision) ? 2 : 4;
  const TableBytes tables = table_bytes(w, s, element);
  const double network = s.dense_params * element;
  const double gpus = w.all_gpus();
  // Only the rows that a batch touches have gradients.
  const double pooled = w.batch * k_features * s.dim * element;
  const double interactions = w.batch * (k_features + 1) * (k_features + 1) * element;
  const double activations = 2 * pooled + interactions + w.batch * k_network_elements * element;
  // Every GPU sends what it looked up for the others and receives what they looked up for it.
  const double exchange = gpus > 1 ? 2 * pooled : 0;
  const double buckets = ddp_bucket_bytes(network, gpus);

  MemoryParts parts;
  parts.components.weights = tables.weights + network;
  parts.components.gradients = pooled + network;
  parts.components.optimizer_states = tables.states + s.dense_params * optimizer_bytes(w.optimizer, element).states;
  double host = 0;
  if (w.offload.kind == OffloadKind::optimizer || w.offload.kind == OffloadKind::params) {
    const bool tables_too = w.offload.kind == OffloadKind::params;
    host = (tables.states + (tables_too ? tables.weights : 0)) * gpus;
    parts.components.optimizer_states -= tables.states;
    parts.components.weights -= tables_too ? tables.weights : 0;
  }
  parts.components.activations = activations;
  parts.components.workspace = blas_workspace_bytes(gpu);
  const double moving = activations + pooled + exchange + buckets;
  const double allocated = parts.components.sum() + exchange + buckets;
  const Interval runtime = runtime_bytes(true, w.module_loading, gpu);
  const double collectives = collective_library_bytes(gpus, w.nodes);
  parts.components.communication = exchange + buckets + collectives;
  parts.components.runtime = runtime.expected;
  parts.components.fragmentation = k_slack * moving + k_constant_slack_bytes;

  parts.allocated = banded(allocated, k_band);
  parts.reserved = banded(allocated + parts.components.fragmentation, k_band);
  parts.device = shifted(sum_independent(parts.reserved, runtime), collectives);
  parts.runtime = runtime;
  parts.communication_bytes = collectives;
  parts.host_bytes = host;
  parts.gpus = gpus;
  return assemble(parts);
}

}  // namespace gpuadvise::estimate
