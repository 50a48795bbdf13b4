// A plausible network where only a parameter count is known: any field, wide bands.
#pragma once

#include <gpuadvise/model.hpp>

#include <optional>

namespace gpuadvise::model {

// A classifier over images of 224 pixels.
[[nodiscard]] ImageProfile infer_image_profile(double params);
// A decoder whose MLPs are experts: about `params` in all, `active` for a token.
[[nodiscard]] TransformerShape infer_mixture(double params, double active, Field field);
// A diffusion transformer over images of 1024 pixels with its text encoders and autoencoder.
[[nodiscard]] DiffusionPipeline infer_pipeline(double denoiser_params);

// Whatever suits the field; nullopt where size says too little (detectors, segmenters: their necks and heads decide).
// Throws Error for a size that no model of the field has.
[[nodiscard]] std::optional<Model> infer_model(double params, std::optional<double> active, Field field);

}  // namespace gpuadvise::model
