// What money does for a job that does not fit: a larger card, or one by the hour.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/assess.hpp"

#include <optional>

namespace gpuadvise::advise {

// The cheapest card, or cards, that run the job as it is: over the budget, or not among those named.
[[nodiscard]] std::optional<Remedy> next_card_up(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                                 const CatalogView& catalog);

// The cheapest hourly offer that runs the job as it is.
[[nodiscard]] std::optional<Remedy> by_the_hour(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                                const CatalogView& catalog);

}  // namespace gpuadvise::advise
