#include "estimate/memory/diffusion_training.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/band.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/diffusion_training_denoiser.hpp"
#include "estimate/memory/optimizer_states.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

// What the training program keeps on the card beside the denoiser.
struct ProgramRow {
  Stack stack = Stack::none;
  bool encoders_on_card = true;  // text encoders and autoencoder run in every step; otherwise their output is cached
  double slack = 0.12;           // reserved over allocated, of what lives within a step
};
constexpr std::array<ProgramRow, 5> k_programs = {{
    {Stack::none, true, 0.12},
    {Stack::diffusers, true, 0.12},
    {Stack::simpletuner, false, 0.12},
    {Stack::finetrainers, false, 0.12},
    {Stack::hf_trainer, false, 0.12},
}};

const ProgramRow& program(Stack stack) {
  for (const ProgramRow& row : k_programs) {
    if (row.stack == stack) {
      return row;
    }
  }
  return k_programs[0];
}

constexpr double k_constant_slack_bytes = 0.4 * k_gib;
constexpr double k_static_slack = 0.02;
// Gradients in flight through a block that is recomputed: about as much as it keeps. fitted on 100 figures of 4 sources
constexpr double k_block_with_gradients = 2.0;
// Checkpoints at every other block.
constexpr double k_selective_share = 0.5;
constexpr double k_adapter_bytes = 4;
// The autoencoder's first level at full resolution: 128 channels, three tensors of them at once. counted
constexpr double k_encoder_channels = 128;
constexpr double k_encoder_tensors = 3;

struct Storage {
  double base = 2;      // bytes of a weight of the denoiser
  double trained = 4;   // bytes of a trained parameter
  double resident = 2;  // bytes of a weight of encoders and autoencoder
  bool quantised = false;
};

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

Storage storage(const Workload& w) {
  const bool sixteen_bit = compute_bytes(w.precision) <= 2;
  Storage s;
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

struct Held {
  double weights = 0, gradients = 0, states = 0, host = 0, buckets = 0;
};

Held held_bytes(const Workload& w, const DiffusionPipeline& p, const ProgramRow& row) {
  const Storage s = storage(w);
  const double control = controlnet_parameters(p);
  const bool trains_denoiser = w.method == Method::full && control == 0;
  const double trained = control > 0 ? control : trains_denoiser ? p.denoiser_params : adapter_parameters(w, p);
  Held held;
  held.weights = p.denoiser_params * s.base + (trains_denoiser ? 0 : trained * s.trained);
  if (row.encoders_on_card) {
    held.weights += s.resident * (text_encoder_parameters(p) + p.vae_params);
  }
  held.gradients = trained * s.trained;
  held.states = trained * optimizer_bytes(w.optimizer, s.trained).states;
  if (w.train_embeddings && row.encoders_on_card) {
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

// The step's activations by checkpointing.
double activation_bytes(const Workload& w, const DiffusionPipeline& p) {
  const Storage s = storage(w);
  const DenoiserMode mode{w.method == Method::full, s.quantised && s.base > 0.9, compute_bytes(w.precision)};
  const DenoiserBytes d = p.denoiser == DenoiserKind::unet ? unet_bytes(w, p, mode) : transformer_denoiser_bytes(w, p, mode);
  const double checkpointed = d.checkpoints + k_block_with_gradients * d.largest;
  // U-Nets set checkpoints at every block or none.
  const bool every_other = w.checkpointing == Checkpointing::selective && p.denoiser != DenoiserKind::unet;
  switch (every_other || w.checkpointing == Checkpointing::none ? w.checkpointing : Checkpointing::full) {
    case Checkpointing::none:
      return std::max(d.kept, checkpointed);
    case Checkpointing::selective:
      return std::max(k_selective_share * d.kept + (1 - k_selective_share) * d.checkpoints, checkpointed);
    case Checkpointing::full:
      break;
  }
  const double on_card = w.offload.kind == OffloadKind::activations ? 2.0 / std::max(2.0, p.blocks) : 1.0;
  return on_card * d.checkpoints + k_block_with_gradients * d.largest;
}

// Encoding the images, where their latents were not cached: no gradients, over before the denoiser starts.
double encoding_bytes(const Workload& w, const DiffusionPipeline& p) {
  const double height = w.image.height > 0 ? w.image.height : p.height_px;
  const double width = w.image.width > 0 ? w.image.width : p.width_px;
  return w.batch * height * width * k_encoder_channels * k_encoder_tensors * storage(w).resident;
}

constexpr BandRow k_seen_band = {"diffusion", 0.66, 1.50, ConstantKind::fitted, 122, 0.12};
// A transformer whose recipe was never measured, at a size nobody stated.
constexpr BandRow k_unseen_band = {"diffusion, unseen", 0.60, 1.75, ConstantKind::prior, 0, 0.0};

const BandRow& band_row(const Workload& w, const DiffusionPipeline& p) {
  const bool seen = w.given.image || p.saved_per_token_block || p.denoiser == DenoiserKind::unet;
  return seen ? k_seen_band : k_unseen_band;
}

// What recipes of unknown size were seen to keep may be that of smaller images: the count at the stated size bounds it.
double counted_activation_bytes(Workload w, const DiffusionPipeline& p) {
  w.given.image = true;
  return activation_bytes(w, p);
}

}  // namespace

MemoryFigures diffusion_training_memory(const Workload& w, const DiffusionPipeline& p, const Gpu* gpu) {
  const ProgramRow& row = program(w.stack);
  const Held held = held_bytes(w, p, row);
  const double activations = std::max(activation_bytes(w, p), row.encoders_on_card ? encoding_bytes(w, p) : 0.0);
  const double workspace = blas_workspace_bytes(gpu);
  const double kept = held.weights + held.gradients + held.states;
  const double moving = activations + held.buckets;
  const double allocated = kept + moving + workspace;
  const double fragmentation = k_static_slack * kept + row.slack * moving + k_constant_slack_bytes;
  const Interval runtime = runtime_bytes(true, w.module_loading, gpu);
  const double collectives = collective_library_bytes(w.all_gpus(), w.nodes);

  MemoryParts parts;
  parts.components.weights = held.weights;
  parts.components.gradients = held.gradients;
  parts.components.optimizer_states = held.states;
  parts.components.activations = activations;
  parts.components.workspace = workspace;
  parts.components.communication = held.buckets + collectives;
  parts.components.runtime = runtime.expected;
  parts.components.fragmentation = fragmentation;
  const BandRow& band = band_row(w, p);
  const double unseen = std::max(0.0, counted_activation_bytes(w, p) - activations) * (1 + row.slack);
  const auto interval = [&](double bytes) {
    Interval i = banded(bytes, band);
    i.high = std::max(i.high, bytes + unseen);
    return i;
  };
  parts.allocated = interval(allocated);
  parts.reserved = interval(allocated + fragmentation);
  parts.device = shifted(sum_independent(parts.reserved, runtime), collectives);
  parts.runtime = runtime;
  parts.communication_bytes = collectives;
  parts.host_bytes = held.host;
  parts.gpus = w.all_gpus();
  return assemble(parts);
}

}  // namespace gpuadvise::estimate
