// What decides the speed of one card: kernels, memory, power and the size of the input; with the measurements behind it.
#include "catch.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/vision.hpp"
#include "unit/estimate/speed_cards.hpp"

using namespace speed_test;
using gpuadvise::estimate::clock_ghz;
using gpuadvise::estimate::full_accumulate_rate;
using gpuadvise::estimate::MathPath;
using gpuadvise::estimate::maturity;
using gpuadvise::estimate::seconds_per_terabyte;
using gpuadvise::estimate::sustained_rate;

namespace {

ImageProfile& profile_of(Model& model) {
  return std::get<ImageProfile>(model.shape);
}

// timm's counts for ViT-B/16 at 224 pixels.
Model vit_base() {
  Model model;
  model.id = "vit_base_patch16_224";
  ImageProfile profile;
  profile.params = 86567656;
  profile.gmacs = 17.58;
  profile.image = 224;
  profile.fixed_image = true;
  profile.saved_bytes = 118179682;
  profile.attention = VisionAttention::fused;
  profile.batchnorms = 0;
  profile.layernorms = 25;
  profile.convs = 1;
  profile.eager_scores = 12.0 * 12.0 * 197.0 * 197.0;
  model.shape = profile;
  return model;
}

Workload at_size(Workload workload, double side) {
  workload.image = {side, side, 1};
  return workload;
}

}  // namespace

TEST_CASE("A larger image costs a vision transformer its tokens, and attention their square") {
  const auto work = [](double side) {
    Model model = vit_base();
    return *gpuadvise::estimate::image_work(at_size(train(PrecisionKind::amp_fp16, 64), side), profile_of(model));
  };
  CHECK(work(224).tflop == Approx(2e-3 * 17.58));
  // timm counts 55.5 GMACs for ViT-B/16 at 384 pixels.
  CHECK(work(384).tflop == Approx(2e-3 * 55.5).epsilon(0.04));
  CHECK(work(384).elements_m == Approx(work(224).elements_m * 384.0 * 384 / 224 / 224));
  const double small = rate(at_size(train(PrecisionKind::amp_fp16, 64), 224), vit_base(), a100());
  const double large = rate(at_size(train(PrecisionKind::amp_fp16, 64), 384), vit_base(), a100());
  CHECK(small / large > 2.5);
  CHECK(small / large < 3.6);
}

TEST_CASE("Vision transformers in single precision run on the vector units unless TF32 is asked for") {
  const double plain = rate(train(PrecisionKind::fp32, 64), vit_base(), a100());
  const double tf32 = rate(train(PrecisionKind::tf32, 64), vit_base(), a100());
  CHECK(tf32 > 2.0 * plain);
  // cuDNN's convolutions take TF32 by themselves.
  CHECK(rate(train(PrecisionKind::fp32, 64), resnet50(), a100()) == Approx(rate(train(PrecisionKind::tf32, 64), resnet50(), a100())));
}

// lamikr and DeepLearningExamples, single precision on Volta and Turing: networks of dense 3x3 convolutions reach more than their
// counted arithmetic, those of grouped ones do not.
TEST_CASE("Winograd's kernels speed dense convolutions on the vector units only") {
  Model dense = resnet50();
  profile_of(dense).spatial_convs = 17;
  profile_of(dense).dense3x3_io_bytes = 2007040;
  Model grouped = dense;
  profile_of(grouped).grouped_io_bytes = 4014080;
  Model all_spatial = dense;
  profile_of(all_spatial).spatial_convs = 53;
  const auto single = [](const Model& model) { return rate(train(PrecisionKind::fp32, 256), model, v100()); };
  CHECK(single(dense) > single(grouped));
  CHECK(single(all_spatial) > single(dense));
  const auto mixed = [](const Model& model) { return rate(train(PrecisionKind::amp_fp16, 256), model, v100()); };
  CHECK(mixed(dense) == Approx(mixed(grouped)));
}

// XiongjieDai (A40 against A6000), mlc-ai (A10G), DeepLearningExamples (T4).
TEST_CASE("Check bits in GDDR memory take bandwidth, those of HBM have their own lanes") {
  Gpu desk = rtx_3090();
  desk.memory_type = "GDDR6";
  Gpu rack = desk;
  rack.segment = Segment::datacenter;
  const double share = seconds_per_terabyte(desk, 0.0) / seconds_per_terabyte(rack, 0.0);
  CHECK(share > 0.88);
  CHECK(share < 0.97);
  rack.memory_type = "HBM2e";
  CHECK(seconds_per_terabyte(rack, 0.0) == Approx(seconds_per_terabyte(desk, 0.0)));
}

TEST_CASE("A laptop does not hold its stated power") {
  Gpu desk = rtx_4090();
  desk.tdp_w = 120;
  Gpu laptop = desk;
  laptop.segment = Segment::laptop;
  CHECK(sustained_rate(laptop, MathPath::half).tflops < sustained_rate(desk, MathPath::half).tflops);
  const auto width = [](const Gpu& gpu) {
    const auto figures = estimate::evaluate_speed(train(PrecisionKind::amp_fp16, 64), resnet50(), gpu);
    return figures->throughput.high / figures->throughput.low;
  };
  CHECK(width(laptop) > 1.4 * width(desk));
}

TEST_CASE("Short kernels of decoding last as long as the clock says") {
  Workload workload = generate(PrecisionKind::gguf, Engine::llama_cpp);
  workload.precision.mix = GgufMix::Q4_K_M;
  Gpu slow = rtx_4090();
  slow.boost_clock_mhz = 1260;
  slow.sm_count = 256;  // as many bytes in flight
  CHECK(rate(workload, llama_7b(), slow) < 0.95 * rate(workload, llama_7b(), rtx_4090()));
  // Eager PyTorch waits for its host, not for the clock.
  workload = generate(PrecisionKind::bf16, Engine::transformers);
  CHECK(rate(workload, llama_7b(), slow) == Approx(rate(workload, llama_7b(), rtx_4090())));
}

