#include "model/inferred_shape.hpp"

#include <gpuadvise/error.hpp>

#include "model/inventory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace gpuadvise::model {
namespace {

struct PublishedShape {
  double params;
  double layers;  // of each stack
  double hidden;
  double head_dim;
  double kv_heads;  // 0 = as many as query heads
  double vocab;
  bool tied;
};

// Shapes that are common at their size: SmolLM2-135M, Qwen2.5-0.5B, Llama-3.2-1B and -3B, Mistral-7B, Llama-3-8B, Llama-2-13B
// with grouped heads, Qwen2.5-14B and -32B, Llama-3-70B, Mistral-Large, Llama-3.1-405B.
constexpr auto k_decoders = std::to_array<PublishedShape>({
    {134.5e6, 30, 576, 64, 3, 49152, true},
    {494e6, 24, 896, 64, 2, 151936, true},
    {1.236e9, 16, 2048, 64, 8, 128256, true},
    {3.213e9, 28, 3072, 128, 8, 128256, true},
    {7.242e9, 32, 4096, 128, 8, 32000, false},
    {8.030e9, 32, 4096, 128, 8, 128256, false},
    {14.77e9, 48, 5120, 128, 8, 152064, false},
    {32.76e9, 64, 5120, 128, 8, 152064, false},
    {70.55e9, 80, 8192, 128, 8, 128256, false},
    {122.6e9, 88, 12288, 128, 8, 32768, false},
    {405.9e9, 126, 16384, 128, 8, 128256, false},
});

// MiniLM-L6, BERT-base, BERT-large, XLM-RoBERTa-XL.
constexpr auto k_encoders = std::to_array<PublishedShape>({
    {22.7e6, 6, 384, 32, 0, 30522, true},
    {109.5e6, 12, 768, 64, 0, 30522, true},
    {335.1e6, 24, 1024, 64, 0, 30522, true},
    {3.5e9, 36, 2560, 80, 0, 250880, true},
});

// Whisper tiny, base, small, medium, large.
constexpr auto k_speech = std::to_array<PublishedShape>({
    {37.8e6, 4, 384, 64, 0, 51865, true},
    {72.6e6, 6, 512, 64, 0, 51865, true},
    {241.7e6, 12, 768, 64, 0, 51865, true},
    {763.9e6, 24, 1024, 64, 0, 51865, true},
    {1.543e9, 32, 1280, 64, 0, 51866, true},
});

constexpr double k_fewest_params = 1e6;
constexpr double k_most_params = 1e13;
// Vision towers of published 2 B to 70 B models hold 0.4 to 0.7 B.
constexpr double k_vision_tower_params = 0.5e9;
constexpr double k_largest_vision_share = 0.15;
constexpr double k_context = 8192.0;
constexpr double k_encoder_positions = 512.0;
constexpr double k_segment_rows = 2.0;

const PublishedShape& nearest(std::span<const PublishedShape> shapes, double params) {
  const PublishedShape* best = &shapes.front();
  double smallest = std::numeric_limits<double>::infinity();
  for (const PublishedShape& shape : shapes) {
    const double distance = std::fabs(std::log(params / shape.params));
    if (distance < smallest) {
      smallest = distance;
      best = &shape;
    }
  }
  return *best;
}

double rounded(double value, double step, double least) {
  return std::max(least, std::round(value / step) * step);
}

// The width at which the shape counts `params`: the count is linear in it.
double solve_width(TransformerShape shape, double params) {
  constexpr double k_probe = 1024.0;
  shape.ffn = k_probe;
  const double one = count_params(shape);
  shape.ffn = 2 * k_probe;
  const double per_unit = (count_params(shape) - one) / k_probe;
  return k_probe + (params - one) / per_unit;
}

// Depth and width grow alike, as they do between the published sizes: each by the cube root of the growth of the body.
TransformerShape scaled(const PublishedShape& base, TransformerShape shape, double params) {
  const double embedding = std::min(base.vocab * base.hidden * (base.tied ? 1 : 2), 0.5 * base.params);
  const double growth = std::cbrt(std::max(0.01, (params - embedding) / (base.params - embedding)));
  shape.layers = rounded(base.layers * growth, 1, 1);
  shape.decoder_layers = shape.kind == TransformerKind::speech ? shape.layers : 0;
  const double heads_step = base.kv_heads > 0 ? base.kv_heads : 1;
  shape.head_dim = base.head_dim;
  shape.heads = rounded(base.hidden / base.head_dim * growth, heads_step, heads_step);
  shape.hidden = shape.heads * shape.head_dim;
  shape.kv_heads = base.kv_heads > 0 ? base.kv_heads : shape.heads;
  // A small model cannot spend itself on its vocabulary.
  shape.vocab = std::min(base.vocab, std::round(0.4 * params / (shape.hidden * (base.tied ? 1 : 2))));
  shape.tied_embeddings = base.tied;
  return shape;
}

TransformerShape of_kind(Field field) {
  TransformerShape shape;
  shape.from_memory = true;
  shape.max_context = k_context;
  switch (field) {
    case Field::language:
      return shape;
    case Field::vision_language:
      shape.kind = TransformerKind::vision_decoder;
      return shape;
    case Field::encoder:
      shape.kind = TransformerKind::encoder;
      shape.gated_mlp = false;
      shape.bias = true;
      shape.max_context = k_encoder_positions;
      shape.position_embeddings = k_encoder_positions + k_segment_rows;
      return shape;
    case Field::speech:
      shape.kind = TransformerKind::speech;
      shape.gated_mlp = false;
      shape.max_context = k_speech_tokens;
      return shape;
    default:
      throw Error(ErrorCode::unsupported, "a parameter count alone does not tell the shape of this kind of model",
                  "name a model or a model file");
  }
}

std::span<const PublishedShape> published(Field field) {
  return field == Field::encoder  ? std::span<const PublishedShape>(k_encoders)
         : field == Field::speech ? std::span<const PublishedShape>(k_speech)
                                  : std::span<const PublishedShape>(k_decoders);
}

}  // namespace

TransformerShape infer_shape(double params, Field field) {
  TransformerShape shape = of_kind(field);
  if (!(params >= k_fewest_params && params <= k_most_params)) {
    throw Error(ErrorCode::invalid_value, "params must lie between 1e6 and 1e13");
  }
  if (field == Field::vision_language) {
    shape.vision_params = std::round(std::min(k_vision_tower_params, k_largest_vision_share * params));
  }
  const double body = params - shape.vision_params;
  shape = scaled(nearest(published(field), body), shape, body);
  // Attention may already hold too much where depth and width were rounded up; fewer layers leave room for an MLP of the usual width.
  while (shape.layers > 1 && solve_width(shape, params) < shape.hidden) {
    shape.layers -= 1;
    shape.decoder_layers = shape.decoder_layers > 0 ? shape.layers : 0;
  }
  const double width = solve_width(shape, params);
  shape.ffn = rounded(width, width > 4096 ? 64 : 8, 8);
  if (shape.kv_heads < shape.heads) {
    shape.attention = AttentionKind::gqa;
  }
  shape.attention_layers = shape.kind == TransformerKind::encoder  ? 0
                           : shape.kind == TransformerKind::speech ? shape.decoder_layers
                                                                   : shape.layers;
  shape.params = count_params(shape);
  shape.active_params = shape.params;
  return shape;
}

}  // namespace gpuadvise::model
