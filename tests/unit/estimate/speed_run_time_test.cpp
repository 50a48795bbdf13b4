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
  CHECK(*time.run_steps == 90 * 5005);  // the last of 5,004.6 batches is not full
}

TEST_CASE("A sample of a language model is a sequence; steps decide before tokens before epochs") {
  Workload workload;
  workload.seq = 2048;
  workload.dataset_size = 1000;
  const SpeedFigures speed = figures({4000, 5000, 6000}, 8192, ThroughputUnit::tokens);
  CHECK(run_time(workload, speed).run_seconds->expected == Approx(1000 * 2048 / 5000.0));
  CHECK(*run_time(workload, speed).run_steps == 250);
  workload.tokens_total = 1e9;
  CHECK(run_time(workload, speed).run_seconds->expected == Approx(1e9 / 5000));
  CHECK(*run_time(workload, speed).run_steps == 122071);  // 122,070.3
  workload.steps_total = 100;
  CHECK(run_time(workload, speed).run_seconds->expected == Approx(100 * 8192 / 5000.0));
  CHECK(run_time(workload, speed).run_seconds->low == Approx(100 * 8192 / 6000.0));
  CHECK(*run_time(workload, speed).run_steps == 100);
  CHECK(run_time(workload, speed).epoch_seconds->expected == Approx(1000 * 2048 / 5000.0));
}

TEST_CASE("Tokens of an encoder are sequences of its length; images have none") {
  Workload workload;
  workload.seq = 128;
  workload.tokens_total = 128e6;
  CHECK(run_time(workload, figures({400, 500, 600}, 32, ThroughputUnit::samples)).run_seconds->expected == Approx(1e6 / 500));
  CHECK_FALSE(run_time(workload, figures({400, 500, 600}, 32, ThroughputUnit::images)).run_seconds);
}

// By hand: ResNet-50, 1,281,167 images, 64 a card, 4 micro-batches, 4 cards = 1,024 a step: 1,252 steps an epoch (1,251.1). A language
// model, 50,000 sequences of 2,048, 2 a card, 8 micro-batches, 2 cards = 32 sequences or 65,536 tokens a step: 1,563 steps (1,562.5).
TEST_CASE("Steps of an epoch count micro-batches, cards and the batch that is not full") {
  Workload images;
  images.dataset_size = 1281167;
  images.epochs = 3;
  CHECK(*run_time(images, figures({900, 1000, 1100}, 1024, ThroughputUnit::images)).run_steps == 3 * 1252);
  Workload sequences;
  sequences.dataset_size = 50000;
  sequences.seq = 2048;
  CHECK(*run_time(sequences, figures({11000, 12000, 13000}, 65536, ThroughputUnit::tokens)).run_steps == 1563);
  sequences.dataset_size = 7;  // less than one step
  CHECK(*run_time(sequences, figures({11000, 12000, 13000}, 65536, ThroughputUnit::tokens)).run_steps == 1);
  // A whole number of batches is not rounded up for the last bit of a float.
  sequences.dataset_size = 32e6;
  CHECK(*run_time(sequences, figures({11000, 12000.0 / 7, 13000}, 65536, ThroughputUnit::tokens)).run_steps == 1e6);
}

TEST_CASE("No amount of work, no run time") {
  const auto time = run_time(Workload{}, figures({1, 2, 3}, 1, ThroughputUnit::images));
  CHECK_FALSE(time.epoch_seconds);
  CHECK_FALSE(time.run_seconds);
  CHECK_FALSE(run_time(Workload{}, SpeedFigures{}).run_steps);
}
