// Encoders (BERT class): sequences a second.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"

#include <optional>

namespace gpuadvise::estimate {

// Sequences in a micro-batch; a card-filling batch where the user stated none.
[[nodiscard]] double encoder_batch(const Workload& workload);

// One micro-batch on one card, optimizer included when training.
[[nodiscard]] std::optional<StepTime> encoder_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu);

}  // namespace gpuadvise::estimate
