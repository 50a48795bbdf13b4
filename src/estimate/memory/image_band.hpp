// How far estimates of image networks have been from measurements, by what they rest on.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/memory/band.hpp"

#include <span>

namespace gpuadvise::estimate {

struct ImageBand {
  BandRow allocated;
  BandRow reserved;
};

[[nodiscard]] ImageBand image_band(const Workload& workload, const ImageProfile& profile);

// All rows, for the documentation and the test of kinds of constants.
[[nodiscard]] std::span<const BandRow> image_band_rows();

}  // namespace gpuadvise::estimate
