// What the machine at hand runs, and what should be added to it.
#pragma once

#include <gpuadvise/advice.hpp>

#include "cli/own_machine.hpp"

#include <vector>

namespace gpuadvise::cli {

// In words, as findings: the machine, what of the job it runs, a twin that helps, the replacement. `own` is what the machine's cards
// make of the job, `all` the ranking in which the cards at hand cost nothing.
[[nodiscard]] std::vector<Finding> advise_machine(const host::Machine& machine, const OwnAnswer& own, const Advice& all);

}  // namespace gpuadvise::cli
