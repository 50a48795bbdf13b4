// Recommenders of the DLRM kind: look-ups in tables, and two networks of matrix products over them.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"

#include <optional>

namespace gpuadvise::estimate {

// Samples in a batch of one card; a card-filling batch where the user stated none.
[[nodiscard]] double recommender_batch(const Workload& workload);

// One batch on one of the cards, the exchange of looked-up rows included. Tables are spread over the cards.
[[nodiscard]] std::optional<StepTime> recommender_step(const Workload& workload, const RecommenderShape& shape, const Gpu& gpu);

}  // namespace gpuadvise::estimate
