// Physics that every speed must obey, over a grid of cards, models and workloads.
#include "catch.hpp"
#include "unit/estimate/speed_cards.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

using namespace speed_test;

namespace {

std::vector<Gpu> cards() {
  return {v100(), a100(), h100(), rtx_3090(), rtx_4090(), gtx_1080_ti(), rx_7900_xtx(), m2_ultra()};
}

struct Run {
  Workload workload;
  Model model;
};

Run training(const Model& model, PrecisionKind precision, double batch, double seq = 512) {
  Workload workload = train(precision, batch);
  workload.field = model.field;
  workload.seq = seq;
  return {workload, model};
}

std::vector<Run> runs() {
  std::vector<Run> all;
  for (const PrecisionKind precision : {PrecisionKind::fp32, PrecisionKind::tf32, PrecisionKind::amp_fp16, PrecisionKind::amp_bf16}) {
    for (const double batch : {1.0, 16.0, 256.0}) {
      all.push_back(training(resnet50(), precision, batch));
      all.push_back(training(bert_large(), precision, batch));
      all.push_back(training(llama_7b(), precision, batch));
    }
  }
  for (const Method method : {Method::lora, Method::qlora}) {
    Run run = training(llama_7b(), PrecisionKind::bf16, 2, 2048);
    run.workload.method = method;
    all.push_back(run);
  }
  for (const Engine engine : {Engine::llama_cpp, Engine::transformers, Engine::vllm, Engine::tensorrt_llm, Engine::mlx, Engine::exllama}) {
    for (const PrecisionKind precision : {PrecisionKind::bf16, PrecisionKind::fp8, PrecisionKind::int4_awq}) {
      all.push_back({generate(precision, engine, 2048), llama_7b()});
    }
  }
  Run denoising = training(sdxl(), PrecisionKind::fp16, 1);
  denoising.workload.task = Task::infer;
  all.push_back(denoising);
  return all;
}

using Better = std::function<void(Gpu&)>;

void scale(std::optional<double>& value, double factor) {
  if (value) {
    *value *= factor;
  }
}

void never_slower(const Better& better) {
  for (const Gpu& gpu : cards()) {
    Gpu improved = gpu;
    better(improved);
    for (const Run& run : runs()) {
      const auto before = gpuadvise::estimate::evaluate_speed(run.workload, run.model, gpu);
      const auto after = gpuadvise::estimate::evaluate_speed(run.workload, run.model, improved);
      INFO(gpu.id << " " << run.model.id << " engine " << static_cast<int>(run.workload.engine) << " batch " << run.workload.batch);
      REQUIRE(before.has_value() == after.has_value());
      if (before) {
        CHECK(after->throughput.expected >= before->throughput.expected * (1 - 1e-9));
        CHECK(after->step_seconds.expected <= before->step_seconds.expected * (1 + 1e-9));
      }
    }
  }
}

}  // namespace

TEST_CASE("More bandwidth is never slower") {
  never_slower([](Gpu& gpu) { gpu.memory_bandwidth_gb_s *= 1.5; });
}

TEST_CASE("A higher peak is never slower") {
  never_slower([](Gpu& gpu) {
    for (auto* rate : {&gpu.tflops.fp32, &gpu.tflops.fp16_vector, &gpu.tflops.fp16_tensor, &gpu.tflops.bf16_tensor, &gpu.tflops.tf32_tensor,
                       &gpu.tflops.fp8_tensor, &gpu.tflops.int8_tensor, &gpu.tflops.fp4_tensor}) {
      scale(*rate, 1.4);
    }
  });
}

TEST_CASE("More power is never slower") {
  never_slower([](Gpu& gpu) { scale(gpu.tdp_w, 1.3); });
}

