#include "estimate/memory/image_lines.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// Without a profile of the live curve one line holds: its error is -0/+3 % for 95 % of 1,348 traced networks (counted).
constexpr double k_peak_over_saved = 1.01;
constexpr double k_gradient_share_at_peak = 0.1;

// Kept bytes under autocast over fp32, median by kind of 1,399 traced networks (counted).
constexpr double k_amp_ratio_convolution = 0.51;
constexpr double k_amp_ratio_fused_attention = 0.57;
constexpr double k_amp_ratio_other = 0.62;
// Pure 16-bit: all but indices, statistics and fp32 losses is halved (counted).
constexpr double k_half_ratio = 0.505;

// Eager attention keeps its softmax output, and under autocast a 16-bit copy for the product (counted).
constexpr double k_score_bytes_fp32 = 4.0;
constexpr double k_score_bytes_amp = 6.0;
constexpr double k_score_bytes_half = 2.0;

// Recomputed blocks keep their input: 1 of 16 widths of a transformer block (counted), about 3 of 10 of a residual
// convolution block (prior).
constexpr double k_block_input_share_attention = 1.0 / 16.0;
constexpr double k_block_input_share_convolution = 0.3;
constexpr double k_convolutions_per_block = 3.0;
constexpr double k_selective_share = 0.5;  // prior: every second block

// Frozen parts keep nothing: shares of the saved bytes (prior; graphs count them).
constexpr double k_frozen_stages_share = 0.75;
constexpr double k_frozen_batchnorm_share = 0.55;
constexpr double k_frozen_backbone_share = 0.06;
// prior: the compiler recomputes pointwise operators in the backward pass
constexpr double k_compile_share = 0.9;

enum class Arithmetic { fp32, autocast, half };

Arithmetic arithmetic(const Precision& precision) {
  if (precision.kind == PrecisionKind::fp16 || precision.kind == PrecisionKind::bf16) {
    return Arithmetic::half;
  }
  return precision.kind == PrecisionKind::fp32 || precision.kind == PrecisionKind::tf32 ? Arithmetic::fp32 : Arithmetic::autocast;
}

double amp_ratio(const ImageProfile& profile) {
  if (profile.attention == VisionAttention::fused) {
    return k_amp_ratio_fused_attention;
  }
  return profile.batchnorms.value_or(1.0) > 0 ? k_amp_ratio_convolution : k_amp_ratio_other;
}

LiveLines amp_lines(const ImageProfile& profile, double gradient_bytes) {
  LiveLines result;
  result.cast_bytes = profile.amp_weight_cast_bytes.value_or(profile.params * 2.0);
  for (const PeakLine& line : profile.peak_lines_amp) {
    result.lines.push_back(line);
  }
  if (result.lines.empty()) {
    const double saved = profile.saved_amp_bytes.value_or(profile.saved_bytes * amp_ratio(profile));
    result.lines.push_back({result.cast_bytes + gradient_bytes * k_gradient_share_at_peak, saved * k_peak_over_saved});
  }
  return result;
}

LiveLines plain_lines(const ImageProfile& profile, double gradient_bytes, double constants, double per_image) {
  LiveLines result;
  for (const PeakLine& line : profile.peak_lines) {
    result.lines.push_back({line.constant_bytes * constants, line.per_image_bytes * per_image});
  }
  if (result.lines.empty()) {
    result.lines.push_back({gradient_bytes * k_gradient_share_at_peak, profile.saved_bytes * k_peak_over_saved * per_image});
  }
  return result;
}

// Share of the live bytes that stays when blocks are recomputed in the backward pass.
double checkpoint_share(const Workload& workload, const ImageProfile& profile) {
  if (workload.checkpointing == Checkpointing::none) {
    return 1.0;
  }
  double share = 1.0;
  if (profile.checkpointed_bytes && profile.saved_bytes > 0) {
    share = *profile.checkpointed_bytes / profile.saved_bytes;
  } else {
    const double norms = profile.layernorms.value_or(0.0);
    const bool transformer = profile.attention == VisionAttention::fused && norms >= 4;
    const double blocks = transformer ? norms / 2 : std::max(1.0, profile.convs.value_or(30.0) / k_convolutions_per_block);
    share = (transformer ? k_block_input_share_attention : k_block_input_share_convolution) + 1.0 / std::max(1.0, blocks);
  }
  share = std::min(1.0, share);
  return workload.checkpointing == Checkpointing::full ? share : share + (1.0 - share) * k_selective_share;
}

