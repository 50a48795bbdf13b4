// What to change when nothing fits, or only tightly: single changes and useful pairs, tried on the one estimator.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/assess.hpp"

#include <vector>

namespace gpuadvise::advise {

// At most five, cheapest for the user first; each one's settings make the job fit its card.
[[nodiscard]] std::vector<Remedy> remedies(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                           const CatalogView& catalog, const Advice& advice);

}  // namespace gpuadvise::advise
