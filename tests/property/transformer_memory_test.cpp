// What must hold for every transformer and setting, whatever the constants.
#include "catch.hpp"
#include "estimate/memory/transformer_training.hpp"
#include "unit/estimate/shapes.hpp"

#include <array>
#include <vector>

namespace gpuadvise::estimate {
namespace {

using test::bert_base;
using test::llama_2_7b;
using test::mixtral_8x7b;
using test::qwen_2_5_1_5b;
using test::training_of;

std::vector<TransformerShape> shapes() {
  return {llama_2_7b(), qwen_2_5_1_5b(), bert_base(), mixtral_8x7b()};
}

std::vector<Workload> workloads(const TransformerShape& shape) {
  std::vector<Workload> all;
  for (const Method method : {Method::full, Method::lora, Method::qlora}) {
    for (const PrecisionKind precision : {PrecisionKind::fp32, PrecisionKind::amp_bf16, PrecisionKind::bf16}) {
      for (const Checkpointing checkpointing : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
        for (const Stack stack : {Stack::none, Stack::hf_trainer, Stack::litgpt, Stack::unsloth, Stack::torchtitan}) {
          Workload w = training_of(shape, precision, method);
          w.checkpointing = checkpointing;
          w.stack = stack;
          all.push_back(w);
        }
      }
    }
  }
  return all;
}

MemoryFigures memory(const Workload& w, const TransformerShape& s) {
  return transformer_training_memory(w, s, nullptr);
}

double allocated(const Workload& w, const TransformerShape& s) {
  return memory(w, s).allocated.expected;
}

constexpr double k_rounding = 1.0 + 1e-9;

TEST_CASE("parts sum to the device figure and counters are ordered", "[property][transformer]") {
  for (const TransformerShape& s : shapes()) {
    for (const Workload& w : workloads(s)) {
      const MemoryFigures m = memory(w, s);
      CHECK(m.components.sum() == Approx(m.device.expected).epsilon(1e-9));
      CHECK(m.allocated.expected <= m.reserved.expected);
      CHECK(m.reserved.expected <= m.device.expected);
      CHECK(m.need.low < m.need.expected);
      CHECK(m.need.expected < m.need.high);
      CHECK(m.all_gpus.device.expected == Approx(m.device.expected * w.all_gpus()));
    }
  }
}

TEST_CASE("more batch, length or rank never needs less", "[property][transformer]") {
  for (const TransformerShape& s : shapes()) {
    for (const Workload& w : workloads(s)) {
      const double base = allocated(w, s);
      Workload more = w;
      more.batch = 2;
      CHECK(allocated(more, s) * k_rounding >= base);
      more = w;
      more.seq = 1024;
      CHECK(allocated(more, s) * k_rounding >= base);
      more = w;
      more.lora_rank = 64;
      CHECK(allocated(more, s) * k_rounding >= base);
    }
  }
}

TEST_CASE("checkpoints never need more than keeping everything", "[property][transformer]") {
  for (const TransformerShape& s : shapes()) {
    for (const Workload& w : workloads(s)) {
      if (w.checkpointing == Checkpointing::none) {
        for (const double batch : {1.0, 8.0}) {
          Workload none = w;
          none.batch = batch;
          Workload selective = none;
          selective.checkpointing = Checkpointing::selective;
          Workload full = none;
          full.checkpointing = Checkpointing::full;
          CHECK(allocated(selective, s) <= allocated(none, s) * k_rounding);
          CHECK(allocated(full, s) <= allocated(selective, s) * k_rounding);
        }
      }
    }
  }
}

TEST_CASE("sharding never needs more on a GPU than replicas", "[property][transformer]") {
  const std::array<Strategy, 4> sharded = {Strategy::zero1, Strategy::zero2, Strategy::zero3, Strategy::fsdp};
  for (const TransformerShape& s : {llama_2_7b(), mixtral_8x7b()}) {
    for (Workload w : workloads(s)) {
      w.gpus = 8;
      w.strategy = Strategy::ddp;
      const double replica = allocated(w, s);
      for (const Strategy strategy : sharded) {
        // Adapters are too small for buckets of a fixed size to pay.
        if (w.method == Method::full || strategy == Strategy::fsdp) {
          w.strategy = strategy;
          CHECK(allocated(w, s) <= replica * k_rounding);
        }
      }
    }
  }
}

TEST_CASE("more GPUs never need more on each of them when sharded", "[property][transformer]") {
  for (const TransformerShape& s : shapes()) {
    for (Workload w : workloads(s)) {
      w.strategy = Strategy::fsdp;
      double before = 0;
      for (const double gpus : {2.0, 4.0, 8.0, 16.0}) {
        w.gpus = gpus;
        const double now = allocated(w, s);
        CHECK((before == 0 || now <= before * k_rounding));
        before = now;
      }
    }
  }
}

TEST_CASE("adapters never need more than training everything", "[property][transformer]") {
  for (const TransformerShape& s : shapes()) {
    for (const Workload& w : workloads(s)) {
      // One exception is real: with the base in 16 bits already, 64k tokens and all targets break it by 0.2 %.
      if (w.method == Method::full && w.seq <= 2048) {
        Workload adapters = w;
        adapters.method = Method::lora;
        CHECK(allocated(adapters, s) <= allocated(w, s) * k_rounding);
      }
    }
  }
}

TEST_CASE("16 bits never keep more activations than fp32", "[property][transformer]") {
  for (const TransformerShape& s : shapes()) {
    for (const Workload& w : workloads(s)) {
      if (w.precision.kind == PrecisionKind::fp32 && w.method == Method::full) {
        for (const PrecisionKind precision : {PrecisionKind::amp_bf16, PrecisionKind::bf16}) {
          Workload half = w;
          half.precision.kind = precision;
          const MemoryComponents narrow = memory(half, s).components;
          const MemoryComponents wide = memory(w, s).components;
          CHECK(narrow.activations + narrow.logits <= (wide.activations + wide.logits) * k_rounding);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpuadvise::estimate
