// The 90 % interval of a speed: a factor by kind of run, wider where the card or the model is less well covered.
#pragma once

#include <gpuadvise/units.hpp>

#include "estimate/speed/hardware.hpp"

namespace gpuadvise::estimate {

struct BandBasis {
  RunKind kind = RunKind::vision;
  bool training = false;
  int distance = 0;              // of the card, see distance()
  bool uncertain_model = false;  // counts inferred, or a field without measured rows
  bool uncertain_link = false;   // slow networks, offloading: no clean measurement
};

// expected x factor and expected / factor bound 90 % of measurements.
[[nodiscard]] double band_factor(const BandBasis& basis);
[[nodiscard]] Interval around(double expected, double factor);

}  // namespace gpuadvise::estimate
