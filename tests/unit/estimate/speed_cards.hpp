// Cards from their data sheets and models by shape, for the tests of speed.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include "estimate/speed/speed.hpp"

namespace speed_test {

using namespace gpuadvise;

struct Silicon {
  double sms;
  double boost_mhz;
  double bandwidth_gb_s;
  double tdp_w;
  double memory_gib;
};

inline Gpu card(std::string_view id, Architecture family, Silicon silicon, PeakRates rates) {
  Gpu gpu;
  gpu.id = id;
  gpu.family = family;
  gpu.sm_count = silicon.sms;
  gpu.boost_clock_mhz = silicon.boost_mhz;
  gpu.memory_bandwidth_gb_s = silicon.bandwidth_gb_s;
  gpu.tdp_w = silicon.tdp_w;
  gpu.memory_gib = silicon.memory_gib;
  gpu.tflops = rates;
  gpu.pcie_generation = 4.0;
  gpu.pcie_lanes = 16.0;
  return gpu;
}

inline PeakRates rates(double fp32, std::optional<double> fp16, std::optional<double> tf32 = {}, std::optional<double> fp8 = {},
                       std::optional<double> int8 = {}) {
  PeakRates peak;
  peak.fp32 = fp32;
  peak.fp16_tensor = fp16;
  peak.bf16_tensor = tf32 ? fp16 : std::nullopt;
  peak.tf32_tensor = tf32;
  peak.fp8_tensor = fp8;
  peak.int8_tensor = int8;
  return peak;
}

inline Gpu server_card(Gpu gpu, double link_gb_s) {
  gpu.segment = Segment::datacenter;
  gpu.form_factor = FormFactor::sxm;
  gpu.link_gb_s = link_gb_s;
  gpu.link_max_gpus = 8.0;
  return gpu;
}

inline Gpu v100() {
  return server_card(card("v100-sxm2-32gb", Architecture::volta, {80, 1530, 900, 300, 32}, rates(15.7, 125.0)), 300);
}
inline Gpu a100() {
  return server_card(
      card("a100-80gb-sxm", Architecture::ampere_dc, {108, 1410, 2039, 400, 80}, rates(19.5, 312.0, 156.0, std::nullopt, 624.0)), 600);
}
inline Gpu h100() {
  return server_card(card("h100-80gb-sxm", Architecture::hopper, {132, 1980, 3352, 700, 80}, rates(66.9, 989.4, 494.7, 1978.9, 1978.9)),
                     900);
}
inline Gpu rtx_3090() {
  return card("rtx-3090", Architecture::ampere, {82, 1695, 936, 350, 24}, rates(35.6, 71.2, 35.6, std::nullopt, 284.7));
}
inline Gpu rtx_4090() {
  return card("rtx-4090", Architecture::ada, {128, 2520, 1008, 450, 24}, rates(82.6, 165.2, 82.6, 330.3, 660.6));
}
inline Gpu gtx_1080_ti() {
  Gpu gpu = card("gtx-1080-ti", Architecture::pascal, {28, 1582, 484, 250, 11}, rates(11.3, std::nullopt));
  gpu.pcie_generation = 3.0;
  gpu.compute_capability = 6.1;
  return gpu;
}
inline Gpu rx_7900_xtx() {
  Gpu gpu = card("rx-7900-xtx", Architecture::rdna3, {96, 2498, 960, 355, 24}, rates(61.4, 122.8));
  gpu.vendor = Vendor::amd;
  return gpu;
}
inline Gpu m2_ultra() {
  Gpu gpu = card("apple-m2-ultra-76core", Architecture::apple, {76, 1400, 800, 0, 192}, rates(27.2, std::nullopt));
  gpu.vendor = Vendor::apple;
  gpu.architecture = "M2";
  gpu.tdp_w.reset();
  gpu.boost_clock_mhz.reset();
  return gpu;
}

// timm's counts at 224 pixels; saved bytes traced.
inline Model resnet50() {
  ImageProfile profile;
  profile.params = 25557032;
  profile.gmacs = 4.11;
  profile.activations_m = 11.11;
  profile.image = 224;
  profile.saved_bytes = 85913741;
  profile.batchnorms = 53;
  profile.layernorms = 0;
  profile.convs = 53;
  Model model;
  model.id = "resnet50";
  model.shape = profile;
  return model;
}

inline TransformerShape shape(TransformerKind kind, double params, double layers, double hidden, double heads, double vocab) {
  TransformerShape s;
  s.kind = kind;
  s.params = s.active_params = params;
  s.layers = s.attention_layers = layers;
  s.hidden = hidden;
  s.heads = s.kv_heads = heads;
  s.head_dim = hidden / heads;
  s.ffn = 4 * hidden;
  s.vocab = vocab;
  return s;
}

inline Model bert_large() {
  Model model;
  model.id = "bert-large";
  model.field = Field::encoder;
  TransformerShape s = shape(TransformerKind::encoder, 335e6, 24, 1024, 16, 30522);
  s.gated_mlp = false;
  s.tied_embeddings = true;
  s.position_embeddings = 514;
  model.shape = s;
  return model;
}

inline Model bert_base() {
  Model model;
  model.id = "bert-base";
  model.field = Field::encoder;
  TransformerShape s = shape(TransformerKind::encoder, 109.5e6, 12, 768, 12, 30522);
  s.gated_mlp = false;
  s.tied_embeddings = true;
  s.position_embeddings = 514;
  model.shape = s;
  return model;
}

inline Model llama_7b() {
  Model model;
  model.id = "llama-2-7b";
  model.field = Field::language;
  TransformerShape s = shape(TransformerKind::decoder, 6738415616, 32, 4096, 32, 32000);
  s.ffn = 11008;
  s.max_context = 4096;
  model.shape = s;
  return model;
}

inline Model sdxl() {
  DiffusionPipeline pipeline;
  pipeline.denoiser = DenoiserKind::unet;
  pipeline.denoiser_params = 2567e6;
  pipeline.width_px = pipeline.height_px = 1024;
  pipeline.step_tflop = 5.98;
  pipeline.step_traffic_gb = 9.5;
  Model model;
  model.id = "sdxl";
  model.field = Field::diffusion;
  model.shape = pipeline;
  return model;
}

inline Workload train(PrecisionKind precision, double batch, double gpus = 1) {
  Workload workload;
  workload.task = Task::train;
  workload.precision = {precision};
  workload.batch = batch;
  workload.gpus = gpus;
  workload.strategy = gpus > 1 ? Strategy::ddp : Strategy::none;
  workload.seq = 384;
  return workload;
}

inline Workload generate(PrecisionKind precision, Engine engine, double seq = 512) {
  Workload workload;
  workload.task = Task::infer;
  workload.field = Field::language;
  workload.precision = {precision};
  workload.engine = engine;
  workload.seq = seq;
  workload.prompt_len = seq / 2;
  workload.gen_len = seq / 2;
  return workload;
}

inline double rate(const Workload& workload, const Model& model, const Gpu& gpu) {
  const auto figures = estimate::evaluate_speed(workload, model, gpu);
  return figures ? figures->throughput.expected : 0.0;
}

}  // namespace speed_test
