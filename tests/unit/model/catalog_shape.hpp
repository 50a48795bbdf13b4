// Shapes of the shipped catalog by id.
#pragma once

#include <gpuadvise/model.hpp>

#include "catalog/builtin.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace gpuadvise::test {

inline const TransformerShape& catalog_shape(std::string_view id) {
  for (const catalog::ModelEntry& entry : catalog::builtin_models()) {
    if (entry.id == id && entry.transformer != nullptr) {
      return *entry.transformer;
    }
  }
  throw std::runtime_error("no such transformer in the catalog: " + std::string(id));
}

inline const DiffusionPipeline& catalog_pipeline(std::string_view id) {
  for (const catalog::ModelEntry& entry : catalog::builtin_models()) {
    if (entry.id == id && entry.diffusion != nullptr) {
      return *entry.diffusion;
    }
  }
  throw std::runtime_error("no such pipeline in the catalog: " + std::string(id));
}

inline const Gpu& catalog_gpu(std::string_view id) {
  for (const Gpu& gpu : catalog::builtin_gpus()) {
    if (gpu.id == id) {
      return gpu;
    }
  }
  throw std::runtime_error("no such GPU in the catalog: " + std::string(id));
}

}  // namespace gpuadvise::test
