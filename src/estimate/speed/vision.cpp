#include "estimate/speed/vision.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/hardware.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// A batch at which the cards of the measurements no longer gain.
constexpr double k_filling_batch = 256.0;

enum class ImageRun : std::uint8_t { infer, train, compiled };

// e: share of the sustained rate that the products reach. Above 1: published counts leave out that Winograd and padding-free
// kernels do fewer multiplications.
constexpr std::size_t k_efficiency[4][3] = {
    {row("vision.efficiency.cnn.infer"), row("vision.efficiency.cnn.train"), row("vision.efficiency.cnn.compiled")},
    {row("vision.efficiency.transformer.infer"), row("vision.efficiency.transformer.train"), row("vision.efficiency.transformer.compiled")},
    {row("vision.efficiency.convnext.infer"), row("vision.efficiency.convnext.train"), row("vision.efficiency.convnext.compiled")},
    {row("vision.efficiency.mobile.infer"), row("vision.efficiency.mobile.train"), row("vision.efficiency.mobile.compiled")},
};

// Passes over the layer outputs through memory, by layout and fusion, for networks with and without attention.
constexpr std::size_t k_passes[3][2] = {
    {row("vision.passes.eager.attention"), row("vision.passes.eager.convolution")},
    {row("vision.passes.channels_last.attention"), row("vision.passes.channels_last.convolution")},
    {row("vision.passes.compiled.attention"), row("vision.passes.compiled.convolution")},
};

bool has_attention(const ImageProfile& profile) {
  if (profile.attention == VisionAttention::fused || profile.attention == VisionAttention::eager) {
    return true;
  }
  return profile.layernorms.value_or(0.0) > 0.0 && profile.batchnorms.value_or(0.0) == 0.0 && !profile.depthwise;
}

// Convolutions, two kernels a batch normalisation with its activation, 8.5 a layer normalisation with what surrounds it in a
// transformer block: counted on ResNet-50 (174), DenseNet-121 (430), ViT-B (216).
double operators(const ImageProfile& profile) {
  if (profile.forward_operators) {
    return *profile.forward_operators;
  }
  const double convs = profile.convs.value_or(0.0);
  const double norms = profile.batchnorms.value_or(0.0);
  const double bare = norms == 0.0 && profile.layernorms.value_or(0.0) == 0.0 ? 1.5 * convs : 0.0;  // an activation each
  return convs + 2.0 * norms + 8.5 * profile.layernorms.value_or(0.0) + bare;
}

double area_ratio(const Workload& workload, const ImageProfile& profile) {
  if (!(workload.image.width > 0.0) || !(workload.image.height > 0.0)) {
    return 1.0;
  }
  const double reference_height = profile.image_height > 0.0 ? profile.image_height : profile.image;
  const double reference = profile.image * reference_height * std::max(1.0, profile.frames);
  const double pixels = workload.image.width * workload.image.height * std::max(1.0, workload.image.frames);
  return reference > 0.0 ? pixels / reference : 1.0;
}

// Multiply-adds of one image. Scores and values of attention grow with the square of the tokens; windows are not told apart,
// their scores are few.
double gmacs_at(const ImageProfile& profile, double scale) {
  constexpr double head_width = 64.0;
  const double attention = has_attention(profile) ? 2e-9 * profile.eager_scores.value_or(0.0) * head_width : 0.0;
  const double quadratic = std::min(attention, 0.5 * *profile.gmacs);
  return (*profile.gmacs - quadratic) * scale + quadratic * scale * scale;
}

double element_bytes_of(MathPath path, const Rate& rate) {
  switch (path) {
    case MathPath::vector:
      return 4.0;
    // TF32 rounds inputs inside the tensor core: tensors stay 4 bytes, part of the passes stays in cache.
    case MathPath::tf32:
      return rate.tensor ? constant(row("vision.tf32_bytes")) : 4.0;
    case MathPath::int8:
    case MathPath::fp8:
    case MathPath::fp4:
      return 1.0;
    default:
      return 2.0;
  }
}

// Forward passes' worth of arithmetic in one step.
double passes_of_step(const Workload& workload) {
  if (!workload.training()) {
    return 1.0;
  }
  const double backward = workload.frozen.backbone ? 0.2 : 2.0;
  const double again = workload.checkpointing == Checkpointing::full ? 1.0 : workload.checkpointing == Checkpointing::selective ? 0.3 : 0.0;
  return 1.0 + backward + again;
}

double launch_seconds(const Workload& workload, ImageRun run) {
  if (run == ImageRun::compiled || workload.engine == Engine::tensorrt) {
    return 0.0;  // one graph launch
  }
  return 1e-6 * constant(run == ImageRun::train ? row("vision.launch.train") : row("vision.launch.infer"));
}

