// Peak of live tensors (max_memory_allocated) over one training step of an image network.
#pragma once

#include "estimate/memory/image_lines.hpp"
#include "estimate/memory/image_state.hpp"

namespace gpuadvise::estimate {

// The parts alive at the peak; they sum to `bytes`.
struct AllocatedPeak {
  double bytes = 0;
  double gradients = 0;
  double activations = 0;     // 16-bit weight copies included
  double step_temporary = 0;  // where the optimizer's step is the peak
  bool step_dominates = false;
};

// alloc(B) = max( W + O + max_i(c_i + a_i B), W + O + G + U ), and the gradient buckets on top.
[[nodiscard]] AllocatedPeak allocated_peak(const TrainingState& state, const LiveLines& live, double batch);

}  // namespace gpuadvise::estimate
