// What must hold for tuning every diffusion pipeline and for recommenders, whatever the constants.
#include "catch.hpp"
#include "estimate/memory/diffusion_training.hpp"
#include "estimate/memory/recommender_training.hpp"

#include <array>
#include <vector>

namespace gpuadvise::estimate {
namespace {

constexpr double k_rounding = 1.0 + 1e-9;

DiffusionPipeline unet() {
  DiffusionPipeline p;
  p.denoiser = DenoiserKind::unet;
  p.denoiser_params = 8.6e8;
  for (const double c : {320.0, 640.0, 1280.0, 1280.0}) {
    p.channels.push_back(c);
  }
  for (const double d : {1.0, 1.0, 1.0, 0.0}) {
    p.transformer_depth.push_back(d);
  }
  p.vae_params = 8.365e7;
  p.text_encoders.push_back({"clip-vit-l", 1.2306e8});
  return p;
}

DiffusionPipeline transformer(DenoiserKind kind) {
  DiffusionPipeline p;
  p.denoiser = kind;
  p.denoiser_params = 5.57e9;
  p.blocks = 42;
  p.hidden = 3072;
  p.text_tokens = 226;
  p.vae_params = 2.156e8;
  p.width_px = p.height_px = 512;
  p.text_encoders.push_back({"t5-xxl", 4.762e9});
  return p;
}

std::vector<DiffusionPipeline> pipelines() {
  return {unet(), transformer(DenoiserKind::dit), transformer(DenoiserKind::mmdit)};
}

std::vector<Workload> workloads(const DiffusionPipeline& p) {
  std::vector<Workload> all;
  for (const Method method : {Method::full, Method::lora, Method::qlora}) {
    for (const PrecisionKind precision : {PrecisionKind::fp32, PrecisionKind::amp_bf16, PrecisionKind::bf16}) {
      for (const Stack stack : {Stack::none, Stack::diffusers, Stack::simpletuner, Stack::finetrainers}) {
        Workload w;
        w.field = Field::diffusion;
        w.task = Task::finetune;
        w.method = method;
        w.precision.kind = precision;
        w.stack = stack;
        w.image = {p.frames, p.height_px, p.width_px};
        all.push_back(w);
      }
    }
  }
  return all;
}

double allocated(const Workload& w, const DiffusionPipeline& p) {
  return diffusion_training_memory(w, p, nullptr).allocated.expected;
}

TEST_CASE("diffusion tuning: more images, pixels, frames or rank never need less", "[property][diffusion]") {
  for (const DiffusionPipeline& p : pipelines()) {
    for (const Workload& w : workloads(p)) {
      for (const Checkpointing checkpointing : {Checkpointing::none, Checkpointing::full}) {
        Workload base = w;
        base.checkpointing = checkpointing;
        const double least = allocated(base, p);
        Workload more = base;
        more.batch = 4;
        CHECK(allocated(more, p) * k_rounding >= least);
        more = base;
        more.image.height *= 2;
        CHECK(allocated(more, p) * k_rounding >= least);
        more = base;
        more.image.frames = 25;
        CHECK((p.denoiser == DenoiserKind::unet || allocated(more, p) * k_rounding >= least));
        more = base;
        more.lora_rank = 128;
        CHECK(allocated(more, p) * k_rounding >= least);
      }
    }
  }
}

TEST_CASE("diffusion tuning: checkpoints never need more than keeping everything", "[property][diffusion]") {
  for (const DiffusionPipeline& p : pipelines()) {
    for (Workload w : workloads(p)) {
      for (const double batch : {1.0, 8.0}) {
        w.batch = batch;
        w.checkpointing = Checkpointing::none;
        const double none = allocated(w, p);
        w.checkpointing = Checkpointing::selective;
        const double selective = allocated(w, p);
        w.checkpointing = Checkpointing::full;
        CHECK(selective <= none * k_rounding);
        CHECK(allocated(w, p) <= selective * k_rounding);
      }
    }
  }
}

TEST_CASE("diffusion tuning: sharding and more GPUs never need more on each", "[property][diffusion]") {
  for (const DiffusionPipeline& p : pipelines()) {
    for (Workload w : workloads(p)) {
      if (w.method != Method::full) {
        continue;  // adapters are too small for buckets of a fixed size to pay
      }
      w.gpus = 8;
      w.strategy = Strategy::ddp;
      const double replica = allocated(w, p);
      for (const Strategy strategy : {Strategy::zero1, Strategy::zero2, Strategy::zero3, Strategy::fsdp}) {
        w.strategy = strategy;
        CHECK(allocated(w, p) <= replica * k_rounding);
      }
      w.strategy = Strategy::fsdp;
      double before = allocated(w, p);
      for (const double nodes : {2.0, 4.0}) {
        w.nodes = nodes;
        const double now = allocated(w, p);
        CHECK(now <= before * k_rounding);
        before = now;
      }
      w.nodes = 1;
    }
  }
}

TEST_CASE("diffusion tuning: 16 bits never keep more activations than fp32", "[property][diffusion]") {
  for (const DiffusionPipeline& p : pipelines()) {
    for (Workload w : workloads(p)) {
      w.precision.kind = PrecisionKind::fp32;
      const double wide = diffusion_training_memory(w, p, nullptr).components.activations;
      for (const PrecisionKind precision : {PrecisionKind::amp_bf16, PrecisionKind::amp_fp16, PrecisionKind::bf16}) {
        w.precision.kind = precision;
        CHECK(diffusion_training_memory(w, p, nullptr).components.activations <= wide * k_rounding);
      }
    }
  }
}

TEST_CASE("recommenders: more rows, dimensions or samples never need less, and more GPUs never more on each", "[property][recommender]") {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw}) {
    double last = 0;
    for (const double rows : {1e6, 1e7, 1e8, 1e9}) {
      RecommenderShape shape;
      shape.rows = rows;
      shape.dim = 64;
      shape.dense_params = 2e6;
      Workload w;
      w.field = Field::recommender;
      w.optimizer = optimizer;
      w.batch = 1024;
      const double base = recommender_training_memory(w, shape, nullptr).allocated.expected;
      CHECK(base > last);
      last = base;
      w.batch = 65536;
      CHECK(recommender_training_memory(w, shape, nullptr).allocated.expected >= base);
      w.batch = 1024;
      RecommenderShape wider = shape;
      wider.dim = 128;
      CHECK(recommender_training_memory(w, wider, nullptr).allocated.expected >= base);
      double before = base;
      for (const double gpus : {2.0, 4.0, 8.0}) {
        w.gpus = gpus;
        const double now = recommender_training_memory(w, shape, nullptr).allocated.expected;
        CHECK(now <= before * k_rounding);
        before = now;
      }
    }
  }
}

}  // namespace
}  // namespace gpuadvise::estimate
