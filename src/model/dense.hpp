// Dense prediction and video networks composed from parts by name.
#pragma once

#include <gpuadvise/model.hpp>

#include "model/dense_name.hpp"
#include "model/named.hpp"

#include <optional>

namespace gpuadvise::model {

// What a composed network turned out to be.
struct Composed {
  Field field = Field::segmentation;
  ImageProfile profile;
};

[[nodiscard]] std::optional<Composed> segmentation_network(const DenseName& name, const NamedModelOptions& options);
[[nodiscard]] std::optional<Composed> detection_network(const DenseName& name, const NamedModelOptions& options);
[[nodiscard]] std::optional<Composed> query_network(const DenseName& name, const NamedModelOptions& options);
[[nodiscard]] std::optional<Composed> video_network(const DenseName& name, const NamedModelOptions& options);
[[nodiscard]] std::optional<Composed> volume_network(const DenseName& name, const NamedModelOptions& options);
[[nodiscard]] std::optional<Composed> single_shot_network(const DenseName& name, const NamedModelOptions& options);

// Settings of a backbone that the task decides.
struct BackboneUse {
  double output_stride = 32;
  int frozen_stages = -1;
  bool deep_stem = false;
  bool stride_in_1x1 = false;
  bool deformable = false;
  bool context = false;
  int stages = 4;
  Norm norm = Norm::batch;
};
[[nodiscard]] Stages backbone(Graph& graph, const Tensor& image, const BackboneName& name, const BackboneUse& use);

// Workspace of a convolution's backward pass that PyTorch takes from its own allocator, in units of input + output:
// fitted, n = 60 (V100, fp32, FCN, PSP, UPer heads of 1 library), explains them to 1.3 %.
inline constexpr double k_dense_workspace = 3.0;

}  // namespace gpuadvise::model
