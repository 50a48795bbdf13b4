// An engine that answers many requests at once, at full load or at a stated concurrency.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"
#include "estimate/speed/transformer.hpp"

#include <optional>

namespace gpuadvise::estimate {

struct Serving {
  double sequences = 0.0;     // in flight, all copies of the model
  double tokens_per_s = 0.0;  // generated, all cards
  StepTime iteration;         // one token for each sequence in flight of one copy
};
[[nodiscard]] std::optional<Serving> serving(const Workload& workload, const TransformerShape& shape, const Gpu& gpu,
                                             const StreamedWeights& weights);

}  // namespace gpuadvise::estimate
