// U-shaped networks over images and volumes.
#pragma once

#include "model/graph_backbones.hpp"

#include <vector>

namespace gpuadvise::model {

// Two 3x3 convolutions a level, widths doubling from `width`; decoder by upsampling and a 1x1 convolution. Returns the
// decoder's outputs, coarsest first.
[[nodiscard]] Stages unet_2d(Graph& graph, const Tensor& image, double width, int levels);

// Ronneberger's network with padding: transposed convolutions, one output map per class.
void unet_classic(Graph& graph, const Tensor& image, double width, int levels, double classes, bool bilinear);

struct VolumeUnet {
  std::vector<double> widths;  // of the levels
  double first_ratio = 1;      // width of a level's first convolution over its second (Cicek: 1/2)
  bool batchnorm = true;       // else instance norm
  bool deep_supervision = false;
};
void unet_3d(Graph& graph, const Tensor& volume, const VolumeUnet& spec, double classes);

}  // namespace gpuadvise::model
