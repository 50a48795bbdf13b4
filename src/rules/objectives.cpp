#include "rules/objectives.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise {
namespace {

constexpr std::array<std::string_view, k_objectives> k_names{"performance", "price", "headroom", "efficiency", "longevity", "risk"};

}  // namespace

std::string_view to_string(Objective objective) {
  return k_names[static_cast<std::size_t>(objective)];
}

namespace rules {

std::optional<Objective> parse_objective(std::string_view name) {
  const auto* found = std::find(k_names.begin(), k_names.end(), name);
  return found == k_names.end() ? std::nullopt : std::optional(static_cast<Objective>(found - k_names.begin()));
}

double objective_value(const ObjectiveSpec& spec, const Subject& subject) {
  const Datum known = fact_at(spec.fact).read(subject);
  if (known.is_null()) {
    return spec.unknown;
  }
  if (spec.logarithmic && known.number <= 0.0) {
    // Zero is the best of what should be small: a card the user has costs nothing.
    return spec.at_one < spec.at_zero && known.number == 0.0 ? 1.0 : spec.unknown;
  }
  const double value = spec.logarithmic ? std::log(known.number / spec.at_zero) / std::log(spec.at_one / spec.at_zero)
                                        : (known.number - spec.at_zero) / (spec.at_one - spec.at_zero);
  return std::clamp(value, 0.0, 1.0);
}

}  // namespace rules
}  // namespace gpuadvise
