// Memory of a model that answers: language models by engine, diffusion pipelines, image networks.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// `capacity` may be null; servers fill in what their pool holds. A null card gives the need alone.
[[nodiscard]] MemoryFigures inference_memory(const Workload& workload, const TransformerShape& shape, const Gpu* gpu, Capacity* capacity);
[[nodiscard]] MemoryFigures diffusion_inference_memory(const Workload& workload, const DiffusionPipeline& pipeline, const Gpu* gpu);
[[nodiscard]] MemoryFigures image_inference_memory(const Workload& workload, const ImageProfile& profile, const Gpu* gpu);

}  // namespace gpuadvise::estimate
