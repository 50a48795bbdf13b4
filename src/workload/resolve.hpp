// From settings as given to a workload that estimators can trust.
#pragma once

#include <gpuadvise/workload.hpp>

#include "workload/fault.hpp"
#include "workload/model_source.hpp"

#include <span>
#include <string_view>

namespace gpuadvise::workload {

// One value that a training program presets; rows of data/stacks.
struct StackPreset {
  std::string_view stack;  // the contract's name
  std::string_view field;  // only for models of this field ("segmentation"); empty = all
  std::string_view key;
  std::string_view value;
};

// Order of precedence: user, file, inferred, preset, default; of two settings of one rank the later wins.
// Throws RequestError with every fault found.
[[nodiscard]] Request resolve(std::span<const Setting> settings, const ModelSource& models, std::span<const StackPreset> presets);

}  // namespace gpuadvise::workload
