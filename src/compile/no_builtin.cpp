// The data compiler links the catalog's code before any table exists.
#include "catalog/builtin.hpp"
#include "catalog/stack_preset.hpp"
#include "rules/builtin.hpp"

namespace gpuadvise::catalog {

std::span<const Gpu> builtin_gpus() {
  return {};
}
std::span<const Price> builtin_prices() {
  return {};
}
std::span<const CloudOffer> builtin_offers() {
  return {};
}
std::span<const ModelEntry> builtin_models() {
  return {};
}
std::span<const GpuName> builtin_gpu_names() {
  return {};
}
std::span<const AmbiguousName> builtin_ambiguous_names() {
  return {};
}
std::span<const ModelName> builtin_model_names() {
  return {};
}
std::span<const EmbeddedFile> builtin_files() {
  return {};
}
std::span<const StackPreset> builtin_stack_presets() {
  return {};
}
std::string_view builtin_data_version() {
  return {};
}

}  // namespace gpuadvise::catalog

namespace gpuadvise::rules {

const RuleTable& builtin_rules() {
  static const RuleTable none;
  return none;
}
const ObjectiveTable& builtin_objectives() {
  static const ObjectiveTable none;
  return none;
}

}  // namespace gpuadvise::rules
