#include "advise/checkpoint_finding.hpp"

#include <gpuadvise/estimate.hpp>
#include <gpuadvise/units.hpp>

#include "estimate/memory/weights.hpp"

namespace gpuadvise::advise {

std::optional<Finding> checkpoint_finding(const Workload& workload, const Model& model) {
  const TransformerShape* shape = model.transformer();
  if (shape == nullptr || workload.training()) {
    return std::nullopt;
  }
  const auto extra = estimate::checkpoint_extra_bytes_per_gpu(workload, *shape);
  if (!extra) {
    return std::nullopt;
  }
  const double weights = estimate::evaluate_memory(estimate::prepare(workload, model), nullptr).components.weights;
  return Finding{"checkpoint-keeps-16-bits", Severity::warn,
                 "weights take " + format_gib(weights) +
                     " a card with every matrix in this format; the published checkpoint keeps attention and " +
                     "the outer layers in 16 bits and takes at least about " + format_gib(weights + *extra)};
}

}  // namespace gpuadvise::advise
