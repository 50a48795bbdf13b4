// What holds for any job over several cards: no more than n times one, never slower over a faster link, no more memory for a shard.
#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "unit/estimate/speed_cards.hpp"

#include <vector>

using namespace speed_test;

namespace {

constexpr double k_rounding = 1e-9;

std::vector<Gpu> cards() {
  Gpu bridged = rtx_3090();
  bridged.link_gb_s = 112.5;
  bridged.link_max_gpus = 2.0;
  return {v100(), a100(), h100(), bridged, rtx_4090(), gtx_1080_ti(), rx_7900_xtx()};
}

struct Job {
  Workload workload;
  Model model;
};

Workload tuning(Strategy strategy, double batch = 2) {
  Workload workload = train(PrecisionKind::amp_bf16, batch);
  workload.field = Field::language;
  workload.head = Head::lm;
  workload.seq = 2048;
  workload.strategy = strategy;
  return workload;
}

// Every way to divide training and serving; GPUs are set by the test.
std::vector<Job> jobs() {
  std::vector<Job> all;
  for (const Strategy strategy :
       {Strategy::ddp, Strategy::zero1, Strategy::zero2, Strategy::zero3, Strategy::fsdp, Strategy::tp, Strategy::pp}) {
    all.push_back({tuning(strategy), llama_7b()});
    if (strategy == Strategy::ddp || strategy == Strategy::fsdp) {
      Job adapters{tuning(strategy), llama_7b()};
      adapters.workload.method = Method::lora;
      all.push_back(adapters);
    }
  }
  for (const Model& model : {resnet50(), bert_large()}) {
    Workload workload = train(PrecisionKind::amp_fp16, 16);
    workload.field = model.field;
    workload.strategy = Strategy::ddp;
    all.push_back({workload, model});
  }
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::llama_cpp, Engine::transformers}) {
    for (const Strategy strategy : {Strategy::tp, Strategy::pp, Strategy::layer_split}) {
      Workload workload = generate(PrecisionKind::bf16, engine, 2048);
      workload.strategy = strategy;
      workload.concurrency = 16;
      all.push_back({workload, llama_7b()});
    }
  }
  return all;
}

SpeedFigures speed(const Job& job, const Gpu& gpu) {
  const auto figures = gpuadvise::estimate::evaluate_speed(job.workload, job.model, gpu);
  REQUIRE(figures);
  return *figures;
}

void describe(const Job& job, const Gpu& gpu) {
  UNSCOPED_INFO(gpu.id << " " << job.model.id << " engine " << static_cast<int>(job.workload.engine) << " strategy "
                       << static_cast<int>(job.workload.strategy) << " gpus " << job.workload.gpus << " nodes " << job.workload.nodes);
}

}  // namespace

TEST_CASE("Over several cards and nodes no job is more than n times as fast as on one") {
  for (const Gpu& gpu : cards()) {
    for (Job job : jobs()) {
      if (!job.workload.training()) {
        job.workload.concurrency = 1.0;  // one card alone may have no room for more, and n cards then do more than n times
      }
      Job one = job;
      one.workload.strategy = Strategy::none;
      const double alone = speed(one, gpu).throughput.expected;
      for (const double gpus : {2.0, 4.0, 8.0}) {
        for (const double nodes : {1.0, 2.0, 8.0}) {
          job.workload.gpus = gpus;
          job.workload.nodes = nodes;
          describe(job, gpu);
          const SpeedFigures figures = speed(job, gpu);
          CHECK(figures.throughput.expected <= gpus * nodes * alone * (1 + k_rounding));
          CHECK(figures.scaling_efficiency.value_or(1.0) <= 1 + k_rounding);
        }
      }
    }
  }
}

TEST_CASE("A faster network or a bridge is never slower") {
  for (const Gpu& gpu : cards()) {
    for (Job job : jobs()) {
      for (const double gpus : {2.0, 4.0}) {
        job.workload.gpus = gpus;
        job.workload.nodes = 4.0;
        double last = 0.0;
        for (const double gbit : {1.0, 10.0, 25.0, 100.0, 400.0, 3200.0}) {
          job.workload.network_gbit_s = gbit;
          describe(job, gpu);
          const double now = speed(job, gpu).throughput.expected;
          CHECK(now >= last * (1 - k_rounding));
          last = now;
        }
        job.workload.network_gbit_s.reset();
        job.workload.nodes = 1.0;
        const double slots = speed(job, gpu).throughput.expected;
        job.workload.nvlink_bridge = true;
        describe(job, gpu);
        CHECK(speed(job, gpu).throughput.expected >= slots * (1 - k_rounding));
        job.workload.nvlink_bridge = false;
      }
    }
  }
}

TEST_CASE("What sharding saves beyond n times one is not put down to communication") {
  Gpu instant = a100();
  instant.link_gb_s = 1e9;
  for (const double batch : {1.0, 4.0}) {
    Job job{tuning(Strategy::fsdp, batch), llama_7b()};
    job.workload.gpus = 8.0;
    const SpeedFigures figures = speed(job, instant);
    CHECK(*figures.scaling_efficiency == Approx(1.0));
    CHECK(figures.shares.communication < 0.01);
  }
}

TEST_CASE("A network matters to every division that crosses it") {
  Job job{tuning(Strategy::ddp), llama_7b()};
  job.workload.gpus = 4.0;
  job.workload.nodes = 2.0;
  for (const Strategy strategy : {Strategy::ddp, Strategy::zero2, Strategy::fsdp, Strategy::tp, Strategy::pp}) {
    job.workload.strategy = strategy;
    job.workload.network_gbit_s = 1.0;
    const double slow = speed(job, a100()).throughput.expected;
    job.workload.network_gbit_s = 400.0;
    describe(job, a100());
    CHECK(speed(job, a100()).throughput.expected > 1.2 * slow);
  }
}

TEST_CASE("A shard of a job takes no more memory on more cards") {
  for (const Strategy strategy : {Strategy::zero1, Strategy::zero2, Strategy::zero3, Strategy::fsdp, Strategy::tp, Strategy::pp}) {
    for (const double batch : {1.0, 8.0}) {
      for (const Stack stack : {Stack::none, Stack::hf_trainer, Stack::torchtitan, Stack::megatron, Stack::llm_foundry}) {
        Job job{tuning(strategy, batch), llama_7b()};
        job.workload.stack = stack;
        double last = 1e30;
        for (const double gpus : {2.0, 4.0, 8.0}) {
          job.workload.gpus = gpus;
          describe(job, a100());
          // What the communication library keeps for each neighbour is not part of the job.
          const double held =
              gpuadvise::estimate::evaluate_memory(gpuadvise::estimate::prepare(job.workload, job.model), nullptr).allocated.expected;
          CHECK(held <= last * (1 + k_rounding));
          last = held;
        }
      }
    }
  }
  for (const Engine engine : {Engine::vllm, Engine::llama_cpp, Engine::transformers}) {
    for (const Strategy strategy : {Strategy::tp, Strategy::layer_split}) {
      Job job{generate(PrecisionKind::bf16, engine, 2048), llama_7b()};
      job.workload.strategy = strategy;
      double last = 1e30;
      for (const double gpus : {2.0, 4.0, 8.0}) {
        job.workload.gpus = gpus;
        describe(job, a100());
        const double weights =
            gpuadvise::estimate::evaluate_memory(gpuadvise::estimate::prepare(job.workload, job.model), nullptr).components.weights;
        CHECK(weights <= last * (1 + k_rounding));
        last = weights;
      }
    }
  }
}
