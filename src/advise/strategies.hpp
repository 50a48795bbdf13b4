// Ways to divide one job over the same GPUs: which is taken, and why, in words.
#pragma once

#include <gpuadvise/estimate.hpp>

#include "advise/candidates.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuadvise::advise {

struct TriedWay {
  Workload workload;  // as divided
  Figures figures;
  bool accepted = false;
};

// Sound fits before tight ones unless those are more than twice as fast, then the fastest; of ways within 10 %, which no estimate
// tells apart, the first. nullopt = none is accepted.
[[nodiscard]] std::optional<std::size_t> best_way(std::span<const TriedWay> tried);

// "fsdp", "tp 4 x pp 2", "8 copies".
[[nodiscard]] std::string way_words(const Workload& workload);

// What of the n-fold speed is lost, and to what; empty where the efficiency is not known.
[[nodiscard]] std::string loss_words(const Workload& workload, const SpeedFigures& speed, const Gpu& gpu);

// One sentence on the choice, with the runner-up.
[[nodiscard]] std::string way_reason(std::span<const TriedWay> tried, std::size_t best, const Gpu& gpu);

// Every way over the GPUs of the request on one card; empty where there is but one.
[[nodiscard]] std::vector<TriedWay> try_ways(const Request& request, const Gpu& gpu, estimate::CardUse use);

}  // namespace gpuadvise::advise
