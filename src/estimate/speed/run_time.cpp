#include "estimate/speed/run_time.hpp"

#include <algorithm>
#include <cmath>

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

// Items that a number of tokens are; a sample of an encoder is a sequence.
std::optional<double> items_of_tokens(const Workload& workload, ThroughputUnit unit) {
  if (unit == ThroughputUnit::tokens) {
    return workload.tokens_total;
  }
  const bool sequences = unit == ThroughputUnit::samples && workload.seq > 0.0;
  return workload.tokens_total && sequences ? std::optional<double>(*workload.tokens_total / workload.seq) : std::nullopt;
}

// A last batch that is not full is a step too.
double whole_steps(double items, double step) {
  return std::max(1.0, std::ceil(items / step * (1.0 - 1e-9)));
}

}  // namespace

RunTime run_time(const Workload& workload, const SpeedFigures& speed) {
  RunTime time;
  const double step = items_of_step(speed);
  if (!(speed.throughput.low > 0.0) || !(step > 0.0)) {
    return time;
  }
  std::optional<double> epoch_items;
  if (workload.dataset_size) {
    epoch_items = *workload.dataset_size * items_of_sample(workload, speed.unit);
    time.epoch_seconds = seconds_for(*epoch_items, speed.throughput);
  }
  if (workload.steps_total) {
    time.run_seconds = speed.step_seconds.scaled(*workload.steps_total);
    time.run_steps = *workload.steps_total;
  } else if (const std::optional<double> items = items_of_tokens(workload, speed.unit)) {
    time.run_seconds = seconds_for(*items, speed.throughput);
    time.run_steps = whole_steps(*items, step);
  } else if (epoch_items) {
    const double epochs = workload.epochs.value_or(1.0);
    time.run_seconds = time.epoch_seconds->scaled(epochs);
    time.run_steps = std::ceil(epochs * whole_steps(*epoch_items, step));
  }
  return time;
}

}  // namespace gpuadvise::estimate
