// What a generating model keeps of the tokens it has seen: keys and values, or recurrent state.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// What layers with a sliding window hold.
enum class WindowPolicy : std::uint8_t {
  full,              // as many positions as the others
  window,            // the window and one batch
  window_and_batch,  // the window and one micro-batch, in 16 bits (llama.cpp)
};

struct CachePolicy {
  double token_multiple = 1;  // positions are allocated in blocks of this many, or the context is padded to them
  WindowPolicy window = WindowPolicy::full;
  double micro_batch = 0;  // tokens that pass before a window moves on
};

// One copy of the model: a tensor-parallel rank holds kv_share_of_rank of it.
struct CacheBytes {
  double per_global_token = 0;   // layers that look at the whole context
  double per_sliding_token = 0;  // layers with a window
  double cross = 0;              // encoder-decoder: keys and values of the encoder's output, a sequence

  [[nodiscard]] double per_token() const { return per_global_token + per_sliding_token; }
};

[[nodiscard]] CacheBytes cache_bytes(const TransformerShape& shape, const KvPrecision& kv, MlaMode mla);

// Keys and values of `sequences` sequences of `tokens` positions each.
[[nodiscard]] double kv_cache_bytes(const TransformerShape& shape, const Workload& workload, const CachePolicy& policy, double tokens,
                                    double sequences);

// Recurrent state and convolution tail of one sequence over all layers; fp32.
[[nodiscard]] double recurrent_state_bytes(const TransformerShape& shape);

}  // namespace gpuadvise::estimate
