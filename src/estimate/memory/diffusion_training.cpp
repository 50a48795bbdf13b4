#include "estimate/memory/diffusion_training.hpp"

#include "estimate/memory/assemble.hpp"
#include "estimate/memory/band.hpp"
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/diffusion_training_denoiser.hpp"
#include "estimate/memory/diffusion_training_static.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

constexpr double k_constant_slack_bytes = 0.4 * k_gib;
constexpr double k_static_slack = 0.02;
// Gradients in flight through a block that is recomputed: about as much as it keeps. fitted on 100 figures of 4 sources
constexpr double k_block_with_gradients = 2.0;
// Checkpoints at every other block.
constexpr double k_selective_share = 0.5;
// The autoencoder's first level at full resolution: 128 channels, three tensors of them at once. counted
constexpr double k_encoder_channels = 128;
constexpr double k_encoder_tensors = 3;

// The step's activations by checkpointing.
double activation_bytes(const Workload& w, const DiffusionPipeline& p) {
  const DiffusionStorage s = diffusion_storage(w);
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
  return w.batch * height * width * k_encoder_channels * k_encoder_tensors * diffusion_storage(w).resident;
}

constexpr BandRow k_seen_band = {"diffusion", 0.66, 1.50, ConstantKind::fitted, 122, 0.12, 14};
// A transformer whose recipe was never measured, at a size nobody stated.
constexpr BandRow k_unseen_band = {"diffusion, unseen", 0.60, 1.75, ConstantKind::prior, 0, 0.0};
constexpr std::array<BandRow, 2> k_band_rows = {k_seen_band, k_unseen_band};

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

std::span<const BandRow> diffusion_training_band_rows() {
  return k_band_rows;
}

MemoryFigures diffusion_training_memory(const Workload& w, const DiffusionPipeline& p, const Gpu* gpu) {
  const DiffusionProgram& program = diffusion_program(w.stack);
  const DiffusionHeld held = diffusion_held(w, p, program);
  const double activations = std::max(activation_bytes(w, p), program.encoders_on_card ? encoding_bytes(w, p) : 0.0);
  const double workspace = blas_workspace_bytes(gpu);
  const double kept = held.weights + held.gradients + held.states;
  const double moving = activations + held.buckets;
  const double allocated = kept + moving + workspace;
  const double fragmentation = k_static_slack * kept + program.slack * moving + k_constant_slack_bytes;
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
  const double unseen = std::max(0.0, counted_activation_bytes(w, p) - activations) * (1 + program.slack);
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
