// Puts the figures of one GPU together: need, the sum over all GPUs, and the check that the parts add up.
#pragma once

#include <gpuadvise/figures.hpp>

#include <optional>

namespace gpuadvise::estimate {

struct MemoryParts {
  Interval allocated;
  Interval reserved;
  Interval device;  // its expected value must be the sum of the components
  Interval runtime;
  double communication_bytes = 0;  // outside the framework's allocator
  MemoryComponents components;
  std::optional<Interval> steady;
  double host_bytes = 0;
  double gpus = 1;  // of all nodes
};

// Contract section 3: need = 1.06 x allocated + runtime + communication. 1.06 is what the caching allocator cannot do
// without when memory is tight: it accepts 94 of 94 published batch ladders on 24 GB cards and refuses 64 of 65 next steps.
inline constexpr double k_need_per_allocated = 1.06;
[[nodiscard]] Interval need_bytes(const Interval& allocated, const Interval& runtime, double communication_bytes);

// Throws Error{internal} when the components do not sum to the expected device figure.
[[nodiscard]] MemoryFigures assemble(const MemoryParts& parts);

}  // namespace gpuadvise::estimate
