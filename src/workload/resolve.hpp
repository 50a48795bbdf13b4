// From settings as given to a workload that estimators can trust.
#pragma once

#include <gpuadvise/workload.hpp>

#include "catalog/stack_preset.hpp"
#include "workload/fault.hpp"
#include "workload/model_source.hpp"

#include <span>
#include <string_view>

namespace gpuadvise::workload {

using catalog::StackPreset;

// Order of precedence: user, file, inferred, preset, default; of two settings of one rank the later wins.
// Throws RequestError with every fault found.
[[nodiscard]] Request resolve(std::span<const Setting> settings, const ModelSource& models, std::span<const StackPreset> presets);

}  // namespace gpuadvise::workload
