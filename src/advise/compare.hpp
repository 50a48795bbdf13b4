// Cards side by side for one job: what they are, what they do, what that costs, and where their order changes.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/compare_flips.hpp"
#include "advise/solve.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

// unknown: one of the two cannot run the job.
enum class Relation : std::uint8_t { unknown, base, faster, slower, tie };
[[nodiscard]] std::string_view to_string(Relation relation);

// Against the same class one generation earlier.
struct Gain {
  const Gpu* over = nullptr;
  std::optional<double> speed;  // of this job; unset where either cannot run it
  std::optional<double> bandwidth;
  std::optional<double> rate;  // 16-bit matrix arithmetic
  double memory = 1.0;
};

struct Compared {
  const Gpu* gpu = nullptr;
  Figures figures;  // as requested, on this card
  Costs cost;
  std::optional<Recommendation> ranked;
  std::optional<Rejection> rejected;
  std::optional<double> rate_tflops;  // 16-bit matrix arithmetic, else 32-bit

  Relation relation = Relation::unknown;
  std::optional<Interval> speed_ratio;  // to the first card; its ends hold 90 % of measured ratios
  std::optional<double> rate_per_gib;
  std::optional<double> bandwidth_per_gib;
  std::optional<double> rate_per_1000_usd;
  std::optional<double> bandwidth_per_1000_usd;
  std::optional<double> gib_per_1000_usd;
  std::optional<double> speed_per_1000_usd;
  std::optional<double> speed_per_100_w;
  std::optional<double> payback_months;  // of buying against the cheapest rent, at the stated hours a day
  std::optional<Gain> gain;
};

// A stretch of batch sizes (requests in flight, tokens) over which the same card is fastest among those that hold the job.
struct Stretch {
  double from = 1.0;
  double to = 1.0;
  const Gpu* fastest = nullptr;  // nullptr: none holds it
  const Gpu* tied = nullptr;     // a card that it cannot be told from
};

struct Comparison {
  Request request;
  std::vector<Compared> cards;
  Sourcing source = Sourcing::buy;  // as wished: what rent costs is shown where it is in question
  std::string varied;               // "batch" or "concurrency"
  std::vector<Stretch> stretches;
  std::vector<Stretch> by_sequence;  // where the model has one
  MoneyFlips money;
};

// By how much measured ratios of two cards on the same job differ from estimated ones: a factor that holds 90 %.
[[nodiscard]] double ratio_factor(const Workload& workload, const Model& model);

[[nodiscard]] Comparison compare(std::span<const Gpu* const> cards, std::span<const Setting> settings, const Preferences& preferences,
                                 const CatalogView& catalog, const Resolver& resolve);

}  // namespace gpuadvise::advise