double frozen_share(const Workload& workload, const ImageProfile& profile) {
  if (profile.trained_params) {
    return 1.0;
  }
  if (workload.frozen.backbone) {
    return k_frozen_backbone_share;
  }
  double share = 1.0;
  if (workload.frozen.stages) {
    share *= k_frozen_stages_share;
  }
  if (workload.frozen.batchnorm && profile.batchnorms.value_or(0.0) > 0) {
    share *= k_frozen_batchnorm_share;
  }
  return share;
}

double score_bytes(const Workload& workload, const ImageProfile& profile, Arithmetic kind) {
  if (workload.attention != AttentionBackend::eager || profile.attention != VisionAttention::fused || !profile.eager_scores) {
    return 0.0;
  }
  const double element = kind == Arithmetic::fp32       ? k_score_bytes_fp32
                         : kind == Arithmetic::autocast ? k_score_bytes_amp
                                                        : k_score_bytes_half;
  const double ratio = pixel_ratio(workload, profile);
  return *profile.eager_scores * element * ratio * ratio;
}

}  // namespace

double pixel_ratio(const Workload& workload, const ImageProfile& profile) {
  const double height = profile.image_height > 0 ? profile.image_height : profile.image;
  const double reference = height * profile.image * std::max(1.0, profile.frames);
  // One size asked of a network over clips or volumes leaves its number of frames as it is.
  const double frames = workload.image.frames > 1 ? workload.image.frames : std::max(1.0, profile.frames);
  const double asked = workload.image.height * workload.image.width * frames;
  return asked > 0 && reference > 0 ? asked / reference : 1.0;
}

// Activations grow with the pixels; 132 networks traced at 1.33-2 times their size lie 0.988-1.047 about that. Networks
// whose scores are kept grow faster: where a second size was traced, its exponent holds from there on.
double size_factor(const Workload& workload, const ImageProfile& profile) {
  const double ratio = pixel_ratio(workload, profile);
  if (ratio <= 1.0 || profile.saved_at.empty() || profile.saved_bytes <= 0) {
    return ratio;
  }
  const SavedAtImage& other = profile.saved_at[0];
  const double other_ratio = other.image * other.image / (profile.image * profile.image);
  if (other_ratio <= 1.0 || other.saved_bytes <= profile.saved_bytes) {
    return ratio;
  }
  return std::pow(ratio, std::log(other.saved_bytes / profile.saved_bytes) / std::log(other_ratio));
}

double input_bytes(const Workload& workload, const ImageProfile& profile) {
  const double height = profile.image_height > 0 ? profile.image_height : profile.image;
  return profile.channels * height * profile.image * std::max(1.0, profile.frames) * pixel_ratio(workload, profile) * 4.0;
}

LiveLines live_lines(const Workload& workload, const ImageProfile& profile, double gradient_bytes) {
  const Arithmetic kind = arithmetic(workload.precision);
  LiveLines result = kind == Arithmetic::autocast ? amp_lines(profile, gradient_bytes)
                     : kind == Arithmetic::half   ? plain_lines(profile, gradient_bytes, 0.5, k_half_ratio)
                                                  : plain_lines(profile, gradient_bytes, 1.0, 1.0);
  const double factor = size_factor(workload, profile) * checkpoint_share(workload, profile) * frozen_share(workload, profile) *
                        (workload.compile ? k_compile_share : 1.0);
  const double scores = score_bytes(workload, profile, kind) * checkpoint_share(workload, profile);
  for (std::size_t i = 0; i < result.lines.count; ++i) {
    PeakLine& line = result.lines.items[i];
    line.per_image_bytes = line.per_image_bytes * factor + scores;
  }
  return result;
}

}  // namespace gpuadvise::estimate
