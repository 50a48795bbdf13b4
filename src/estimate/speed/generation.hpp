// Text generation: a stream of tokens, a prompt, and many requests at once.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/law.hpp"
#include "estimate/speed/transformer.hpp"

#include <optional>

namespace gpuadvise::estimate {

// Engines that batch many requests; the others answer one stream.
[[nodiscard]] bool serves_many(Engine engine);

// Cards that work on one token together; layer splits take turns instead and count as 1.
[[nodiscard]] double tensor_group(const Workload& workload);

// Tokens in the cache, on average, while text is generated, and the tokens of the prompt.
[[nodiscard]] double mean_context(const Workload& workload);
[[nodiscard]] double prompt_tokens(const Workload& workload);

// One token of one stream.
[[nodiscard]] std::optional<StepTime> decode_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu,
                                                  const StreamedWeights& weights);

// One token of a prompt.
[[nodiscard]] std::optional<StepTime> prefill_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu,
                                                   const StreamedWeights& weights);

}  // namespace gpuadvise::estimate
