// Plausibility of model profiles: names are unique, and figures that follow from one another agree.
#pragma once

#include <gpuadvise/finding.hpp>

#include "catalog/data_reader.hpp"

#include <span>
#include <vector>

namespace gpuadvise::catalog {

// reject = cannot be right (or breaks the lookup), warn = to be looked at.
[[nodiscard]] std::vector<Finding> lint_models(std::span<const ModelRecord> models);

}  // namespace gpuadvise::catalog
