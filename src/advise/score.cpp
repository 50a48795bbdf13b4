#include "advise/score.hpp"

#include <algorithm>

namespace gpuadvise::advise {

Score score_of(const rules::ObjectiveTable& table, Prefer prefer, const rules::Subject& subject, const rules::Effects& effects) {
  Score score;
  const auto& weights = table.weights[static_cast<std::size_t>(prefer)];
  for (std::size_t i = 0; i < k_objectives; ++i) {
    const double value = std::clamp(rules::objective_value(table.objectives[i], subject) + effects[i], 0.0, 1.0);
    score.parts[i] = {static_cast<Objective>(i), value, weights[i], weights[i] * value};
    score.total += score.parts[i].contribution;
  }
  return score;
}

}  // namespace gpuadvise::advise