TEST_CASE("A clock that is not stated follows from the rated arithmetic") {
  Gpu gpu = h100();
  CHECK(clock_ghz(gpu) == Approx(1.98));
  gpu.boost_clock_mhz.reset();
  gpu.shaders = 16896;
  CHECK(clock_ghz(gpu) == Approx(1.98).epsilon(0.01));
  CHECK(clock_ghz(m2_ultra()) == Approx(1.398).epsilon(0.01));
}

// ggerganov/llama.cpp: P40, 7B in 4 bits, prompts of 512: 851 to 935 tokens/s; GTX 16 cards have the same dot product.
TEST_CASE("Quantised prompts use the 8-bit dot product where there are no matrix units") {
  CHECK(full_accumulate_rate(gtx_1080_ti(), true).tflops == Approx(22.6));
  Gpu p100 = gtx_1080_ti();
  p100.compute_capability = 6.0;
  CHECK(full_accumulate_rate(p100, true).tflops < 22.0);
  CHECK(full_accumulate_rate(p100, true).tflops > 11.3);
  Gpu gtx_16 = gtx_1080_ti();
  gtx_16.family = Architecture::turing;
  gtx_16.compute_capability = 7.5;
  CHECK(full_accumulate_rate(gtx_16, true).tflops == Approx(22.6));
}

TEST_CASE("A card whose sheet has one 16-bit format computes the other at its rate") {
  Gpu gaudi = a100();
  gaudi.vendor = Vendor::intel;
  gaudi.family = Architecture::gaudi;
  gaudi.tflops.fp16_tensor.reset();
  gaudi.tflops.bf16_tensor = 432;
  CHECK(sustained_rate(gaudi, MathPath::half).tflops == Approx(432));
}

// ggml-org/llama.cpp docs/backend/SYCL.md, 7B Q4_0: A770 55 tokens/s of 560 GB/s.
TEST_CASE("Arc Alchemist decodes at half of what its bandwidth allows") {
  Gpu arc = card("arc-a770-16gb", Architecture::xe_hpg, {32, 2400, 560, 225, 16}, rates(19.7, 157.3));
  arc.vendor = Vendor::intel;
  Workload workload = generate(PrecisionKind::gguf, Engine::llama_cpp);
  workload.precision.mix = GgufMix::Q4_0;
  const auto figures = estimate::evaluate_speed(workload, llama_7b(), arc);
  REQUIRE(figures);
  CHECK(figures->decode_tokens_per_s->expected == Approx(55).epsilon(0.2));
  CHECK(figures->decode_tokens_per_s->low < 42);
  CHECK(figures->prior);
  arc.family = Architecture::xe2;
  CHECK(maturity(arc).decode == 1.0);
}

namespace {

Workload look_ups(PrecisionKind precision, double batch, double gpus = 1) {
  Workload workload = train(precision, batch, gpus);
  workload.field = Field::recommender;
  workload.given.batch = true;
  return workload;
}

Model dlrm() {
  Model model;
  model.id = "dlrm";
  model.field = Field::recommender;
  model.shape = RecommenderShape{1e7, 128, 2.37e6};
  return model;
}

}  // namespace

// DeepLearningExamples, DLRM, PyTorch, batches of 65,536: one V100-32GB 2.09-2.25M samples/s in mixed precision, 0.67-0.72M in
// single; eight 6.9-7.9M and 2.9-3.3M. mlcommons, DLRM-DCNv2 on eight H100: 13.3-13.8M.
TEST_CASE("Recommenders train at the rate of their networks, their rows and their exchange") {
  const auto figures = estimate::evaluate_speed(look_ups(PrecisionKind::amp_fp16, 65536), dlrm(), v100());
  REQUIRE(figures);
  CHECK(figures->unit == ThroughputUnit::samples);
  CHECK(figures->prior);
  CHECK(figures->throughput.expected == Approx(2.17e6).epsilon(0.25));
  CHECK(rate(look_ups(PrecisionKind::fp32, 65536), dlrm(), v100()) == Approx(0.69e6).epsilon(0.25));
  const auto eight = estimate::evaluate_speed(look_ups(PrecisionKind::amp_fp16, 8192, 8), dlrm(), v100());
  CHECK(eight->throughput.low < 7.4e6);
  CHECK(eight->throughput.high > 7.4e6);
  CHECK(*eight->scaling_efficiency < 0.95);
  CHECK(eight->shares.communication > 0.05);
  Model crossed = dlrm();
  crossed.shape = RecommenderShape{2e8, 128, 16e6};
  const auto h100s = estimate::evaluate_speed(look_ups(PrecisionKind::amp_fp16, 6912, 8), crossed, h100());
  CHECK(h100s->throughput.low < 13.5e6);
  CHECK(h100s->throughput.high > 13.5e6);
}

TEST_CASE("Reading is faster than training a recommender, and wider rows are slower") {
  Workload reading = look_ups(PrecisionKind::fp16, 65536);
  reading.task = Task::infer;
  CHECK(rate(reading, dlrm(), a100()) > 2.0 * rate(look_ups(PrecisionKind::amp_fp16, 65536), dlrm(), a100()));
  Model wide = dlrm();
  wide.shape = RecommenderShape{1e7, 512, 2.37e6};
  CHECK(rate(reading, wide, a100()) < rate(reading, dlrm(), a100()));
}
