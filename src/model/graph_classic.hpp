// Classic networks without stages: each builds down to its classifier.
#pragma once

#include "model/graph_backbones.hpp"

namespace gpuadvise::model {

void lenet5(Graph& graph, const Tensor& image, double classes);
// Two 3x3 convolutions, pooling, two linear layers: the tutorials' network for MNIST.
void small_cnn(Graph& graph, const Tensor& image, double classes);
void alexnet(Graph& graph, const Tensor& image, double classes);
void googlenet(Graph& graph, const Tensor& image, double classes);
void squeezenet(Graph& graph, const Tensor& image, double classes, bool version_1_1);
void shufflenet_v2(Graph& graph, const Tensor& image, double classes, const std::array<double, 4>& widths);
// Shared layers over points (height x width of them), with learned transforms; a class per point.
void pointnet_segmentation(Graph& graph, const Tensor& points, double classes);
// Image tower and text tower of one pair.
void clip(Graph& graph, const Tensor& image, const VitSpec& vision, double text_width, double text_heads, double joint_width);

}  // namespace gpuadvise::model
