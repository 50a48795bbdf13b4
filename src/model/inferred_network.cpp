#include "model/inferred_network.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "model/inferred_shape.hpp"
#include "model/inventory.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

// Power laws of the parameter count at 224 pixels, least squares in logarithms over 1,415 traced image networks (fitted):
// half of them lie within x1.4 (saved bytes) and x1.2 (multiply-adds), nine in ten within x2.7 and x2.9.
constexpr double k_saved_factor = 10328.0;
constexpr double k_saved_power = 0.548;
constexpr double k_gmacs_factor = 2.432e-8;
constexpr double k_gmacs_power = 1.110;
constexpr double k_activations_factor = 2.415e-4;
constexpr double k_activations_power = 0.645;
// Medians over the same networks.
constexpr double k_amp_ratio = 0.55;
constexpr double k_convs = 71;
constexpr double k_batchnorms = 54;

constexpr double k_smallest_network = 1e3;
constexpr double k_largest_network = 1e11;

// prior: a block of a diffusion transformer has about 20 hidden^2 parameters (attention 4, MLP 8, modulation 6, and a share of
// a second stream); depth grows slowly with size (PixArt 28 blocks at 0.6e9, SD3 24 at 2e9, FLUX 57 at 12e9).
constexpr double k_block_params_over_hidden2 = 20;
constexpr double k_reference_blocks = 28;
constexpr double k_reference_params = 0.6e9;
constexpr double k_depth_power = 0.2;
// prior: 8 of many small experts, as Qwen3, DeepSeek, GLM and most others since 2025.
constexpr double k_usual_active_experts = 8;
constexpr double k_t5_xxl_params = 4.76e9;
constexpr double k_clip_params = 0.123e9;

double rounded_to(double value, double step) {
  return std::max(step, std::round(value / step) * step);
}

void require_size(double params, double least, double most) {
  if (!(params >= least && params <= most)) {
    throw Error(ErrorCode::invalid_value, "no network of this kind has so many parameters",
                "give params between " + format_count(least) + " and " + format_count(most));
  }
}

}  // namespace

ImageProfile infer_image_profile(double params) {
  require_size(params, k_smallest_network, k_largest_network);
  ImageProfile profile;
  profile.source = ProfileSource::estimated;
  profile.params = params;
  profile.image = 224;
  profile.saved_bytes = k_saved_factor * std::pow(params, k_saved_power);
  profile.saved_amp_bytes = profile.saved_bytes * k_amp_ratio;
  profile.gmacs = k_gmacs_factor * std::pow(params, k_gmacs_power);
  profile.activations_m = k_activations_factor * std::pow(params, k_activations_power);
  profile.convs = k_convs;
  profile.batchnorms = k_batchnorms;
  return profile;
}

TransformerShape infer_mixture(double params, double active, Field field) {
  // Depth and widths of a dense model of the active size; its MLP becomes the experts that one token uses.
  TransformerShape shape = infer_shape(active, field);
  shape.moe.active = k_usual_active_experts;
  shape.moe.expert_ffn = rounded_to(shape.ffn / k_usual_active_experts, 8);
  const double matrices = shape.gated_mlp ? 3.0 : 2.0;
  const double expert = shape.layers * matrices * shape.hidden * shape.moe.expert_ffn;
  shape.moe.experts = std::max(k_usual_active_experts, std::round(k_usual_active_experts + (params - active) / expert));
  shape.params = count_params(shape);
  shape.active_params = active;
  return shape;
}

DiffusionPipeline infer_pipeline(double denoiser_params) {
  require_size(denoiser_params, 1e6, k_largest_network);
  DiffusionPipeline pipeline;
  pipeline.denoiser = DenoiserKind::dit;
  pipeline.denoiser_params = denoiser_params;
  pipeline.blocks = std::max(4.0, std::round(k_reference_blocks * std::pow(denoiser_params / k_reference_params, k_depth_power)));
  pipeline.hidden = rounded_to(std::sqrt(denoiser_params / (k_block_params_over_hidden2 * pipeline.blocks)), 64);
  pipeline.latent_channels = 16;
  pipeline.width_px = 1024;
  pipeline.height_px = 1024;
  pipeline.default_steps = 30;
  pipeline.vae_params = 84e6;
  // Pipelines beyond the U-Net generation read their prompt with T5.
  const bool large = denoiser_params > 0.5e9;
  pipeline.text_tokens = large ? 256 : 77;
  pipeline.text_encoders.push_back(
      {large ? "text encoder (T5-XXL assumed)" : "text encoder (CLIP assumed)", large ? k_t5_xxl_params : k_clip_params});
  return pipeline;
}

std::optional<Model> infer_model(double params, std::optional<double> active, Field field) {
  Model inferred;
  inferred.id = "inferred";
  inferred.name = "a typical model of this size";
  inferred.family = "inferred";
  inferred.field = field;
  inferred.source = "inferred from the number of parameters";
  switch (field) {
    case Field::language:
    case Field::vision_language:
    case Field::encoder:
    case Field::speech:
      inferred.shape = active && *active < params ? infer_mixture(params, *active, field) : infer_shape(params, field);
      return inferred;
    case Field::vision:
      inferred.shape = infer_image_profile(params);
      return inferred;
    case Field::diffusion:
      inferred.shape = infer_pipeline(params);
      return inferred;
    default:
      return std::nullopt;
  }
}

}  // namespace gpuadvise::model
