// Whisper and its ports: an encoder over 30 s of sound, a decoder of at most 448 tokens with cross attention.
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_engines.hpp"
#include "estimate/memory/inference_state.hpp"
#include "estimate/memory/runtime.hpp"
#include "model/inventory.hpp"

#include <array>

namespace gpuadvise::estimate {
namespace {

using model::k_speech_frames;
using model::k_speech_tokens;

struct SpeechRow {
  Engine engine = Engine::other;
  double beams = 5;         // sequences decoded together; Whisper's own program takes 5
  double constant_gib = 0;  // workspace of the first sample
  double further_sample_gib = 0;
  bool counted = false;  // caches and the encoder's working rows are counted, not in the constant
  double context_gib = 0.45;
  BandRow band;
};

// Priors, set by device rows: faster-whisper n = 4 of 1 source, whisper.cpp 4 of 2, the others 1 each.
// clang-format off
constexpr auto k_speech = std::to_array<SpeechRow>({
    {.engine = Engine::openai_whisper, .constant_gib = 1.15, .further_sample_gib = 0.4, .context_gib = 0.5,
     .band = {"speech openai-whisper", 0.85, 1.2, ConstantKind::prior, 1, 0.05}},
    {.engine = Engine::faster_whisper, .constant_gib = 1.0, .further_sample_gib = 0.215,
     .band = {"speech faster-whisper", 0.93, 1.09, ConstantKind::prior, 4, 0.02}},
    {.engine = Engine::whisper_cpp, .beams = 1, .constant_gib = 0.13, .counted = true, .context_gib = 0.4,
     .band = {"speech whisper.cpp", 0.92, 1.1, ConstantKind::prior, 4, 0.03}},
    {.engine = Engine::transformers, .counted = true, .context_gib = 0.5,
     .band = {"speech transformers", 0.9, 1.12, ConstantKind::prior, 1, 0.01}},
});
// clang-format on
constexpr auto k_band_rows = bands_of(k_speech);

const SpeechRow& row_of(Engine engine) {
  for (const SpeechRow& row : k_speech) {
    if (row.engine == engine) {
      return row;
    }
  }
  return k_speech.back();
}

}  // namespace

std::span<const BandRow> speech_band_rows() {
  return k_band_rows;
}

InferenceEstimate speech_memory(const InferenceInput& input) {
  const Workload& w = input.workload;
  const TransformerShape& s = input.shape;
  const SpeechRow& row = row_of(w.engine);
  const double element = compute_bytes(w.precision);
  const double sequences = request_tokens(w).sequences * row.beams;

  InferenceEstimate e;
  e.gpu.weights = input.placement.gpu;
  e.gpu.workspace = (row.constant_gib + row.further_sample_gib * (request_tokens(w).sequences - 1)) * k_gib;
  if (row.counted) {
    e.gpu.kv_cache = sequences * 2 * s.decoder_layers * s.hidden * element * (k_speech_frames + k_speech_tokens);
    if (row.engine == Engine::whisper_cpp) {
      // fp32 scores of the encoder and 14 working rows
      e.gpu.activations = 4 * k_speech_frames * (k_speech_frames * s.heads + 14 * s.hidden);
    } else {
      e.gpu.activations = request_tokens(w).sequences * k_speech_frames * activation_bytes_per_token(s, element);
    }
  }
  e.allocated = e.gpu.sum();
  e.steady = e.gpu.weights + e.gpu.kv_cache;
  // Without a card whisper.cpp runs on the host, and its published figures are those of the process.
  const double context = row.engine == Engine::whisper_cpp && input.gpu == nullptr ? 0 : row.context_gib;
  e.runtime = Interval{0.7 * context, context, 1.5 * context}.scaled(k_gib);
  e.gpu.runtime = e.runtime.expected;
  e.all = e.gpu;
  e.allocated_all = e.allocated;
  e.steady_all = e.steady;
  e.copies = w.all_gpus();
  e.band = row.band;
  return e;
}

}  // namespace gpuadvise::estimate
