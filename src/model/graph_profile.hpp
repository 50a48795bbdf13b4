// From operators to the profile that the estimators read.
#pragma once

#include <gpuadvise/model.hpp>

#include "model/graph.hpp"

#include <functional>

namespace gpuadvise::model {

struct ProfileOptions {
  double image_height = 0;
  double image_width = 0;
  double frames = 1;
  double channels = 3;
  double classes = 0;
  double workspace_per_io = 0;  // above 0: the peak lines hold the convolutions' workspaces
  bool partly_frozen = false;
  VisionAttention attention = VisionAttention::none;
  ProfileSource source = ProfileSource::counted;
};

using Builder = std::function<void(Graph&)>;

// Runs the builder in fp32 and under autocast.
[[nodiscard]] ImageProfile profile_of(const Builder& build, const ProfileOptions& options);

}  // namespace gpuadvise::model
