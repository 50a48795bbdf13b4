#include "advise/smallest_change.hpp"

#include <gpuadvise/units.hpp>

#include "units/whole_text.hpp"

#include <cmath>

namespace gpuadvise::advise {
namespace {

constexpr double k_seq_step = 256.0;

bool within(const Assessor& assessor, const Figures& figures, Verdict worst) {
  return assessor.acceptable(figures) && figures.fit->verdict <= worst;
}

}  // namespace

std::optional<double> fitting_batch(const Assessor& assessor, const Workload& workload, const Gpu& gpu, Verdict worst) {
  Workload changed = workload;
  return largest_below(workload.batch, [&](double batch) {
    changed.batch = batch;
    return within(assessor, assessor.figures_of(changed, gpu), worst);
  });
}

std::optional<double> fitting_seq(const Assessor& assessor, const Workload& workload, const Gpu& gpu, Verdict worst) {
  Workload changed = workload;
  const auto steps = largest_below(std::ceil(workload.seq / k_seq_step), [&](double count) {
    changed.seq = count * k_seq_step;
    changed.prompt_len = std::max(1.0, changed.seq - workload.gen_len);
    return within(assessor, assessor.figures_of(changed, gpu), worst);
  });
  return steps ? std::optional<double>(*steps * k_seq_step) : std::nullopt;
}

std::string smallest_change(const Assessor& assessor, const Workload& workload, const Gpu& gpu, const Figures& figures) {
  if (const std::optional<double> batch = fitting_batch(assessor, workload, gpu)) {
    return "batch " + whole_text(*batch) + " instead of " + whole_text(workload.batch);
  }
  const bool sequence_counts = workload.seq > 2.0 * k_seq_step;
  const std::optional<double> seq = sequence_counts ? fitting_seq(assessor, workload, gpu) : std::nullopt;
  if (seq) {
    return "seq " + whole_text(*seq) + " instead of " + whole_text(workload.seq);
  }
  const double missing = figures.fit ? figures.memory.need.expected - figures.fit->usable_bytes : 0.0;
  return missing > 0.0 ? format_gib(missing) + " more memory" : "a card with more memory to spare";
}

}  // namespace gpuadvise::advise