TEST_CASE("A longer sequence at the same batch is never faster") {
  for (const Gpu& gpu : cards()) {
    for (const Model& model : {bert_large(), llama_7b()}) {
      for (const double batch : {1.0, 8.0}) {
        double last = 0.0;
        for (const double seq : {128.0, 512.0, 2048.0, 8192.0}) {
          const Run run = training(model, PrecisionKind::amp_fp16, batch, seq);
          const auto figures = gpuadvise::estimate::evaluate_speed(run.workload, run.model, gpu);
          REQUIRE(figures);
          INFO(gpu.id << " " << model.id << " " << seq);
          CHECK(figures->step_seconds.expected >= last);
          last = figures->step_seconds.expected;
        }
      }
    }
    double last = 1e30;
    for (const double seq : {256.0, 1024.0, 4096.0}) {
      const auto figures = gpuadvise::estimate::evaluate_speed(generate(PrecisionKind::bf16, Engine::llama_cpp, seq), llama_7b(), gpu);
      REQUIRE(figures);
      CHECK(figures->decode_tokens_per_s->expected <= last);
      last = figures->decode_tokens_per_s->expected;
    }
  }
}

TEST_CASE("n cards are at most n times one") {
  for (const Gpu& gpu : cards()) {
    for (const Model& model : {resnet50(), bert_large(), llama_7b()}) {
      Run run = training(model, PrecisionKind::amp_fp16, 4, 1024);
      const double one = rate(run.workload, run.model, gpu);
      for (const Strategy strategy :
           {Strategy::ddp, Strategy::fsdp, Strategy::zero1, Strategy::zero2, Strategy::zero3, Strategy::tp, Strategy::pp}) {
        for (const double cards_of_node : {2.0, 4.0, 8.0}) {
          run.workload.gpus = cards_of_node;
          run.workload.strategy = strategy;
          INFO(gpu.id << " " << model.id << " strategy " << static_cast<int>(strategy) << " cards " << cards_of_node);
          const auto figures = gpuadvise::estimate::evaluate_speed(run.workload, run.model, gpu);
          REQUIRE(figures);
          CHECK(figures->throughput.expected <= cards_of_node * one * (1 + 1e-9));
          CHECK(*figures->scaling_efficiency <= 1 + 1e-9);
        }
      }
      run.workload.gpus = 1;
    }
  }
}

TEST_CASE("Bounds surround the expected figure, and shares sum to one") {
  for (const Gpu& gpu : cards()) {
    for (const Run& run : runs()) {
      const auto figures = gpuadvise::estimate::evaluate_speed(run.workload, run.model, gpu);
      REQUIRE(figures);
      INFO(gpu.id << " " << run.model.id);
      CHECK(std::isfinite(figures->throughput.expected));
      CHECK(figures->throughput.low > 0.0);
      CHECK(figures->throughput.low < figures->throughput.expected);
      CHECK(figures->throughput.expected < figures->throughput.high);
      CHECK(figures->step_seconds.low < figures->step_seconds.high);
      const SpeedShares& s = figures->shares;
      CHECK(s.compute + s.traffic + s.host + s.communication == Approx(1.0));
      CHECK(std::min({s.compute, s.traffic, s.host, s.communication}) >= -1e-12);
    }
  }
}

TEST_CASE("Smaller weights stream faster, adapters train faster than all weights") {
  for (const Gpu& gpu : cards()) {
    const double wide = rate(generate(PrecisionKind::bf16, Engine::vllm), llama_7b(), gpu);
    CHECK(wide > 0.0);
    const auto decode = [&](PrecisionKind precision) {
      return gpuadvise::estimate::evaluate_speed(generate(precision, Engine::exllama), llama_7b(), gpu)->decode_tokens_per_s->expected;
    };
    CHECK(decode(PrecisionKind::int4_gptq) > decode(PrecisionKind::int8_gptq));
    CHECK(decode(PrecisionKind::int8_gptq) > decode(PrecisionKind::fp16));
    Run full = training(llama_7b(), PrecisionKind::bf16, 2, 2048);
    Run adapters = full;
    adapters.workload.method = Method::lora;
    CHECK(rate(adapters.workload, adapters.model, gpu) > rate(full.workload, full.model, gpu));
  }
}
