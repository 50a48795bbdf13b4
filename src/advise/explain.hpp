// Where the figures of one card come from, what its score is made of, and which setting moves them most.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/explain_basis.hpp"
#include "advise/solve.hpp"
#include "advise/strategies.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

struct SpeedTerm {
  std::string_view name;
  double share = 0.0;
  double seconds = 0.0;  // of a step
  std::string_view formula;
  TermSource source;
};

// One setting moved by one step, the rest as it was.
struct Sensitivity {
  std::string key;
  std::string from;
  std::string to;
  bool assumed = false;  // the user did not state it
  double need_ratio = 1.0;
  std::optional<double> speed_ratio;
  Verdict verdict = Verdict::no;
  std::optional<double> score_change;
};

struct Explanation {
  Request request;  // as it runs here
  const Gpu* gpu = nullptr;
  Figures figures;
  std::vector<MemoryTerm> memory;  // largest first; they sum to the device figure
  const Basis* memory_basis = nullptr;
  std::vector<SpeedTerm> speed;  // in order of share
  const Basis* speed_basis = nullptr;
  std::vector<TriedWay> ways;  // to divide the job over its GPUs, as requested first; empty where there is but one
  std::optional<std::size_t> best;
  std::optional<Recommendation> accepted;
  std::optional<Rejection> rejected;
  std::vector<Sensitivity> sensitivity;  // what moves need or speed most comes first
};

[[nodiscard]] Explanation explain(const Gpu& gpu, std::span<const Setting> settings, const Preferences& preferences,
                                  const CatalogView& catalog, const Resolver& resolve);

}  // namespace gpuadvise::advise
