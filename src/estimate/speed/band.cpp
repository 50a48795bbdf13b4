#include "estimate/speed/band.hpp"

#include "estimate/speed/calibration.hpp"

namespace gpuadvise::estimate {
namespace {

double class_factor(RunKind kind, bool training) {
  switch (kind) {
    case RunKind::vision:
      return constant(training ? row("band.vision_train") : row("band.vision_infer"));
    case RunKind::encoder:
      return constant(row("band.encoder"));
    case RunKind::llm_training:
      return constant(row("band.llm_training"));
    case RunKind::decode:
      return constant(row("band.decode"));
    case RunKind::prefill:
      return constant(row("band.prefill"));
    case RunKind::serving:
      return constant(row("band.serving"));
    case RunKind::diffusion:
      return constant(row("band.diffusion"));
    case RunKind::recommender:
      return constant(row("band.recommender"));
  }
  return 2.0;
}

}  // namespace

double band_factor(const BandBasis& basis) {
  double factor = class_factor(basis.kind, basis.training);
  factor *= basis.distance == 0 ? 1.0 : constant(basis.distance == 1 ? row("band.neighbour") : row("band.prior"));
  factor *= basis.uncertain_model ? constant(row("band.model")) : 1.0;
  factor *= basis.uncertain_link ? constant(row("band.link")) : 1.0;
  return factor;
}

Interval around(double expected, double factor) {
  return {expected / factor, expected, expected * factor};
}

}  // namespace gpuadvise::estimate
