// What published measurements say about cards, precisions and links, as ranges the estimate must stay in.
#include "catch.hpp"
#include "unit/estimate/speed_cards.hpp"

using namespace speed_test;

// NVIDIA DeepLearningExamples (ResNet-50 v1.5, one V100-16GB): 1,200 against 367 images/s; lambdal/deeplearning-benchmark:
// 833 against 370.
TEST_CASE("Automatic mixed precision doubles or triples ResNet-50 training on a V100") {
  const double mixed = rate(train(PrecisionKind::amp_fp16, 256), resnet50(), v100());
  const double single = rate(train(PrecisionKind::fp32, 128), resnet50(), v100());
  CHECK(mixed / single > 2.0);
  CHECK(mixed / single < 3.3);
  CHECK(mixed == Approx(833).epsilon(0.25));
  CHECK(single == Approx(370).epsilon(0.2));
}

// DeepLearningExamples BERT (SQuAD, sequences of 384): 52 against 12 sequences/s on a V100-32GB; two to three times at
// equal small batches.
TEST_CASE("Automatic mixed precision speeds BERT fine-tuning on a V100 by two to five times") {
  const double mixed = rate(train(PrecisionKind::amp_fp16, 16), bert_large(), v100());
  const double single = rate(train(PrecisionKind::fp32, 8), bert_large(), v100());
  CHECK(mixed / single > 2.0);
  CHECK(mixed / single < 5.0);
}

// Pascal has no tensor cores: lambdal/deeplearning-benchmark, GTX 1080 Ti ResNet-50, half precision within 30 % of single.
TEST_CASE("Mixed precision gains little without tensor cores") {
  const double mixed = rate(train(PrecisionKind::amp_fp16, 64), resnet50(), gtx_1080_ti());
  const double single = rate(train(PrecisionKind::fp32, 64), resnet50(), gtx_1080_ti());
  CHECK(mixed / single > 1.0);
  CHECK(mixed / single < 1.6);
}

// fal-ai/stable-diffusion-benchmarks: SDXL at 1024 pixels, diffusers on an A100 80 GB: 8.4-8.8 iterations/s.
// vladmandic/sd-data: H100, 512 pixels, batch 8 to 16: 53-63, which is 13-16 at 1024 pixels.
TEST_CASE("An H100 runs Stable Diffusion XL 1.4 to 2.4 times as fast as an A100") {
  Workload workload;
  workload.task = Task::infer;
  workload.field = Field::diffusion;
  workload.engine = Engine::diffusers;
  workload.precision = {PrecisionKind::fp16};
  CHECK(rate(workload, sdxl(), a100()) == Approx(8.5).epsilon(0.2));
  workload.batch = 4;  // one image leaves the faster card waiting for its host
  const double a = rate(workload, sdxl(), a100());
  const double h = rate(workload, sdxl(), h100());
  CHECK(h / a > 1.4);
  CHECK(h / a < 2.4);
}

// lambdal/deeplearning-benchmark, ResNet-50: two RTX 3090 1,557-1,752 images/s where one does 796-905: 0.97 of twice.
TEST_CASE("Two RTX 3090 train ResNet-50 at 90 to 99 % of twice one") {
  const auto figures = estimate::evaluate_speed(train(PrecisionKind::amp_fp16, 448, 2), resnet50(), rtx_3090());
  REQUIRE(figures);
  REQUIRE(figures->scaling_efficiency);
  CHECK(*figures->scaling_efficiency > 0.90);
  CHECK(*figures->scaling_efficiency < 0.99);
  CHECK(figures->throughput.expected == Approx(1650).epsilon(0.25));
}

// The same source, eight cards: SXM 0.93-0.99 on ResNet-50, PCIe 0.97; BERT-large on PCIe 0.69-0.81.
TEST_CASE("Eight cards scale by their link") {
  const auto efficiency = [](const Gpu& gpu, const Model& model, double batch) {
    return *estimate::evaluate_speed(train(PrecisionKind::amp_fp16, batch, 8), model, gpu)->scaling_efficiency;
  };
  CHECK(efficiency(a100(), resnet50(), 256) > 0.92);
  CHECK(efficiency(h100(), bert_large(), 112) > 0.92);
  Gpu slot_only = a100();
  slot_only.form_factor = FormFactor::pcie;
  slot_only.link_gb_s.reset();
  CHECK(efficiency(slot_only, bert_large(), 32) < efficiency(a100(), bert_large(), 32));
  const double consumer = efficiency(rtx_3090(), bert_large(), 28);
  CHECK(consumer > 0.4);
  CHECK(consumer < 0.85);
  CHECK(efficiency(rtx_3090(), resnet50(), 448) > 0.9);
}

