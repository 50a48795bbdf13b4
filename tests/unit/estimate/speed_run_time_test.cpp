#include "catch.hpp"
#include "estimate/speed/run_time.hpp"

using gpuadvise::Interval;
using gpuadvise::SpeedFigures;
using gpuadvise::ThroughputUnit;
using gpuadvise::Workload;
using gpuadvise::estimate::run_time;

namespace {

SpeedFigures figures(Interval rate, double step_items, ThroughputUnit unit) {
  SpeedFigures speed;
  speed.throughput = rate;
  speed.step_seconds = {step_items / rate.high, step_items / rate.expected, step_items / rate.low};
  speed.unit = unit;
  return speed;
}

}  // namespace

TEST_CASE("Epochs over a data set of images") {
  Workload workload;
  workload.dataset_size = 1281167;
  workload.epochs = 90;
  const auto time = run_time(workload, figures({800, 1000, 1250}, 256, ThroughputUnit::images));
  REQUIRE(time.epoch_seconds);
  CHECK(time.epoch_seconds->expected == Approx(1281.167));
  CHECK(time.epoch_seconds->low == Approx(1281167.0 / 1250));
  CHECK(time.epoch_seconds->high == Approx(1281167.0 / 800));
  CHECK(time.run_seconds->expected == Approx(90 * 1281.167));
  CHECK(*time.run_steps == Approx(90 * 1281167.0 / 256));
}

TEST_CASE("A sample of a language model is a sequence; tokens_total decides before steps") {
  Workload workload;
  workload.seq = 2048;
  workload.dataset_size = 1000;
  const SpeedFigures speed = figures({4000, 5000, 6000}, 8192, ThroughputUnit::tokens);
  CHECK(run_time(workload, speed).run_seconds->expected == Approx(1000 * 2048 / 5000.0));
  workload.steps_total = 100;
  CHECK(run_time(workload, speed).run_seconds->expected == Approx(100 * 8192 / 5000.0));
  workload.tokens_total = 1e9;
  CHECK(run_time(workload, speed).run_seconds->expected == Approx(1e9 / 5000));
}

TEST_CASE("No amount of work, no run time") {
  const auto time = run_time(Workload{}, figures({1, 2, 3}, 1, ThroughputUnit::images));
  CHECK_FALSE(time.epoch_seconds);
  CHECK_FALSE(time.run_seconds);
  CHECK_FALSE(run_time(Workload{}, SpeedFigures{}).run_steps);
}
