// The largest value of one setting (the least number of GPUs) with which a job fits a card, by search on the one estimator:
// memory is never inverted by division, because windows, tiles and workspaces make it no straight line.
#pragma once

#include <gpuadvise/estimate.hpp>
#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::advise {

enum class SolveFor : std::uint8_t { batch, seq, image, gpus, lora_rank, concurrency };
[[nodiscard]] std::string_view to_string(SolveFor what);
[[nodiscard]] std::optional<SolveFor> parse_solve_for(std::string_view text);

struct SolveQuestion {
  SolveFor what = SolveFor::batch;
  double probability = 0.95;
  bool round = false;  // to values people use: multiples of 8, powers of two
};

// Resolves settings as every command does; throws Error where they cannot be.
using Resolver = std::function<Request(std::span<const Setting>)>;

struct SolvePoint {
  double value = 0.0;
  Request request;
  Figures figures;
};

struct Solution {
  std::optional<SolvePoint> best;   // unset: no value fits
  std::optional<SolvePoint> next;   // the neighbour that does not fit, or the least value where none does; unset: a limit came first
  std::optional<double> unrounded;  // the best value before rounding, where that changed it
  std::string limit;                // what ended the search where memory did not
};

// Throws Error where the settings hold the one that is asked for, or cannot be resolved at the first value.
[[nodiscard]] Solution solve(const SolveQuestion& question, std::span<const Setting> settings, const Gpu& gpu, estimate::CardUse use,
                             const Resolver& resolve);

}  // namespace gpuadvise::advise
