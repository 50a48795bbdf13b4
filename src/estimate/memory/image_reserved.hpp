// What the caching allocator takes for the tensors of a step (max_memory_reserved), and the workspaces of convolutions.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/image_allocated.hpp"

namespace gpuadvise::estimate {

// cuDNN's workspace beyond the allocator's own slack: a maximum over the convolutions of a step, for the whole batch.
[[nodiscard]] double convolution_workspace_bytes(const Workload& workload, const ImageProfile& profile);

// Reserved bytes without workspaces.
[[nodiscard]] double reserved_bytes(const Workload& workload, const ImageProfile& profile, const TrainingState& state,
                                    const AllocatedPeak& peak);

}  // namespace gpuadvise::estimate
