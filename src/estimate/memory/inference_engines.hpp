// One estimate for each family of inference engines.
#pragma once

#include <gpuadvise/figures.hpp>

#include "estimate/memory/inference_terms.hpp"

namespace gpuadvise::estimate {

// transformers, and plain PyTorch loops around a language model.
[[nodiscard]] InferenceEstimate transformers_memory(const InferenceInput& input);
// vLLM, SGLang, TensorRT-LLM: a pool of key-value blocks takes what a share of the card leaves.
[[nodiscard]] InferenceEstimate server_memory(const InferenceInput& input, Capacity* capacity);
[[nodiscard]] InferenceEstimate llama_cpp_memory(const InferenceInput& input);
// AutoAWQ, exllama, GPTQ-for-LLaMa, MLX, MLC: a cache allocated at the start and fixed scratch space.
[[nodiscard]] InferenceEstimate static_cache_memory(const InferenceInput& input);
[[nodiscard]] InferenceEstimate speech_memory(const InferenceInput& input);
// Encoders and embedding models: one forward pass.
[[nodiscard]] InferenceEstimate encoder_memory(const InferenceInput& input);

}  // namespace gpuadvise::estimate
