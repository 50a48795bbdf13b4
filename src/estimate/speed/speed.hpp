// Step time, throughput and their bounds for one workload on one kind of card.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>

namespace gpuadvise::estimate {

// Nothing where no method exists (networks of unknown arithmetic, cards without a rate). Does not look at
// memory: a run that does not fit has no speed, and the caller must say so.
[[nodiscard]] std::optional<SpeedFigures> evaluate_speed(const Workload& workload, const Model& model, const Gpu& gpu);

}  // namespace gpuadvise::estimate