// 1 Gbit/s moves 0.1 GB/s: 2.3 s for the gradients of BERT-large there and back, a step takes 0.1-0.5 s.
TEST_CASE("Eight nodes need more than gigabit Ethernet") {
  Workload workload = train(PrecisionKind::amp_fp16, 32);
  workload.nodes = 8;
  workload.strategy = Strategy::ddp;
  const auto efficiency = [&](double gbit) {
    workload.network_gbit_s = gbit;
    return *estimate::evaluate_speed(workload, bert_large(), a100())->scaling_efficiency;
  };
  CHECK(efficiency(1) < 0.1);
  CHECK(efficiency(10) < 0.4);
  CHECK(efficiency(400) > 0.8);
  workload.network_gbit_s = 1.0;
  CHECK(estimate::evaluate_speed(workload, bert_large(), a100())->bound == Bound::communication);
}

// XiongjieDai/GPU-Benchmarks-on-LLM-Inference (llama.cpp, 8B F16): 3090 46.5, 4090 54.3 tokens/s.
TEST_CASE("A stream of tokens runs at the bandwidth of the card") {
  Workload workload = generate(PrecisionKind::gguf, Engine::llama_cpp);
  workload.precision.mix = GgufMix::F16;
  const auto on_3090 = estimate::evaluate_speed(workload, llama_7b(), rtx_3090());
  const auto on_4090 = estimate::evaluate_speed(workload, llama_7b(), rtx_4090());
  REQUIRE(on_3090);
  REQUIRE(on_4090);
  CHECK(on_3090->bound == Bound::bandwidth);
  CHECK(on_4090->decode_tokens_per_s->expected / on_3090->decode_tokens_per_s->expected == Approx(1.12).epsilon(0.08));
  CHECK(on_4090->decode_tokens_per_s->expected == Approx(60).epsilon(0.2));
  CHECK(on_4090->prefill_tokens_per_s->expected > 50 * on_4090->decode_tokens_per_s->expected);
}

// mosaicml/llm-foundry: MPT-7B, sequences of 2,048, 8 H100: 10,643 tokens/s a card; A100 80 GB 4,500-5,000 at 60-64 % of peak.
TEST_CASE("Full training of a 7B model uses half of an A100") {
  Workload workload = train(PrecisionKind::bf16, 6, 8);
  workload.seq = 2048;
  workload.strategy = Strategy::fsdp;
  workload.attention = AttentionBackend::flash;
  workload.stack = Stack::llm_foundry;
  const auto figures = estimate::evaluate_speed(workload, llama_7b(), a100());
  REQUIRE(figures);
  CHECK(figures->unit == ThroughputUnit::tokens);
  const double used = 6.0 * 6.7e9 * figures->throughput.expected / 8.0 / 312e12;
  CHECK(used > 0.45);
  CHECK(used < 0.65);
}

TEST_CASE("Other makers' cards are never silently NVIDIA's") {
  const auto amd = estimate::evaluate_speed(train(PrecisionKind::amp_fp16, 128), bert_large(), rx_7900_xtx());
  REQUIRE(amd);
  CHECK(amd->prior);
  Gpu twin = rx_7900_xtx();
  twin.vendor = Vendor::nvidia;
  twin.family = Architecture::ada;
  const auto nvidia = estimate::evaluate_speed(train(PrecisionKind::amp_fp16, 128), bert_large(), twin);
  CHECK(amd->throughput.expected < 0.8 * nvidia->throughput.expected);
  CHECK(amd->throughput.high / amd->throughput.low > 1.5 * nvidia->throughput.high / nvidia->throughput.low);
  CHECK_FALSE(nvidia->prior);
}
