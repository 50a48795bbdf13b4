#include "estimate/speed/run_time.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// Items that the throughput counts in one sample of the data set.
double items_of_sample(const Workload& workload, ThroughputUnit unit) {
  switch (unit) {
    case ThroughputUnit::tokens:
      return std::max(1.0, workload.training() ? workload.seq : workload.gen_len);
    case ThroughputUnit::iterations:
      return workload.training() ? 1.0 : std::max(1.0, workload.steps);
    default:
      return 1.0;
  }
}

// A slow rate is a long time: the bounds change places.
Interval seconds_for(double items, const Interval& rate) {
  return {items / rate.high, items / rate.expected, items / rate.low};
}

double items_of_step(const SpeedFigures& speed) {
  return speed.throughput.expected * speed.step_seconds.expected;
}

}  // namespace

RunTime run_time(const Workload& workload, const SpeedFigures& speed) {
  RunTime time;
  if (!(speed.throughput.low > 0.0)) {
    return time;
  }
  const double sample = items_of_sample(workload, speed.unit);
  std::optional<double> items;
  if (workload.dataset_size) {
    time.epoch_seconds = seconds_for(*workload.dataset_size * sample, speed.throughput);
    items = *workload.dataset_size * sample * workload.epochs.value_or(1.0);
  }
  if (workload.steps_total) {
    time.run_seconds = speed.step_seconds.scaled(*workload.steps_total);
    items = *workload.steps_total * items_of_step(speed);
  }
  if (workload.tokens_total && speed.unit == ThroughputUnit::tokens) {
    items = *workload.tokens_total;
    time.run_seconds.reset();
  }
  if (items && !time.run_seconds) {
    time.run_seconds = seconds_for(*items, speed.throughput);
  }
  if (items && items_of_step(speed) > 0.0) {
    time.run_steps = *items / items_of_step(speed);
  }
  return time;
}

}  // namespace gpuadvise::estimate
