// 90 % intervals of transformer training: by class of run, wider where nothing of the kind was measured.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/units.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_stack.hpp"

namespace gpuadvise::estimate {

struct TransformerBands {
  Interval allocated;  // factors of the expected value
  Interval reserved;
};
[[nodiscard]] TransformerBands transformer_training_bands(const Workload& workload, const TransformerShape& shape,
                                                          const StackBehaviour& stack);

}  // namespace gpuadvise::estimate
