#include "estimate/memory/communication.hpp"

#include <gpuadvise/units.hpp>

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// prior: "a few hundred MiB" for 8 GPUs of a node; buffers are kept for every neighbour of the rings and trees
constexpr double k_library_gib = 0.12;
constexpr double k_library_gib_per_peer = 0.03;
constexpr double k_library_peers = 8.0;
constexpr double k_network_gib = 0.12;

}  // namespace

double ddp_bucket_bytes(double gradient_bytes, double ranks) {
  return ranks > 1 ? gradient_bytes : 0.0;
}

double collective_library_bytes(double ranks, double nodes) {
  if (ranks <= 1) {
    return 0.0;
  }
  const double peers = std::min(ranks - 1, k_library_peers - 1);
  return (k_library_gib + k_library_gib_per_peer * peers + (nodes > 1 ? k_network_gib : 0.0)) * k_gib;
}

}  // namespace gpuadvise::estimate
