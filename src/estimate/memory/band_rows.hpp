// The rows that the interval of a memory figure comes from, one list a table, for the documentation and the test of kinds
// of constants. Each is defined beside its table; that of image training is in image_band.hpp.
#pragma once

#include "estimate/memory/band.hpp"

#include <span>

namespace gpuadvise::estimate {

[[nodiscard]] std::span<const BandRow> transformer_training_band_rows();
[[nodiscard]] std::span<const BandRow> diffusion_training_band_rows();
[[nodiscard]] std::span<const BandRow> recommender_band_rows();
[[nodiscard]] std::span<const BandRow> transformers_band_rows();
[[nodiscard]] std::span<const BandRow> server_band_rows();
[[nodiscard]] std::span<const BandRow> llama_cpp_band_rows();
[[nodiscard]] std::span<const BandRow> static_cache_band_rows();
[[nodiscard]] std::span<const BandRow> speech_band_rows();
[[nodiscard]] std::span<const BandRow> encoder_inference_band_rows();
[[nodiscard]] std::span<const BandRow> image_inference_band_rows();
[[nodiscard]] std::span<const BandRow> diffusion_inference_band_rows();
// Processes' own memory by kind of card: factors about the expected figure of each row.
[[nodiscard]] std::span<const BandRow> runtime_band_rows();

}  // namespace gpuadvise::estimate
