#include "estimate/memory/recommender_training.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/band.hpp"
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/optimizer_states.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

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
constexpr std::array<BandRow, 1> k_band_rows = {k_band};

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

// Tables and states keep the type of the weights; autocast only touches the networks.
double element_bytes(const Workload& w) {
  return compute_bytes(w.precision) <= 2 && !is_amp(w.precision) ? 2 : 4;
}

// Fills in everything that follows from the components inside the framework's allocator.
MemoryFigures finish(const Workload& w, const Gpu* gpu, MemoryParts parts, double moving) {
  parts.components.workspace = blas_workspace_bytes(gpu);
  const double allocated = parts.components.sum();
  const Interval runtime = runtime_bytes(w.training(), w.module_loading, gpu);
  const double collectives = collective_library_bytes(w.all_gpus(), w.nodes);
  parts.components.communication += collectives;
  parts.components.runtime = runtime.expected;
  parts.components.fragmentation = k_slack * moving + k_constant_slack_bytes;
  parts.allocated = banded(allocated, k_band);
  parts.reserved = banded(allocated + parts.components.fragmentation, k_band);
  parts.device = shifted(sum_independent(parts.reserved, runtime), collectives);
  parts.runtime = runtime;
  parts.communication_bytes = collectives;
  parts.gpus = w.all_gpus();
  return assemble(parts);
}

}  // namespace

std::span<const BandRow> recommender_band_rows() {
  return k_band_rows;
}

MemoryFigures recommender_training_memory(const Workload& w, const RecommenderShape& s, const Gpu* gpu) {
  const double element = element_bytes(w);
  const TableBytes tables = table_bytes(w, s, element);
  const double network = s.dense_params * element;
  const double gpus = w.all_gpus();
  // Only the rows that a batch touches have gradients.
  const double pooled = w.batch * k_features * s.dim * element;
  const double interactions = w.batch * (k_features + 1) * (k_features + 1) * element;

  MemoryParts parts;
  parts.components.weights = tables.weights + network;
  parts.components.gradients = pooled + network;
  parts.components.optimizer_states = tables.states + s.dense_params * optimizer_bytes(w.optimizer, element).states;
  parts.components.activations = 2 * pooled + interactions + w.batch * k_network_elements * element;
  // Every GPU sends what it looked up for the others and receives what they looked up for it; the networks are replicas.
  parts.components.communication = (gpus > 1 ? 2 * pooled : 0) + ddp_bucket_bytes(network, gpus);
  if (w.offload.kind == OffloadKind::optimizer || w.offload.kind == OffloadKind::params) {
    const double weights = w.offload.kind == OffloadKind::params ? tables.weights : 0;
    parts.components.optimizer_states -= tables.states;
    parts.components.weights -= weights;
    parts.host_bytes = (tables.states + weights) * gpus;
  }
  return finish(w, gpu, parts, parts.components.activations + pooled + parts.components.communication);
}

MemoryFigures recommender_inference_memory(const Workload& w, const RecommenderShape& s, const Gpu* gpu) {
  const double element = element_bytes(w);
  const double pooled = w.batch * k_features * s.dim * element;
  MemoryParts parts;
  parts.components.weights = table_bytes(w, s, element).weights + s.dense_params * element;
  parts.components.activations = pooled + w.batch * k_network_elements * element;
  parts.components.communication = w.all_gpus() > 1 ? 2 * pooled : 0;
  return finish(w, gpu, parts, parts.components.activations + parts.components.communication);
}

}  // namespace gpuadvise::estimate
