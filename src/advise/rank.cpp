#include "advise/rank.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace gpuadvise::advise {
namespace {

constexpr double k_unknown_price = std::numeric_limits<double>::infinity();

double price_of(const Recommendation& result) {
  const std::optional<double>& price = result.source == Sourcing::rent ? result.cost.rent_usd_per_hour : result.cost.purchase_usd;
  return price.value_or(k_unknown_price);
}

// Plain measures, higher is better. Objectives are clamped, so that two candidates may tie in them and still differ here.
std::array<double, 3> measures(const Recommendation& result) {
  const double throughput = result.figures.speed ? result.figures.speed->throughput.expected : 0.0;
  const double memory = result.figures.fit ? result.figures.fit->usable_bytes - result.figures.memory.need.expected : 0.0;
  return {throughput, -price_of(result), memory};
}

enum class Relation { worse, equal, better, mixed };

Relation compare(double a, double b) {
  return a == b ? Relation::equal : a > b ? Relation::better : Relation::worse;
}

// No element of a is worse, and one is better.
template <std::size_t N>
bool at_least(const std::array<double, N>& a, const std::array<double, N>& b, bool& better) {
  for (std::size_t i = 0; i < N; ++i) {
    const Relation relation = compare(a[i], b[i]);
    if (relation == Relation::worse) {
      return false;
    }
    better = better || relation == Relation::better;
  }
  return true;
}

std::array<double, k_objectives> values(const Recommendation& result) {
  std::array<double, k_objectives> out{};
  for (std::size_t i = 0; i < k_objectives; ++i) {
    out[i] = result.score.parts[i].value;
  }
  return out;
}

bool before(const Recommendation& a, const Recommendation& b) {
  if (a.score.total != b.score.total) {
    return a.score.total > b.score.total;
  }
  if (price_of(a) != price_of(b)) {
    return price_of(a) < price_of(b);
  }
  if (a.gpu->id != b.gpu->id) {
    return a.gpu->id < b.gpu->id;
  }
  return a.count != b.count ? a.count < b.count : a.source < b.source;
}

using Order = std::vector<std::size_t>;  // results are large, so their indexes are sorted

// Weights are not negative, so a dominator never scores less; only within a tie may it stand behind. Moving it to the front of those
// it dominates ends, because domination has no cycles.
void settle_ties(const std::vector<Recommendation>& results, Order& order) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Recommendation& moved = results[order[i]];
    std::size_t target = i;
    for (std::size_t j = i; j-- > 0 && results[order[j]].score.total == moved.score.total;) {
      if (dominates(moved, results[order[j]])) {
        target = j;
      }
    }
    const auto at = [&order](std::size_t index) { return order.begin() + static_cast<std::ptrdiff_t>(index); };
    std::rotate(at(target), at(i), at(i + 1));
  }
}

bool price_counts(const Recommendation& result) {
  return result.score.parts[static_cast<std::size_t>(Objective::price)].weight > 0.0;
}

// An unknown price is no good price: where the price counts, a card without one does not stand first while another fits.
void lead_with_a_price(const std::vector<Recommendation>& results, Order& order) {
  const auto priced =
      std::find_if(order.begin(), order.end(), [&results](std::size_t index) { return price_of(results[index]) < k_unknown_price; });
  if (priced != order.end() && price_counts(results[*priced])) {
    std::rotate(order.begin(), priced, priced + 1);
  }
}

void keep_best_spread(const std::vector<Recommendation>& results, Order& order) {
  Order kept;
  kept.reserve(order.size());
  for (const std::size_t index : order) {
    const auto same = [&](std::size_t other) {
      return results[other].gpu == results[index].gpu && results[other].source == results[index].source &&
             results[other].mixed == results[index].mixed;
    };
    if (std::none_of(kept.begin(), kept.end(), same)) {
      kept.push_back(index);
    }
  }
  order = std::move(kept);
}

}  // namespace

bool dominates(const Recommendation& a, const Recommendation& b) {
  bool better = false;
  return at_least(values(a), values(b), better) && at_least(measures(a), measures(b), better) && better;
}

void rank(std::vector<Recommendation>& results) {
  Order order(results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&results](std::size_t a, std::size_t b) { return before(results[a], results[b]); });
  keep_best_spread(results, order);
  settle_ties(results, order);
  lead_with_a_price(results, order);
  std::vector<Recommendation> ranked;
  ranked.reserve(order.size());
  for (const std::size_t index : order) {
    ranked.push_back(std::move(results[index]));
    ranked.back().rank = static_cast<int>(ranked.size());
  }
  results = std::move(ranked);
}

void mark_pareto(std::vector<Recommendation>& results) {
  for (Recommendation& result : results) {
    const std::array<double, 3> own = measures(result);
    result.pareto = std::none_of(results.begin(), results.end(), [&](const Recommendation& other) {
      bool better = false;
      return &other != &result && at_least(measures(other), own, better) && better;
    });
  }
}

}  // namespace gpuadvise::advise
