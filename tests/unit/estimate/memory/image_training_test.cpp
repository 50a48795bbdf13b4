#include "estimate/memory/image_training.hpp"

#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "estimate/memory/fit.hpp"
#include "estimate/memory/image_allocated.hpp"
#include "estimate/memory/image_band.hpp"
#include "estimate/memory/image_lines.hpp"
#include "estimate/memory/image_reserved.hpp"
#include "estimate/memory/image_state.hpp"
#include "model/named.hpp"

using namespace gpuadvise;
using namespace gpuadvise::estimate;

namespace {

Workload training(double batch, PrecisionKind precision = PrecisionKind::fp32) {
  Workload workload;
  workload.field = Field::vision;
  workload.batch = batch;
  workload.precision.kind = precision;
  workload.optimizer = Optimizer::sgd_momentum;
  workload.image = {1, 224, 224};
  return workload;
}

ImageProfile profile_of(std::string_view name) {
  return *model::named_model(name)->image();
}

}  // namespace

TEST_CASE("ResNet-50, fp32, batch 32 needs about 3.65 GiB: not 4 GB, but 8 GB") {
  const MemoryFigures memory = image_training_memory(training(32), profile_of("resnet50"), nullptr);
  CHECK(memory.need.expected / k_gib == Approx(3.65).epsilon(0.04));
  Gpu gtx1650;
  gtx1650.memory_gib = 4;
  CHECK(fit(memory, visible_bytes(gtx1650), usable_bytes(gtx1650, default_use(gtx1650, false))).verdict == Verdict::no);
  Gpu rtx3060ti;
  rtx3060ti.memory_gib = 8;
  CHECK(fit(memory, visible_bytes(rtx3060ti), usable_bytes(rtx3060ti, default_use(rtx3060ti, false))).verdict == Verdict::fits);
}

TEST_CASE("ResNet-152, AMP, batch 64 holds about 6 GiB and fits 12 GB") {
  const MemoryFigures memory = image_training_memory(training(64, PrecisionKind::amp_fp16), profile_of("resnet152"), nullptr);
  CHECK(memory.allocated.expected / k_gib == Approx(6.0).epsilon(0.06));
  Gpu card;
  card.memory_gib = 12;
  CHECK(fit(memory, visible_bytes(card), usable_bytes(card, default_use(card, false))).verdict == Verdict::fits);
}

TEST_CASE("measured anchor: ResNet-50, SGD, batch 128 allocates 10.436 GiB") {
  Workload workload = training(128);
  workload.optimizer = Optimizer::sgd;
  const MemoryFigures memory = image_training_memory(workload, profile_of("resnet50"), nullptr);
  CHECK(memory.allocated.expected / k_gib == Approx(10.436).epsilon(0.015));
}

TEST_CASE("measured anchor: 48 to 256 frames through ResNet-50") {
  struct Row {
    double videos, frames, gib;
  };
  for (const Row row : {Row{32, 3, 8.1484}, Row{8, 8, 5.5654}, Row{32, 8, 21.0527}, Row{16, 6, 8.1436}}) {
    model::NamedModelOptions options;
    options.config = "tsn_r50_1x1x3_100e_kinetics400_rgb";
    options.image = {row.frames, 224, 224};
    options.stack = Stack::openmmlab;
    const auto model = model::named_model("Recognizer2D ResNet-50", options);
    REQUIRE(model);
    Workload workload = training(row.videos);
    workload.field = Field::video;
    workload.image = options.image;
    workload.stack = Stack::openmmlab;
    workload.gpus = 8;
    workload.strategy = Strategy::ddp;
    CHECK(image_training_memory(workload, *model->image(), nullptr).allocated.expected / k_gib == Approx(row.gib).epsilon(0.02));
  }
}

TEST_CASE("the step dominates a large network at a small batch: weight, momentum, gradient, temporary") {
  const ImageProfile profile = profile_of("vit_large_patch16_224");
  const TrainingState state = training_state(training(1), profile);
  const AllocatedPeak peak = allocated_peak(state, live_lines(training(1), profile, state.gradients), 1);
  CHECK(peak.step_dominates);
  CHECK(peak.bytes == Approx(16 * profile.params).epsilon(0.01));
}

