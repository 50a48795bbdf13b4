// Networks that are known by name and counted from their operators, not held as a profile in the catalog: classic image
// networks, detectors, segmenters, video and volume networks.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace gpuadvise::model {

// What of a workload decides the operators. Sizes of 0 mean the network's reference size.
struct NamedModelOptions {
  std::string_view config;  // the training library's own configuration name
  ImageSize image;
  double classes = 0;
  Frozen frozen;
  Stack stack = Stack::none;
};

// "lenet5", "Mask R-CNN R-50-FPN", "deeplabv3-r101-d8", "nnunet-3d-fullres"; forgiving case and punctuation.
// The profile holds for the options' image; the returned views point to static storage.
[[nodiscard]] std::optional<Model> named_model(std::string_view name, const NamedModelOptions& options = {});

// Ids worth listing and suggesting; each is a name that named_model knows.
[[nodiscard]] std::span<const std::string_view> named_model_ids();

}  // namespace gpuadvise::model