double kernel_seconds(ImageRun run) {
  switch (run) {
    case ImageRun::infer:
      return 1e-6 * constant(row("vision.kernel.infer"));
    case ImageRun::train:
      return 1e-6 * constant(row("vision.kernel.train"));
    case ImageRun::compiled:
      return 1e-6 * constant(row("vision.kernel.compiled"));
  }
  return 0.0;
}

double passes_over_outputs(const Workload& workload, const ImageProfile& profile) {
  if (workload.engine == Engine::tensorrt) {
    return constant(row("vision.passes.tensorrt"));
  }
  const std::size_t layout = workload.compile ? 2 : workload.channels_last ? 1 : 0;
  return constant(k_passes[layout][has_attention(profile) ? 0 : 1]);
}

bool grouped(const ImageProfile& profile) {
  return profile.grouped_io_bytes > 0.0 && !profile.depthwise;
}

// Share of the convolutions that are dense and larger than 1x1: Winograd's kernels do about half of their multiplications.
double winograd_share(const ImageProfile& profile) {
  const double convs = profile.convs.value_or(0.0);
  const bool dense = profile.dense3x3_io_bytes > 0.0 && !grouped(profile) && !profile.depthwise;
  return dense && convs > 0.0 ? profile.spatial_convs.value_or(0.0) / convs : 0.0;
}

// Networks that are mostly linear layers: matrix products, not convolutions, decide.
bool products(const ImageProfile& profile) {
  const ImageClass kind = image_class(profile);
  return kind == ImageClass::transformer || kind == ImageClass::convnext;
}

double vector_efficiency(const ImageProfile& profile) {
  if (products(profile)) {
    return constant(row("encoder.efficiency.vector"));
  }
  return constant(row("vision.efficiency.vector")) * (1.0 + constant(row("vision.winograd")) * winograd_share(profile));
}

double efficiency_of(const ImageProfile& profile, ImageRun run, MathPath path, const Rate& rate) {
  if (!rate.tensor) {
    return vector_efficiency(profile);
  }
  if (path == MathPath::int8 || path == MathPath::fp8 || path == MathPath::fp4) {
    return constant(row("vision.eight_bit_efficiency"));
  }
  return constant(k_efficiency[static_cast<std::size_t>(image_class(profile))][static_cast<std::size_t>(run)]);
}

}  // namespace

ImageClass image_class(const ImageProfile& profile) {
  if (has_attention(profile)) {
    return ImageClass::transformer;
  }
  if (!profile.depthwise) {
    return ImageClass::cnn;
  }
  return profile.batchnorms.value_or(0.0) > 0.0 ? ImageClass::mobile : ImageClass::convnext;
}

std::optional<ImageWork> image_work(const Workload& workload, const ImageProfile& profile) {
  if (!profile.gmacs) {
    return std::nullopt;
  }
  const double scale = area_ratio(workload, profile);
  // What a training step keeps is nearly every layer output once: the measure of what passes through memory.
  return ImageWork{2e-3 * gmacs_at(profile, scale), profile.saved_bytes / 4e6 * scale, operators(profile), profile.params / 1e6};
}

double image_batch(const Workload& workload) {
  return workload.given.batch ? workload.batch : k_filling_batch;
}

std::optional<StepTime> image_step(const Workload& workload, const ImageProfile& profile, const Gpu& gpu) {
  const std::optional<ImageWork> work = image_work(workload, profile);
  if (!work) {
    return std::nullopt;
  }
  const bool training = workload.training();
  const bool linear = products(profile);
  MathPath path = training ? training_path(workload.precision, gpu, !linear) : inference_path(workload.precision);
  if (workload.precision.kind == PrecisionKind::fp32) {
    path = training_path(workload.precision, gpu, !linear);
  }
  Rate rate = sustained_rate(gpu, path);
  if (!(rate.tflops > 0.0)) {
    return std::nullopt;
  }
  const Maturity mature = maturity(gpu);
  rate.tflops *= linear ? mature.matmul : rate.tensor ? mature.convolution : mature.vector_convolution;
  const ImageRun run = training ? ImageRun::train : workload.compile ? ImageRun::compiled : ImageRun::infer;
  const double batch = image_batch(workload);
  const double passes = passes_of_step(workload);
  const double bytes = element_bytes_of(path, rate);
  const double weight_bytes = training ? constant(row("vision.optimizer_bytes")) : bytes;
  const double terabytes =
      1e-6 * (batch * passes * bytes * work->elements_m * passes_over_outputs(workload, profile) + work->params_m * weight_bytes);
  StepTime time;
  time.compute = batch * passes * work->tflop / (efficiency_of(profile, run, path, rate) * rate.tflops);
  time.traffic = terabytes * seconds_per_terabyte(gpu, constant(row("traffic.general")));
  time.kernels = work->operators * kernel_seconds(run);
  time.host = work->operators * launch_seconds(workload, run);
  return time;
}

}  // namespace gpuadvise::estimate
