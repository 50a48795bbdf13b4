#include "estimate/memory/inference_memory.hpp"

#include "estimate/memory/inference_engines.hpp"

namespace gpuadvise::estimate {
namespace {

InferenceEstimate by_engine(const InferenceInput& input, Capacity* capacity) {
  const TransformerKind kind = input.shape.kind;
  if (kind == TransformerKind::speech) {
    return speech_memory(input);
  }
  // Encoders keep nothing between passes: servers reserve no pool for them.
  if (kind == TransformerKind::encoder && input.workload.engine != Engine::llama_cpp) {
    return encoder_memory(input);
  }
  switch (input.workload.engine) {
    case Engine::vllm:
    case Engine::sglang:
    case Engine::tensorrt_llm:
      return server_memory(input, capacity);
    case Engine::llama_cpp:
      return llama_cpp_memory(input);
    case Engine::exllama:
    case Engine::mlc_llm:
    case Engine::mlx:
    case Engine::autoawq:
    case Engine::gptq_for_llama:
      return static_cache_memory(input);
    default:
      break;
  }
  return kind == TransformerKind::embedding_decoder ? encoder_memory(input) : transformers_memory(input);
}

}  // namespace

MemoryFigures inference_memory(const Workload& workload, const TransformerShape& shape, const Gpu* gpu, Capacity* capacity) {
  return inference_figures(by_engine(inference_input(workload, shape, gpu), capacity));
}

}  // namespace gpuadvise::estimate
