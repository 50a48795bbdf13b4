#include "advise/reasons.hpp"

#include <gpuadvise/units.hpp>

#include <algorithm>
#include <array>
#include <optional>

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
    {"cheapest that fits", [](const Recommendation& r) { return negated(r.cost.purchase_usd); }},
    {"lowest cost of work", [](const Recommendation& r) { return negated(r.cost.usd_per_million); }},
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

std::string memory_reason(const Recommendation& result) {
  const Fit& fit = *result.figures.fit;
  return "needs " + format_gib(result.figures.memory.need.expected) + " of " + format_gib(fit.usable_bytes) +
         (fit.verdict == Verdict::tight ? ", tight" : "");
}

}  // namespace

void give_reasons(std::vector<Recommendation>& results) {
  for (Recommendation& result : results) {
    if (result.figures.fit) {
      result.reasons.push_back(memory_reason(result));
    }
  }
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
}

}  // namespace gpuadvise::advise
