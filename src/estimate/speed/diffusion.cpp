#include "estimate/speed/diffusion.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/hardware.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// Tokens of the latent a transformer denoiser works on, with its text.
double latent_tokens(const DiffusionPipeline& p, double width, double height, double frames) {
  const double cell = p.vae_spatial * p.patch;
  const double slices = frames > 1.0 ? 1.0 + std::floor((frames - 1.0) / std::max(1.0, p.vae_temporal)) : 1.0;
  return std::floor(width / cell) * std::floor(height / cell) * slices;
}

constexpr double k_usual_first_width = 320.0;

struct Size {
  double width;
  double height;
  double frames;
};

Size size_of(const Workload& workload, const DiffusionPipeline& p) {
  const bool given = workload.image.width > 0.0 && workload.image.height > 0.0;
  return {given ? workload.image.width : p.width_px, given ? workload.image.height : p.height_px,
          std::max(1.0, given ? workload.image.frames : p.frames)};
}

double pixels(const Size& size) {
  return size.width * size.height * size.frames;
}

double transformer_tflop(const DiffusionPipeline& p, const Size& size) {
  const double tokens = latent_tokens(p, size.width, size.height, size.frames) + p.text_tokens;
  return 2e-12 * (p.denoiser_params * tokens + 2.0 * p.blocks * p.hidden * tokens * tokens);
}

bool guided(const DiffusionPipeline& p) {
  // Guidance-distilled transformers (double and single blocks, the FLUX family) evaluate once.
  return !(p.single_blocks > 0.0);
}

}  // namespace

DiffusionWork diffusion_work(const Workload& workload, const DiffusionPipeline& p) {
  const Size size = size_of(workload, p);
  const Size own{p.width_px, p.height_px, std::max(1.0, p.frames)};
  const double scale = pixels(size) / pixels(own);
  DiffusionWork work;
  work.evaluations = guided(p) && !workload.training() ? 2.0 : 1.0;
  if (p.denoiser == DenoiserKind::unet) {
    // Published counts; without one, SD 1.5's FLOP a parameter and latent pixel. Traffic: every level of such networks halves
    // the side and at most doubles the channels, so it follows the first level, about 950 outputs a latent pixel and channel.
    const double latent = pixels(own) / (p.vae_spatial * p.vae_spatial);
    const double first = p.channels.empty() ? k_usual_first_width : p.channels[0];
    work.tflop = p.step_tflop.value_or(1.93e-13 * p.denoiser_params * latent) * scale;
    work.traffic_gb = p.step_traffic_gb.value_or(1.9e-6 * first * latent) * scale;
    work.operators = p.denoiser_params > 1.5e9 ? 1600.0 : 900.0;
    return work;
  }
  work.tflop = p.step_tflop ? *p.step_tflop * transformer_tflop(p, size) / transformer_tflop(p, own) : transformer_tflop(p, size);
  // About 60 passes over the hidden state a block, as in language models' forward pass.
  const double tokens = latent_tokens(p, size.width, size.height, size.frames) + p.text_tokens;
  work.traffic_gb = p.step_traffic_gb ? *p.step_traffic_gb * scale : 38.0 * p.blocks * p.hidden * tokens * 2e-9;
  work.operators = 20.0 * std::max(1.0, p.blocks);
  return work;
}

// Weights alone are stored in 8 bits or less unless the format says that activations are too: diffusers (bitsandbytes, layerwise
// casting) and ComfyUI unpack them and multiply in 16 bits. TensorRT's engines do compute in them.
MathPath denoising_path(const Workload& workload) {
  const PrecisionKind kind = workload.precision.kind;
  const bool stored_only = kind == PrecisionKind::int8 || kind == PrecisionKind::fp8 || kind == PrecisionKind::fp4;
  return stored_only && workload.engine != Engine::tensorrt ? MathPath::half : inference_path(workload.precision);
}

std::optional<StepTime> diffusion_step(const Workload& workload, const DiffusionPipeline& pipeline, const Gpu& gpu) {
  const bool training = workload.training();
  const MathPath path = training ? training_path(workload.precision, gpu, pipeline.denoiser == DenoiserKind::unet)
                        : workload.precision.kind == PrecisionKind::fp32 ? training_path(workload.precision, gpu, true)
                                                                         : denoising_path(workload);
  const Rate rate = sustained_rate(gpu, path);
  if (!(rate.tflops > 0.0)) {
    return std::nullopt;
  }
  const DiffusionWork work = diffusion_work(workload, pipeline);
  // What lags on other makers' cards is the use of matrix units and packed arithmetic; plain fp32 kernels do not.
  const double mature = rate.tensor || gpu.vendor == Vendor::nvidia ? maturity(gpu).diffusion : 1.0;
  const bool tuned = workload.engine == Engine::tensorrt;
  const double efficiency = constant(row("diffusion.efficiency")) * mature * (tuned ? constant(row("diffusion.tensorrt")) : 1.0);
  const double backward = training ? (workload.method == Method::full ? 2.0 : 1.0) : 0.0;
  const double again = training && workload.checkpointing == Checkpointing::full ? 1.0 : 0.0;
  const double evaluations = work.evaluations * workload.batch * (1.0 + backward + again);
  const double width = path == MathPath::vector || path == MathPath::tf32 ? 2.0 : 1.0;
  const double fused = workload.compile || tuned ? 0.6 : 1.0;
  const double weights_gb = pipeline.denoiser_params * 1e-9 * (training && workload.method == Method::full ? 26.0 : 2.0 * width);
  StepTime time;
  time.compute = evaluations * work.tflop / (efficiency * rate.tflops);
  // Immature kernels move data badly too, though less so than they multiply.
  time.traffic =
      1e-3 *
      (evaluations * work.traffic_gb * width * constant(row("diffusion.passes")) * fused / std::sqrt(std::min(1.0, mature)) + weights_gb) *
      seconds_per_terabyte(gpu, constant(row("traffic.general")));
  // Guidance doubles the batch of one call, not the calls.
  const double launches = work.operators * (training ? 3.0 : 1.0) * (workload.compile || tuned ? 0.1 : 1.0);
  time.host = launches * constant(row("diffusion.launch")) * 1e-6;
  return time;
}

}  // namespace gpuadvise::estimate
