#include "advise/reasons.hpp"

#include <gpuadvise/units.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gpuadvise::advise {
namespace {

std::optional<double> negated(const std::optional<double>& value) {
  return value ? std::optional<double>(-*value) : std::nullopt;
}

// A superlative goes to the one result with the largest measure.
struct Superlative {
  std::string_view words;
  std::optional<double> (*measure)(const Recommendation&);
};

constexpr auto k_superlatives = std::to_array<Superlative>({
    {"cheapest that fits",
     [](const Recommendation& r) { return r.source == Sourcing::rent ? std::nullopt : negated(r.cost.purchase_usd); }},
    {"cheapest hour of rent",
     [](const Recommendation& r) { return r.source == Sourcing::rent ? negated(r.cost.rent_usd_per_hour) : std::nullopt; }},
    {"lowest cost of work", [](const Recommendation& r) { return negated(paid_per_million(r)); }},
    {"fastest of all that fit",
     [](const Recommendation& r) { return r.figures.speed ? std::optional<double>(r.figures.speed->throughput.expected) : std::nullopt; }},
    {"most memory to spare",
     [](const Recommendation& r) {
       return r.figures.fit ? std::optional<double>(r.figures.fit->usable_bytes - r.figures.memory.need.expected) : std::nullopt;
     }},
    {"most work per watt",
     [](const Recommendation& r) {
       return r.figures.speed && r.cost.power_w && *r.cost.power_w > 0.0
                  ? std::optional<double>(r.figures.speed->throughput.expected / *r.cost.power_w)
                  : std::nullopt;
     }},
});

std::string percent(double share) {
  return format_significant(100.0 * share, 2) + " %";
}

// Which part of the card decides the speed: what a buyer should compare between cards for this job.
std::string bound_reason(const SpeedFigures& speed) {
  const SpeedShares& shares = speed.shares;
  switch (speed.bound) {
    case Bound::bandwidth:
      return percent(shares.traffic) + " of the time is memory traffic: bandwidth decides";
    case Bound::compute:
      return percent(shares.compute) + " of the time is arithmetic: the rate of the number format decides";
    case Bound::launch:
      return percent(shares.host) + " of the time the host launches kernels: a faster card gains little";
    case Bound::communication:
      return percent(shares.communication) + " of the time is communication: the link between the cards decides";
  }
  return {};
}

// How long the whole run takes and what it costs beside the purchase, where the amount of work was given.
std::optional<std::string> run_reason(const Recommendation& result) {
  const Costs& cost = result.cost;
  if (!cost.run_hours) {
    return std::nullopt;
  }
  const bool rented = result.source == Sourcing::rent;
  const std::optional<double>& usd = rented ? cost.rent_run_usd : cost.run_energy_usd;
  std::string words = "the run takes " + format_duration(*cost.run_hours * 3600.0);
  if (usd) {
    words += " and costs " + format_usd(*usd) + (rented ? " of rent" : " of electricity");
  }
  return words;
}

// What a card is best known by in this answer, when no superlative is its own: the two objectives that carry its score.
std::string score_reason(const Score& score) {
  std::array<const ScorePart*, k_objectives> parts{};
  std::transform(score.parts.begin(), score.parts.end(), parts.begin(), [](const ScorePart& part) { return &part; });
  std::stable_sort(parts.begin(), parts.end(), [](const ScorePart* a, const ScorePart* b) { return a->contribution > b->contribution; });
  return "score " + format_significant(score.total, 2) + ", mostly " + std::string(to_string(parts[0]->objective)) + " " +
         format_significant(parts[0]->contribution, 2) + " and " + std::string(to_string(parts[1]->objective)) + " " +
         format_significant(parts[1]->contribution, 2);
}

}  // namespace

std::optional<double> paid_per_million(const Recommendation& result) {
  return result.source == Sourcing::rent ? result.cost.rent_usd_per_million : result.cost.usd_per_million;
}

void give_reasons(std::vector<Recommendation>& results) {
  for (const Superlative& superlative : k_superlatives) {
    Recommendation* best = nullptr;
    std::optional<double> most;
    for (Recommendation& result : results) {
      const std::optional<double> measure = superlative.measure(result);
      if (measure && (!most || *measure > *most)) {
        most = measure;
        best = &result;
      }
    }
    if (best != nullptr && results.size() > 1) {
      best->reasons.emplace_back(superlative.words);
    }
  }
  for (Recommendation& result : results) {
    if (result.figures.speed && result.rank == 1) {
      result.reasons.push_back(bound_reason(*result.figures.speed));
    }
    if (std::optional<std::string> run = run_reason(result)) {
      result.reasons.push_back(std::move(*run));
    }
    result.reasons.push_back(score_reason(result.score));
    if (result.score.total > results.front().score.total) {
      result.reasons.emplace_back("not first: its price is not known");
    }
  }
}

}  // namespace gpuadvise::advise
