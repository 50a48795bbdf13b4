#include "estimate/memory/diffusion_training.hpp"

#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "estimate/memory/diffusion_training_denoiser.hpp"
#include "estimate/memory/recommender_training.hpp"

namespace gpuadvise::estimate {
namespace {

double gib(double bytes) {
  return bytes / k_gib;
}

DiffusionPipeline cogvideox_5b() {
  DiffusionPipeline p;
  p.denoiser = DenoiserKind::mmdit;
  p.denoiser_params = 5.57e9;
  p.blocks = 42;
  p.hidden = 3072;
  p.vae_temporal = 4;
  p.text_tokens = 226;
  p.width_px = 720;
  p.height_px = 480;
  p.frames = 49;
  p.vae_params = 2.156e8;
  p.text_encoders.push_back({"t5-xxl", 4.762e9});
  return p;
}

DiffusionPipeline sdxl() {
  DiffusionPipeline p;
  p.denoiser = DenoiserKind::unet;
  p.denoiser_params = 2.5675e9;
  p.width_px = p.height_px = 1024;
  for (const double c : {320.0, 640.0, 1280.0}) {
    p.channels.push_back(c);
  }
  for (const double d : {0.0, 2.0, 10.0}) {
    p.transformer_depth.push_back(d);
  }
  p.vae_params = 8.365e7;
  return p;
}

Workload tuning(const DiffusionPipeline& p, Stack stack) {
  Workload w;
  w.field = Field::diffusion;
  w.task = Task::finetune;
  w.method = Method::lora;
  w.precision.kind = PrecisionKind::bf16;
  w.image = {p.frames, p.height_px, p.width_px};
  w.stack = stack;
  w.checkpointing = Checkpointing::full;
  return w;
}

MemoryFigures memory(const Workload& w, const DiffusionPipeline& p) {
  return diffusion_training_memory(w, p, nullptr);
}

TEST_CASE("latent tokens come from pixels, frames and text", "[estimate][diffusion]") {
  const Workload w = tuning(cogvideox_5b(), Stack::finetrainers);
  CHECK(latent_tokens(w, cogvideox_5b()) == Approx(45 * 30 * 13 + 226));
  DiffusionPipeline cross = cogvideox_5b();
  cross.denoiser = DenoiserKind::dit;
  CHECK(latent_tokens(w, cross) == Approx(45 * 30 * 13));
}

TEST_CASE("CogVideoX-5B adapters as published, by batch", "[estimate][diffusion]") {
  Workload w = tuning(cogvideox_5b(), Stack::finetrainers);
  w.lora_rank = 64;
  CHECK(gib(memory(w, cogvideox_5b()).reserved.expected) == Approx(20.8).epsilon(0.10));
  w.batch = 4;
  CHECK(gib(memory(w, cogvideox_5b()).reserved.expected) == Approx(47.8).epsilon(0.10));
}

TEST_CASE("the U-Net of SDXL keeps about 5 GiB a picture of 1024 pixels", "[estimate][diffusion]") {
  const Workload w = tuning(sdxl(), Stack::simpletuner);
  const DenoiserBytes adapters = unet_bytes(w, sdxl(), {false, false, 2});
  CHECK(gib(adapters.kept) == Approx(5.0).epsilon(0.1));
  CHECK(unet_bytes(w, sdxl(), {true, false, 2}).kept > adapters.kept);
  CHECK(adapters.checkpoints + adapters.largest < adapters.kept);
}

TEST_CASE("text encoders and autoencoder count where their output is not cached", "[estimate][diffusion]") {
  const Workload cached = tuning(cogvideox_5b(), Stack::simpletuner);
  const Workload resident = tuning(cogvideox_5b(), Stack::diffusers);
  const double difference = memory(resident, cogvideox_5b()).components.weights - memory(cached, cogvideox_5b()).components.weights;
  CHECK(difference == Approx(2 * (4.762e9 + 2.156e8)));
}

TEST_CASE("a ControlNet is trained beside a frozen denoiser", "[estimate][diffusion]") {
  DiffusionPipeline p = sdxl();
  p.extras.push_back({"controlnet", 1.25e9});
  Workload w = tuning(p, Stack::diffusers);
  w.method = Method::full;
  CHECK(memory(w, p).components.gradients == Approx(2 * 1.25e9));
  CHECK(memory(w, sdxl()).components.gradients == Approx(2 * 2.5675e9));
}

TEST_CASE("diffusion tuning is monotone and its parts sum", "[estimate][diffusion][property]") {
  for (const DiffusionPipeline& p : {cogvideox_5b(), sdxl()}) {
    for (const Method method : {Method::full, Method::lora, Method::qlora}) {
      for (const Checkpointing checkpointing : {Checkpointing::none, Checkpointing::selective, Checkpointing::full}) {
        Workload w = tuning(p, Stack::none);
        w.method = method;
        w.checkpointing = checkpointing;
        const MemoryFigures base = memory(w, p);
        CHECK(base.components.sum() == Approx(base.device.expected));
        Workload more = w;
        more.batch = 2;
        CHECK(memory(more, p).allocated.expected >= base.allocated.expected);
        more = w;
        more.image.height *= 2;
        CHECK(memory(more, p).allocated.expected >= base.allocated.expected);
        more = w;
        more.checkpointing = Checkpointing::none;
        CHECK(memory(more, p).allocated.expected >= base.allocated.expected);
      }
    }
  }
}

TEST_CASE("where no size is stated the interval reaches to the count", "[estimate][diffusion]") {
  DiffusionPipeline p = cogvideox_5b();
  p.saved_per_token_block = 12;
  Workload w = tuning(p, Stack::simpletuner);
  w.checkpointing = Checkpointing::none;
  const MemoryFigures stated = memory(w, p);
  w.given.image = false;
  const MemoryFigures seen = memory(w, p);
  CHECK(seen.allocated.expected < 0.6 * stated.allocated.expected);
  CHECK(seen.allocated.high >= stated.allocated.expected);
}

TEST_CASE("embedding tables are divided over the GPUs", "[estimate][recommender]") {
  const RecommenderShape dlrm{1.78e8, 128, 2.4e6};
  Workload w;
  w.field = Field::recommender;
  w.task = Task::train;
  w.precision.kind = PrecisionKind::fp32;
  w.optimizer = Optimizer::sgd;
  w.batch = 2048;
  const MemoryFigures one = recommender_training_memory(w, dlrm, nullptr);
  CHECK(gib(one.components.weights) == Approx(1.78e8 * 128 * 4 / k_gib).epsilon(0.01));
  CHECK(one.components.optimizer_states == 0);
  CHECK(one.components.sum() == Approx(one.device.expected));
  w.gpus = 8;
  w.strategy = Strategy::ddp;
  const MemoryFigures eight = recommender_training_memory(w, dlrm, nullptr);
  CHECK(eight.components.weights < one.components.weights / 7);
  CHECK(eight.components.weights > one.components.weights / 8);
  w.optimizer = Optimizer::adam;
  CHECK(recommender_training_memory(w, dlrm, nullptr).components.optimizer_states == Approx(2 * eight.components.weights).epsilon(0.01));
  w.task = Task::infer;
  CHECK(recommender_inference_memory(w, dlrm, nullptr).need.expected < eight.need.expected);
}

}  // namespace
}  // namespace gpuadvise::estimate
