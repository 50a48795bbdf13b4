#include "estimate/memory/diffusion_training_static.hpp"

#include "estimate/memory/communication.hpp"
#include "estimate/memory/optimizer_states.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

constexpr std::array<DiffusionProgram, 5> k_programs = {{
    {Stack::none, true, 0.12},
    {Stack::diffusers, true, 0.12},
    {Stack::simpletuner, false, 0.12},
    {Stack::finetrainers, false, 0.12},
    {Stack::hf_trainer, false, 0.12},
}};

constexpr double k_adapter_bytes = 4;  // PEFT keeps adapters in fp32

// Counted: scales of blocks of 64 for NF4; per-channel scales and some layers left in 16 bits for the 8-bit formats.
double quantised_bytes(PrecisionKind kind) {
  switch (kind) {
    case PrecisionKind::nf4:
    case PrecisionKind::int4:
    case PrecisionKind::int4_weight_only:
      return 0.56;
    case PrecisionKind::fp8:
    case PrecisionKind::fp8_weight_only:
    case PrecisionKind::fp8_dynamic:
      return 1.02;
    default:
      return 1.06;
  }
}

// A ControlNet is trained beside a frozen denoiser, of which it copies the way down.
double controlnet_parameters(const DiffusionPipeline& p) {
  for (const DiffusionComponent& extra : p.extras) {
    if (extra.name == "controlnet") {
      return extra.params;
    }
  }
  return 0;
}

double text_encoder_parameters(const DiffusionPipeline& p) {
  double params = 0;
  for (const DiffusionComponent& encoder : p.text_encoders) {
    params += encoder.params;
  }
  return params;
}

// Attention projections of all blocks (four, and four more for cross-attention or the text stream of joint blocks).
double adapter_parameters(const Workload& w, const DiffusionPipeline& p) {
  double widths = 0;
  if (p.denoiser == DenoiserKind::unet) {
    for (std::size_t i = 0; i < p.channels.size(); ++i) {
      const double depth = i < p.transformer_depth.size() ? p.transformer_depth[i] : 1;
      widths += 5 * depth * 16 * p.channels[i];
    }
  } else {
    const double joint = p.double_blocks > 0 ? p.double_blocks : (p.denoiser == DenoiserKind::mmdit ? 0 : p.blocks);
    widths = 8 * p.hidden * (p.blocks + joint);
  }
  return w.lora_rank * widths;
}

}  // namespace

const DiffusionProgram& diffusion_program(Stack stack) {
  for (const DiffusionProgram& row : k_programs) {
    if (row.stack == stack) {
      return row;
    }
  }
  return k_programs[0];
}

DiffusionStorage diffusion_storage(const Workload& w) {
  const bool sixteen_bit = compute_bytes(w.precision) <= 2;
  DiffusionStorage s;
  s.resident = sixteen_bit ? 2 : 4;
  const bool full = w.method == Method::full;
  s.base = sixteen_bit && !(full && is_amp(w.precision)) ? 2 : 4;
  s.trained = full ? s.base : k_adapter_bytes;
  const PrecisionKind stored = w.weights ? w.weights->kind : PrecisionKind::nf4;
  if (!full && ((w.weights && is_quantised(*w.weights)) || (!w.weights && w.method == Method::qlora))) {
    s.base = quantised_bytes(stored);
    s.quantised = true;
  }
  return s;
}

DiffusionHeld diffusion_held(const Workload& w, const DiffusionPipeline& p, const DiffusionProgram& program) {
  const DiffusionStorage s = diffusion_storage(w);
  const double control = controlnet_parameters(p);
  const bool trains_denoiser = w.method == Method::full && control == 0;
  const double trained = control > 0 ? control : trains_denoiser ? p.denoiser_params : adapter_parameters(w, p);
  DiffusionHeld held;
  held.weights = p.denoiser_params * s.base + (trains_denoiser ? 0 : trained * s.trained);
  if (program.encoders_on_card) {
    held.weights += s.resident * (text_encoder_parameters(p) + p.vae_params);
  }
  held.gradients = trained * s.trained;
  held.states = trained * optimizer_bytes(w.optimizer, s.trained).states;
  if (w.train_embeddings && program.encoders_on_card) {
    // The first text encoder is trained with the denoiser.
    const double encoder = p.text_encoders.empty() ? 0 : p.text_encoders[0].params;
    held.gradients += encoder * s.trained;
    held.states += encoder * optimizer_bytes(w.optimizer, s.trained).states;
  }
  const double ranks = w.all_gpus();
  const bool all = w.strategy == Strategy::fsdp || w.strategy == Strategy::zero3;
  held.buckets = w.strategy == Strategy::ddp || w.strategy == Strategy::none ? ddp_bucket_bytes(held.gradients, ranks) : 0;
  held.weights /= all ? ranks : 1;
  held.gradients /= all || w.strategy == Strategy::zero2 ? ranks : 1;
  held.states /= all || w.strategy == Strategy::zero2 || w.strategy == Strategy::zero1 ? ranks : 1;
  if (w.offload.kind == OffloadKind::optimizer) {
    held.host = held.states * ranks;
    held.states = 0;
  } else if (w.offload.kind == OffloadKind::params || w.offload.kind == OffloadKind::model || w.offload.kind == OffloadKind::sequential) {
    const bool streams_weights = w.strategy == Strategy::zero3 || w.strategy == Strategy::fsdp || w.all_gpus() <= 1;
    held.host = (held.gradients + held.states + (streams_weights ? held.weights : 0)) * ranks;
    held.weights = streams_weights ? 2 * held.weights / std::max(1.0, p.blocks) : held.weights;
    held.gradients = held.states = 0;
  }
  return held;
}

}  // namespace gpuadvise::estimate
