// Money: purchase, electricity and rent of a candidate.
#pragma once

#include <gpuadvise/cost.hpp>
#include <gpuadvise/figures.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>
#include <span>

namespace gpuadvise::estimate {

struct CostTerms {
  double electricity_usd_per_kwh = 0.0;
  double hours_per_day = 0.0;
  double years = 0.0;
  double host_usd = 0.0;
};

// What is known before the estimate: price of the boards to buy, power, energy of a year, cheapest rent, break-even. Boards the user
// has cost nothing.
[[nodiscard]] Costs ownership_costs(const Gpu& gpu, double count, const std::optional<Price>& price, std::span<const CloudOffer> offers,
                                    const CostTerms& terms, double owned_boards = 0.0);

// Adds what follows from the speed: duration, energy and rent of the run, cost of a million units of work.
void add_run_costs(Costs& costs, const Workload& workload, const SpeedFigures& speed, const CostTerms& terms);

}  // namespace gpuadvise::estimate
