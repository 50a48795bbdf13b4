#include "estimate/memory/image_band.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

enum Row : std::size_t {
  classifier_allocated,
  classifier_reserved,
  segmentation_known,
  segmentation_other,
  detection_known,
  detection_other,
  video_known,
  video_other,
};

// Factors on the expected figure that held 90 % of the measurements. Class, low, high, kind, n, median error, sources.
constexpr std::array<BandRow, 8> k_rows = {{
    {"image classification, allocated", 0.96, 1.045, ConstantKind::fitted, 97, 0.01},
    {"image classification, reserved", 0.93, 1.09, ConstantKind::fitted, 370, 0.016, 2},
    {"segmentation, counted heads", 0.92, 1.10, ConstantKind::fitted, 100, 0.02, 4},
    {"segmentation, other heads", 0.75, 1.35, ConstantKind::prior, 20, 0.1},
    {"detection, counted heads", 0.84, 1.36, ConstantKind::fitted, 100, 0.05, 11},
    {"detection, other heads", 0.70, 1.95, ConstantKind::prior, 40, 0.15},
    {"video, counted networks", 0.88, 1.14, ConstantKind::prior, 30, 0.02, 1},
    {"video, other networks", 0.6, 1.6, ConstantKind::prior, 10, 0.2},
}};

// Less knowledge widens the factors: the exponent of k_rows' ratios (method page: closed form 1.3, counts alone 8).
constexpr double k_widen_no_simulation = 1.3;
constexpr double k_widen_estimated = 4.0;
constexpr double k_widen_prior_setting = 1.6;

BandRow widened_row(BandRow row, double exponent) {
  row.below = std::pow(row.below, exponent);
  row.above = std::pow(row.above, exponent);
  return row;
}

Row known_row(Field field) {
  return field == Field::segmentation ? segmentation_known : field == Field::detection ? detection_known : video_known;
}

// Settings whose effect no measurement of this kind shows.
bool prior_setting(const Workload& workload) {
  return workload.compile || workload.checkpointing != Checkpointing::none || workload.method != Method::full;
}

}  // namespace

std::span<const BandRow> image_band_rows() {
  return k_rows;
}

ImageBand image_band(const Workload& workload, const ImageProfile& profile) {
  const double exponent = prior_setting(workload) ? k_widen_prior_setting : 1.0;
  if (workload.field == Field::vision) {
    const double knowledge = profile.source == ProfileSource::estimated ? k_widen_estimated
                             : profile.allocator.empty()                ? k_widen_no_simulation
                                                                        : 1.0;
    return {widened_row(k_rows[classifier_allocated], exponent * knowledge),
            widened_row(k_rows[classifier_reserved], exponent * knowledge)};
  }
  const std::size_t row = known_row(workload.field) + (profile.source == ProfileSource::estimated ? 1U : 0U);
  return {widened_row(k_rows[row], exponent), widened_row(k_rows[row], exponent * k_widen_no_simulation)};
}

}  // namespace gpuadvise::estimate
