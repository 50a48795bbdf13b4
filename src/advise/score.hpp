// The score of a candidate: objectives brought to 0..1, weighted and summed.
#pragma once

#include <gpuadvise/advice.hpp>

#include "rules/engine.hpp"
#include "rules/objectives.hpp"

namespace gpuadvise::advise {

[[nodiscard]] Score score_of(const rules::ObjectiveTable& table, Prefer prefer, const rules::Subject& subject,
                             const rules::Effects& effects);

}  // namespace gpuadvise::advise
