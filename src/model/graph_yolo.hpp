// The YOLO family: features at four scales, a neck that passes down and up, heads on three levels.
#pragma once

#include "model/graph_backbones.hpp"

namespace gpuadvise::model {

enum class YoloVersion { v5, v8, x };

// How a size letter scales depth and width; `largest` caps the channels before scaling.
struct Csp {
  double depth = 1;
  double width = 1;
  double largest = 1024;
};

[[nodiscard]] Stages yolo_features(Graph& graph, const Tensor& image, YoloVersion version, const Csp& scale);
[[nodiscard]] Stages yolo_neck(Graph& graph, const Stages& stages, YoloVersion version, const Csp& scale);
void yolo_head(Graph& graph, const Stages& levels, YoloVersion version, double classes);

}  // namespace gpuadvise::model
