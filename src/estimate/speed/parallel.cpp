#include "estimate/speed/parallel.hpp"

#include "estimate/speed/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

constexpr double k_usual_node = 8.0;
constexpr double k_bridged_cards = 2.0;

// GeForce cards and laptops copy through host memory; workstation and data-centre cards reach each other directly.
bool peer_to_peer(const Gpu& gpu) {
  return gpu.segment == Segment::datacenter || gpu.segment == Segment::workstation;
}

Link pcie_link(const Gpu& gpu) {
  const double share = constant(peer_to_peer(gpu) ? row("parallel.pcie.peer") : row("parallel.pcie.no_peer"));
  const double rate = slot_gb_s(gpu) * share;
  return {rate, rate, false};
}

// Collectives run as many rings as a node has adapters, so a card's share of a transfer crosses at the rate of the whole node.
double network_gb_s(const Gpu& gpu, const Workload& workload, double per_node) {
  return constant(row("parallel.network")) / 8.0 * workload.network_gbit_s.value_or(usual_network_gbit_s(gpu, per_node));
}

Link node_link(const Gpu& gpu, const Workload& workload, double cards) {
  const double link = gpu.link_gb_s.value_or(0.0);
  if (switched_form(gpu)) {
    return {link * constant(row("parallel.link.all_reduce")), link * constant(row("parallel.link.all_gather")), true};
  }
  const Link slot = pcie_link(gpu);
  if (link > 0.0 && workload.nvlink_bridge) {
    // A bridge joins pairs (some three or four): a ring over more cards still crosses a slot.
    const bool all_joined = cards <= gpu.link_max_gpus.value_or(k_bridged_cards);
    const double bridge = link * constant(row("parallel.bridge"));
    const double rate = all_joined ? bridge : std::sqrt(bridge * slot.all_reduce_gb_s);
    return {std::max(rate, slot.all_reduce_gb_s), std::max(rate, slot.all_gather_gb_s), all_joined};
  }
  return slot;
}

double ring_share(double cards) {
  return (cards - 1.0) / cards;
}

}  // namespace

// 8 GT/s a lane in generation 3, doubled by each later one.
double slot_gb_s(const Gpu& gpu) {
  const double generation = gpu.pcie_generation.value_or(4.0);
  const double lanes = std::min(gpu.pcie_lanes.value_or(16.0), 16.0);
  return 0.985 * lanes * std::exp2(generation - 3.0);
}

Cluster cluster_of(const Workload& workload, const Gpu& gpu) {
  const double linked = switched_form(gpu) ? std::max(gpu.link_max_gpus.value_or(k_usual_node), k_usual_node) : 2.0 * k_usual_node;
  return {workload.all_gpus(), std::min(workload.gpus, linked)};
}

bool switched_form(const Gpu& gpu) {
  return (gpu.form_factor == FormFactor::sxm || gpu.form_factor == FormFactor::oam) && gpu.link_gb_s.value_or(0.0) > 0.0;
}

// Machines of SXM and OAM boards come with an adapter of 400 Gbit/s a GPU, others with 100 Gbit/s a node.
double usual_network_gbit_s(const Gpu& gpu, double cards_of_node) {
  return switched_form(gpu) ? 400.0 * cards_of_node : 100.0;
}

Link cluster_link(const Gpu& gpu, const Workload& workload, const Cluster& cluster, double rings) {
  Link link = node_link(gpu, workload, std::min(cluster.gpus, cluster.per_node));
  if (cluster.several_nodes()) {
    const double network = network_gb_s(gpu, workload, cluster.per_node) / std::clamp(rings, 1.0, cluster.per_node);
    link.all_reduce_gb_s = std::min(link.all_reduce_gb_s, network);
    link.all_gather_gb_s = std::min(link.all_gather_gb_s, network);
    link.switched = false;
  }
  return link;
}

Link group_link(const Gpu& gpu, const Workload& workload, double cards) {
  const Cluster cluster = cluster_of(workload, gpu);
  return cards > cluster.per_node ? cluster_link(gpu, workload, cluster) : node_link(gpu, workload, cards);
}

double data_parallel_seconds(const Link& link, double cards, double gradient_bytes, double micro) {
  if (cards <= 1.0) {
    return 0.0;
  }
  const double send = 2.0 * ring_share(cards) * gradient_bytes / (link.all_reduce_gb_s * 1e9);
  // Half of the step, the backward pass, can hide it; part of what could be hidden still delays: the last bucket, and
  // kernels that share memory with the copies.
  const double window = constant(row("parallel.overlap")) * micro;
  const double jitter = constant(row("parallel.jitter")) * ring_share(cards) * micro;
  return jitter + std::max(send - window, 0.0) + constant(row("parallel.never_hidden")) * std::min(send, window);
}

double sharded_seconds(const Link& link, double cards, double volume_bytes, double micro) {
  if (cards <= 1.0) {
    return 0.0;
  }
  const double send = ring_share(cards) * volume_bytes / (link.all_gather_gb_s * 1e9);
  return soft_maximum(micro, send) - micro + constant(row("llm_training.exposed")) * send;
}

double tensor_parallel_seconds(const Link& link, double cards, double message_bytes, double all_reduces) {
  if (cards <= 1.0) {
    return 0.0;
  }
  const double send = 2.0 * ring_share(cards) * message_bytes / (link.all_gather_gb_s * 1e9);
  return constant(row("llm_training.tensor_parallel_exposed")) * send * all_reduces;
}

double stage_seconds(const Link& link, double message_bytes, double micro) {
  return soft_maximum(micro, 2.0 * message_bytes / (link.all_gather_gb_s * 1e9)) - micro;
}

double pipeline_efficiency(double stages, double micro_batches) {
  if (stages <= 1.0) {
    return 1.0;
  }
  return constant(row("llm_training.pipeline")) * micro_batches / (micro_batches + stages - 1.0);
}

}  // namespace gpuadvise::estimate
