// What a published checkpoint keeps in 16 bits although the request counts every matrix in the low precision.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>

namespace gpuadvise::advise {

// Both figures, where they differ; nothing for other models and precisions.
[[nodiscard]] std::optional<Finding> checkpoint_finding(const Workload& workload, const Model& model);

}  // namespace gpuadvise::advise
