#include "estimate/memory/image_allocated.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// The constant of a line holds the gradients made so far and the weight copies not yet freed: c = g + casts (1 - g / G).
double gradients_at(const PeakLine& line, const TrainingState& state, double casts) {
  if (state.gradients <= 0) {
    return 0.0;
  }
  const double shrink = 1.0 - casts / state.gradients;
  const double made = shrink > 0 ? (line.constant_bytes - casts) / shrink : line.constant_bytes - casts;
  return std::clamp(made, 0.0, state.gradients);
}

}  // namespace

AllocatedPeak allocated_peak(const TrainingState& state, const LiveLines& live, double batch) {
  const double fixed = state.weights + state.optimizer_states + state.buckets;
  AllocatedPeak peak;
  for (const PeakLine& line : live.lines) {
    const double made = gradients_at(line, state, live.cast_bytes);
    const double other = std::max(0.0, line.constant_bytes - made);
    const double gradients = state.gradients_persist ? state.gradients : made;
    const double activations = other + line.per_image_bytes * batch;
    if (fixed + gradients + activations > peak.bytes) {
      peak = {fixed + gradients + activations, gradients, activations, 0.0, false};
    }
  }
  // The optimizer's step: all gradients, no activation.
  const double step = fixed + state.gradients + state.step_temporary;
  if (step > peak.bytes) {
    peak = {step, state.gradients, 0.0, state.step_temporary, true};
  }
  return peak;
}

}  // namespace gpuadvise::estimate
