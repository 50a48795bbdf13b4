// What to change when nothing fits, or only tightly: combinations of changes, tried on the one estimator; then what money does.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/assess.hpp"

#include <vector>

namespace gpuadvise::advise {

// At most five, cheapest for the user first: what costs nothing, then time, then quality, then money. Each one's settings make the job
// fit its card; none is worse than another in everything.
[[nodiscard]] std::vector<Remedy> remedies(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                           const CatalogView& catalog, const Advice& advice, const AdviceOptions& options);

}  // namespace gpuadvise::advise
