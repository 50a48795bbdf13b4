#include "estimate/memory/inference_state.hpp"

#include "model/inventory.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

constexpr double k_state_bytes = 4;

double rounded_up(double value, double multiple) {
  return std::ceil(value / multiple) * multiple;
}

double latent_bytes_per_token(const TransformerShape& shape, const KvPrecision& kv, MlaMode mode) {
  const Mla& m = shape.mla;
  if (mode == MlaMode::absorbed) {
    // one vector stands for keys and values of all heads
    return shape.layers * (m.kv_lora_rank + m.qk_rope_head_dim) * element_bytes(kv.k);
  }
  return shape.layers * shape.heads *
         ((m.qk_nope_head_dim + m.qk_rope_head_dim) * element_bytes(kv.k) + m.v_head_dim * element_bytes(kv.v));
}

double window_tokens(const TransformerShape& shape, const CachePolicy& policy, double tokens) {
  switch (policy.window) {
    case WindowPolicy::full:
      return tokens;
    case WindowPolicy::window:
    case WindowPolicy::window_and_batch:
      return std::min(tokens, rounded_up(shape.sliding_window + policy.micro_batch, policy.token_multiple));
  }
  return tokens;
}

}  // namespace

CacheBytes cache_bytes(const TransformerShape& shape, const KvPrecision& kv, MlaMode mla) {
  CacheBytes bytes;
  if (shape.attention == AttentionKind::mla) {
    bytes.per_global_token = latent_bytes_per_token(shape, kv, mla);
    return bytes;
  }
  const double element_pair = element_bytes(kv.k) + element_bytes(kv.v);
  bytes.per_global_token = model::global_attention_layers(shape) * model::key_width(shape, true) * element_pair;
  bytes.per_sliding_token = model::sliding_attention_layers(shape) * model::key_width(shape, false) * element_pair;
  if (shape.decoder_layers > 0) {
    const double source = shape.kind == TransformerKind::speech ? model::k_speech_frames : shape.max_context;
    bytes.cross = shape.decoder_layers * model::key_width(shape, true) * element_pair * source;
  }
  return bytes;
}

double kv_cache_bytes(const TransformerShape& shape, const Workload& workload, const CachePolicy& policy, double tokens, double sequences) {
  CacheBytes bytes = cache_bytes(shape, workload.kv_precision, workload.mla);
  const double positions = rounded_up(tokens, policy.token_multiple);
  // Where every layer has the same window (Mistral-7B v0.1, Phi-3) engines without an interleaved cache keep all positions.
  const bool interleaved = model::global_attention_layers(shape) > 0;
  // "expanded": every position of every layer is kept, as in builds older than latent and sliding caches.
  const bool whole = workload.mla == MlaMode::expanded || (policy.window == WindowPolicy::window_and_batch && !interleaved);
  const double windowed = whole ? positions : window_tokens(shape, policy, positions);
  if (policy.window == WindowPolicy::window_and_batch && !whole) {
    bytes.per_sliding_token = cache_bytes(shape, {KvType::fp16, KvType::fp16}, workload.mla).per_sliding_token;
  }
  return sequences * (bytes.per_global_token * positions + bytes.per_sliding_token * windowed + bytes.cross);
}

double recurrent_state_bytes(const TransformerShape& shape) {
  const LinearState& state = shape.linear;
  double elements = 0;
  switch (state.kind) {
    case StateKind::gated_delta:
      elements = state.value_heads * state.key_dim * state.value_dim;
      break;
    case StateKind::mamba2:
      elements = state.heads * state.head_dim * state.state;
      break;
    case StateKind::mamba1:
      elements = state.inner * state.state;
      break;
    case StateKind::rwkv:
      elements = state.heads * state.head_dim * state.head_dim;
      break;
    case StateKind::short_conv:
      break;
    case StateKind::none:
      return 0;
  }
  const double tail = model::convolution_width(shape) * std::max(0.0, state.conv - 1);
  return state.layers * (elements + tail) * k_state_bytes;
}

}  // namespace gpuadvise::estimate