TEST_CASE("gradients live through the forward pass when micro-batches accumulate") {
  const ImageProfile profile = profile_of("resnet50");
  Workload workload = training(32);
  const double once = image_training_memory(workload, profile, nullptr).allocated.expected;
  workload.accumulate = 4;
  const double four = image_training_memory(workload, profile, nullptr).allocated.expected;
  CHECK(four - once > 0.8 * 4 * profile.params);
  CHECK(four - once <= 4 * profile.params * 1.001);
}

TEST_CASE("data-parallel buckets are a second set of gradients") {
  const ImageProfile profile = profile_of("resnet50");
  Workload workload = training(32);
  const MemoryFigures one = image_training_memory(workload, profile, nullptr);
  workload.gpus = 2;
  workload.strategy = Strategy::ddp;
  const MemoryFigures two = image_training_memory(workload, profile, nullptr);
  CHECK(two.allocated.expected - one.allocated.expected == Approx(4 * profile.params));
  CHECK(two.all_gpus.device.expected == Approx(2 * two.device.expected));
}

TEST_CASE("convolution workspaces: halved channels last, most without benchmark, none for attention") {
  const ImageProfile profile = profile_of("vgg16_bn");
  Workload workload = training(64);
  workload.cudnn_benchmark = true;
  const double full = convolution_workspace_bytes(workload, profile);
  CHECK(full > 0);
  workload.channels_last = true;
  CHECK(convolution_workspace_bytes(workload, profile) == Approx(full / 2));
  workload.channels_last = false;
  workload.cudnn_benchmark = false;
  CHECK(convolution_workspace_bytes(workload, profile) < full / 2);
}

TEST_CASE("a profile without a live curve falls back to its saved bytes") {
  ImageProfile profile = profile_of("resnet50");
  const double counted = image_training_memory(training(64), profile, nullptr).allocated.expected;
  profile.peak_lines = {};
  const double fallback = image_training_memory(training(64), profile, nullptr).allocated.expected;
  CHECK(fallback == Approx(counted).epsilon(0.03));
}

TEST_CASE("what is less known has the wider band") {
  ImageProfile profile = profile_of("resnet50");
  const BandRow counted = image_band(training(8), profile).allocated;
  profile.source = ProfileSource::estimated;
  const BandRow estimated = image_band(training(8), profile).allocated;
  CHECK(estimated.below < counted.below);
  CHECK(estimated.above > counted.above);
}

TEST_CASE("fitted bands rest on at least eight measurements") {
  for (const BandRow& row : image_band_rows()) {
    INFO(row.class_name);
    CHECK((row.kind != ConstantKind::fitted || row.n >= 8));
    CHECK(row.below < 1);
    CHECK(row.above > 1);
  }
}

TEST_CASE("eager attention keeps its scores") {
  const ImageProfile profile = profile_of("vit_base_patch16_224");
  Workload workload = training(32);
  const double fused = image_training_memory(workload, profile, nullptr).allocated.expected;
  workload.attention = AttentionBackend::eager;
  const double eager = image_training_memory(workload, profile, nullptr).allocated.expected;
  CHECK(eager - fused == Approx(32 * 4 * *profile.eager_scores));
}

TEST_CASE("ZeRO-3 shares weights, gradients and states among the ranks") {
  const ImageProfile profile = profile_of("vit_large_patch16_224");
  Workload workload = training(1);
  workload.gpus = 8;
  workload.strategy = Strategy::zero3;
  const TrainingState state = training_state(workload, profile);
  CHECK(state.weights == Approx(4 * profile.params / 8));
  CHECK(state.optimizer_states == Approx(4 * profile.params / 8));
  CHECK(state.buckets == 0);
}

TEST_CASE("states kept by the host are host memory") {
  const ImageProfile profile = profile_of("resnet50");
  Workload workload = training(1);
  workload.optimizer = Optimizer::adamw;
  workload.offload.kind = OffloadKind::optimizer;
  const MemoryFigures memory = image_training_memory(workload, profile, nullptr);
  CHECK(memory.components.optimizer_states == 0);
  CHECK(memory.host_bytes == Approx(8 * profile.params));
}
