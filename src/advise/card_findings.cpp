#include "advise/card_findings.hpp"

#include <gpuadvise/units.hpp>

#include "estimate/memory/fit.hpp"
#include "estimate/speed/parallel.hpp"
#include "units/whole_text.hpp"

#include <cmath>
#include <string>

namespace gpuadvise::advise {
namespace {

constexpr double k_pair = 2.0;

}  // namespace

std::optional<Finding> speed_finding(const Workload& workload, const Figures& figures, const Gpu& gpu) {
  if (!figures.fit || (figures.speed && figures.fit->verdict != Verdict::no)) {
    return std::nullopt;
  }
  const std::string name(gpu.name);
  if (figures.speed_refused) {
    return Finding{"speed-refused", Severity::warn,
                   "no speed is given: the job cannot run on " + name + ", it needs at least " + format_gib(figures.memory.need.low) +
                       (workload.all_gpus() > 1.0 ? " on a GPU and " : " and ") + format_gib(figures.fit->usable_bytes) + " are usable"};
  }
  if (!figures.speed) {
    const bool rated = gpu.tflops.fp32 || gpu.tflops.fp16_tensor || gpu.tflops.bf16_tensor;
    if (workload.field == Field::recommender && workload.offload.kind != OffloadKind::none) {
      return Finding{"speed-unknown", Severity::warn,
                     "no speed is given: how fast rows of tables come from the host's memory is not counted"};
    }
    const bool pages = workload.field == Field::diffusion && rated;
    return Finding{pages ? "speed-refused" : "speed-unknown", Severity::warn,
                   pages
                       ? "no speed is given: the networks fill " + name + ", and a run that pages to the host's memory is many times slower"
                       : "no speed is given: the rate of " + name + " at this precision is not published"};
  }
  // Only an easier run of the same job can be; its speed is what is given.
  if (figures.fit->probability < estimate::k_certainly_not) {
    return Finding{"speed-without-fit", Severity::warn,
                   "the job does not fit on " + name + " as it is: the speed is that of a run " +
                       (workload.training() ? "with grad_checkpointing full" : "with a short prompt")};
  }
  return Finding{"speed-without-fit", Severity::warn, "the job does not fit on " + name + ": the speed is what it would be if it did"};
}

std::optional<Finding> bridge_finding(const Workload& workload, const Gpu& gpu) {
  if (!workload.nvlink_bridge) {
    return std::nullopt;
  }
  const std::string name(gpu.name);
  if (estimate::switched_form(gpu)) {
    return Finding{"bridge-not-needed", Severity::note,
                   name + " is linked to all others of its node by its board: nvlink_bridge changes nothing"};
  }
  if (!(gpu.link_gb_s.value_or(0.0) > 0.0)) {
    return Finding{"no-bridge", Severity::warn,
                   name + " has no NVLink bridge: its cards are joined by PCI Express, nvlink_bridge changes nothing"};
  }
  const double joined = gpu.link_max_gpus.value_or(k_pair);
  if (workload.gpus > joined) {
    return Finding{"bridge-joins-few", Severity::note,
                   "a bridge joins " + whole_text(joined) + " " + name + ": between them " + whole_text(workload.gpus) +
                       " cards still cross PCI Express"};
  }
  return std::nullopt;
}

std::vector<Finding> card_findings(const Workload& workload, const Figures& figures, const Gpu& gpu) {
  std::vector<Finding> out;
  for (std::optional<Finding> finding : {speed_finding(workload, figures, gpu), bridge_finding(workload, gpu)}) {
    if (finding) {
      out.push_back(std::move(*finding));
    }
  }
  return out;
}

}  // namespace gpuadvise::advise
