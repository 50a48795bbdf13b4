// Networks over clips. A clip is one sample; its frames are the depth of the tensors.
#pragma once

#include "model/graph_backbones.hpp"

namespace gpuadvise::model {

// Two pathways: few frames with all channels, many frames with an eighth, joined by strided temporal convolutions.
void slow_fast(Graph& graph, const Tensor& clip, const ResnetSpec& slow, const ResnetSpec& fast, double slow_frames, double classes);
// I3D: a residual network inflated from images; stem and two poolings thin the frames by eight.
[[nodiscard]] Stages inflated_resnet(Graph& graph, const Tensor& clip, const ResnetSpec& spec, bool non_local);
// CSN: 3x3x3 convolutions one channel at a time; the frames are thinned with the image.
[[nodiscard]] Stages channel_separated_resnet(Graph& graph, const Tensor& clip, const ResnetSpec& spec);
void c3d(Graph& graph, const Tensor& clip, double classes);
// Spatial and temporal convolutions in turn, with the middle width that keeps the parameters of a 3x3x3 one.
void r2plus1d(Graph& graph, const Tensor& clip, const std::array<int, 4>& blocks, double classes);
// joint: every token attends to all of the clip; divided: to its place in time, then to its frame.
void time_sformer(Graph& graph, const Tensor& clip, bool joint, double classes);
// One block of the stages with non-local attention over the whole clip, keys pooled by 2 in space.
[[nodiscard]] Tensor non_local_clip(Graph& graph, const Tensor& x);

}  // namespace gpuadvise::model
