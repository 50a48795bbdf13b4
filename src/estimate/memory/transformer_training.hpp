// GPU memory of training and tuning transformers: language models, encoders, encoder-decoders, vision-language models.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// For the fullest GPU. A null card means an NVIDIA card of unknown kind.
[[nodiscard]] MemoryFigures transformer_training_memory(const Workload& workload, const TransformerShape& shape, const Gpu* gpu);

}  // namespace gpuadvise::estimate
