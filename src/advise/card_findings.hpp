// What is to be said of a request on one card, beside the figures: a speed that is withheld, links that are not there.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/finding.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>
#include <vector>

namespace gpuadvise::advise {

// Why there is no speed, or what the one given is worth where the job does not fit.
[[nodiscard]] std::optional<Finding> speed_finding(const Workload& workload, const Figures& figures, const Gpu& gpu);

// What `nvlink_bridge` does on this card, where that is less than asked for.
[[nodiscard]] std::optional<Finding> bridge_finding(const Workload& workload, const Gpu& gpu);

// All of them, in this order.
[[nodiscard]] std::vector<Finding> card_findings(const Workload& workload, const Figures& figures, const Gpu& gpu);

}  // namespace gpuadvise::advise
