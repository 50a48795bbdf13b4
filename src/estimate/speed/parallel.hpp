// What several GPUs cost: links, collectives, and the ways to divide a step.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"

namespace gpuadvise::estimate {

// GPUs of a job as a set of equal nodes. A job of more cards than one node can link counts as several nodes.
struct Cluster {
  double gpus = 1.0;
  double per_node = 1.0;
  [[nodiscard]] bool several_nodes() const { return gpus > per_node; }
};
[[nodiscard]] Cluster cluster_of(const Workload& workload, const Gpu& gpu);

// GB/s that each GPU sends in a large collective.
struct Link {
  double all_reduce_gb_s = 0.0;
  double all_gather_gb_s = 0.0;
  bool switched = false;  // NVLink or Infinity Fabric between all cards of a node
};
// Cards on one board or joined by one switch, by their form.
[[nodiscard]] bool switched_form(const Gpu& gpu);
// Gbit/s of a node's network, where the user does not say.
[[nodiscard]] double usual_network_gbit_s(const Gpu& gpu, double cards_of_node);
// Between neighbouring cards of a group; over the network where the group is larger than a node.
[[nodiscard]] Link group_link(const Gpu& gpu, const Workload& workload, double cards);
// One direction of a card's slot.
[[nodiscard]] double slot_gb_s(const Gpu& gpu);
// The slowest hop of a ring over the nodes. `rings` of them share a node's network: one for each card of a group that a replica is
// spread over inside the node.
[[nodiscard]] Link cluster_link(const Gpu& gpu, const Workload& workload, const Cluster& cluster, double rings = 1.0);

// Gradients of a micro-batch of `micro` seconds, summed over all cards while the backward pass runs: seconds that remain.
[[nodiscard]] double data_parallel_seconds(const Link& link, double cards, double gradient_bytes, double micro);

// Weights gathered and gradients scattered once a micro-batch; little of it is hidden once it exceeds the computation.
[[nodiscard]] double sharded_seconds(const Link& link, double cards, double volume_bytes, double micro);

// Activations summed over the cards of a tensor-parallel group.
[[nodiscard]] double tensor_parallel_seconds(const Link& link, double cards, double message_bytes, double all_reduces);

// Activations handed from stage to stage and their gradients back, while other micro-batches of `micro` seconds are computed:
// seconds of each that remain.
[[nodiscard]] double stage_seconds(const Link& link, double message_bytes, double micro);

// Share of its time that a pipeline of `stages` works, with `micro_batches` in flight.
[[nodiscard]] double pipeline_efficiency(double stages, double micro_batches);

}  // namespace gpuadvise::estimate
