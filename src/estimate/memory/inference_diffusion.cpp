// A pipeline runs in stages: text encoders, denoiser steps, autoencoder. What is resident depends on the offload mode; the
// peak is the largest of: loading, resident parts with a denoiser step, resident parts with the decoder.
#include "estimate/memory/band.hpp"
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/inference_memory.hpp"
#include "estimate/memory/inference_terms.hpp"
#include "estimate/memory/runtime.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::estimate {
namespace {

struct FormatRow {
  PrecisionKind kind;
  double denoiser_bits;
  double encoder_bits;  // where text encoders are quantised too: fewer kernels exist for their shapes
  bool on_card;         // the pipeline is loaded in 16 bits and quantised there (torchao); other formats come quantised
};

// torchao stores these exactly (counted on 60 rows); its dynamic int4 keeps a byte a weight and fp32 scales a group of 32.
constexpr auto k_formats = std::to_array<FormatRow>({
    {PrecisionKind::fp8, 8, 8, false},
    {PrecisionKind::fp8_dynamic, 8, 8, true},
    {PrecisionKind::fp8_weight_only, 8, 8, true},
    {PrecisionKind::mxfp8, 8.25, 8.25, false},
    {PrecisionKind::fp6, 6, 8, true},
    {PrecisionKind::fp4, 4, 8, true},
    {PrecisionKind::int8, 8, 8, false},
    {PrecisionKind::int8_dynamic, 8, 8, true},
    {PrecisionKind::int8_weight_only, 8, 8, true},
    {PrecisionKind::int4, 4.5, 4.5, false},
    {PrecisionKind::int4_dynamic, 9, 9, true},
    {PrecisionKind::int4_weight_only, 5, 5, true},
    {PrecisionKind::nf4, 4.5, 4.5, false},
    {PrecisionKind::nvfp4, 4.5, 4.5, false},
    {PrecisionKind::mxfp4, 4.25, 4.25, false},
    {PrecisionKind::hqq, 4.5, 4.5, false},
});

constexpr double k_16_bits = 16;
constexpr double k_t5_embedding = 32128.0 * 4096.0;  // look-up tables stay in 16 bits

// Convolutional decoders of the SD family hold 8 maps of 128 channels at full size (counted; 12 rows of FLUX and SDXL)
// and, for one image, a convolution workspace.
constexpr double k_decoder_maps = 8.0 * 128.0;
constexpr double k_decoder_workspace = 0.4 * k_gib;
// Video decoders work through a clip in chunks and keep the rows between: as much as this many frames for each frame that one
// latent frame stands for (prior: 12 GiB for CogVideoX, 1 row).
constexpr double k_chunk_frames = 4.5;
constexpr double k_load_extra = 0.17 * k_gib;  // 4 rows

// Tensors alive in a denoiser block, in vectors of the hidden width for each token, besides the MLP's two.
constexpr double k_block_vectors = 10;
constexpr double k_block_pair_share = 0.1;  // two blocks of a denoiser whose depth is not known (prior)
constexpr double k_guidance = 2;            // conditional and unconditional samples run as one batch
constexpr double k_unet_vectors = 24;       // skip connections and a residual block at full latent size, first width

constexpr BandRow k_band = {"diffusion-infer", 0.92, 1.1, ConstantKind::fitted, 75, 0.01, 7};
constexpr BandRow k_band_video = {"diffusion-infer video", 0.8, 1.25, ConstantKind::prior, 16, 0.03};
constexpr std::array<BandRow, 2> k_band_rows = {k_band, k_band_video};

struct Pipeline {
  double denoiser = 0;  // bytes
  double encoders = 0;
  double largest_encoder = 0;
  double autoencoder = 0;
  double extras = 0;

  [[nodiscard]] double sum() const { return denoiser + encoders + autoencoder + extras; }
};

double encoder_params(const DiffusionPipeline& p) {
  double sum = 0;
  for (const DiffusionComponent& encoder : p.text_encoders) {
    sum += encoder.params;
  }
  return sum;
}

FormatRow format_of(const Precision& precision) {
  for (const FormatRow& row : k_formats) {
    if (row.kind == precision.kind) {
      return row;
    }
  }
  // stable-diffusion.cpp quantises the transformer at the block's own bits
  const double bits = precision.kind == PrecisionKind::gguf ? gguf_bits(precision.mix) : 8 * compute_bytes(precision);
  return {precision.kind, bits, bits, false};
}

Pipeline stored(const DiffusionPipeline& p, const Workload& w, const FormatRow& format, double element, double vae_element) {
  const double plain = 8 * element;
  const double encoder_total = encoder_params(p);
  // Text encoders are quantised with the denoiser where they are the larger part.
  const bool encoders_too = format.denoiser_bits != plain && encoder_total > p.denoiser_params;
  const double fused = w.fuse_qkv ? p.fused_qkv_extra_params.value_or(0) : 0;
  Pipeline bytes;
  bytes.denoiser = (p.denoiser_params + fused) * format.denoiser_bits / 8;
  for (const DiffusionComponent& encoder : p.text_encoders) {
    const double table = std::min(0.2 * encoder.params, k_t5_embedding);
    const double size = encoders_too ? (encoder.params - table) * format.encoder_bits / 8 + table * element : encoder.params * element;
    bytes.encoders += size;
    bytes.largest_encoder = std::max(bytes.largest_encoder, size);
  }
  bytes.autoencoder = p.vae_params * vae_element;
  // stable-diffusion.cpp loads no safety checker.
  if (w.engine != Engine::stable_diffusion_cpp) {
    for (const DiffusionComponent& extra : p.extras) {
      bytes.extras += extra.params * element;
    }
  }
  return bytes;
}

struct Canvas {
  double pixels = 0;
  double frames = 1;
};

Canvas canvas_of(const DiffusionPipeline& p, const Workload& w) {
  const bool given = w.image.height > 0 && w.image.width > 0;
  return {given ? w.image.height * w.image.width : p.height_px * p.width_px,
          given ? std::max(1.0, w.image.frames) : std::max(1.0, p.frames)};
}

// diffusers computes these autoencoders in fp32 when the pipeline is in fp16, not when it is in bf16.
double autoencoder_element(const DiffusionPipeline& p, const Precision& precision) {
  const bool upcast = p.vae_fp32 && precision.kind != PrecisionKind::bf16 && precision.kind != PrecisionKind::amp_bf16;
  return upcast ? 4 : compute_bytes(precision);
}

double decoder_bytes(const DiffusionPipeline& p, const Canvas& canvas, double batch, double element) {
  if (p.vae_decode_gib) {
    const double clip = std::min(1.0, canvas.frames / std::max(1.0, p.frames));
    return *p.vae_decode_gib * k_gib * batch * clip * canvas.pixels / (p.height_px * p.width_px);
  }
  const double frames = std::min(canvas.frames, k_chunk_frames * std::max(1.0, p.vae_temporal));
  const double one = k_decoder_maps * canvas.pixels * frames * element;
  return std::max(one * batch, one + k_decoder_workspace);
}

// diffusers' autoencoders take tiles of the size they were trained on, those of video a quarter of it (half the height, half the
// width: AutoencoderKLCogVideoX); what is decoded is put together beside them.
constexpr double k_video_tile = 0.25;
constexpr double k_colours = 3;

double tiled_decoder_bytes(const DiffusionPipeline& p, const Canvas& canvas, double batch, double element) {
  const double native = p.height_px * p.width_px * (p.frames > 1 ? k_video_tile : 1.0);
  const Canvas tile{std::min(canvas.pixels, native), canvas.frames};
  const double assembled = batch * canvas.pixels * canvas.frames * k_colours * element;
  return std::min(decoder_bytes(p, canvas, batch, element), decoder_bytes(p, tile, 1.0, element) + assembled);
}

double denoiser_step_bytes(const DiffusionPipeline& p, const Canvas& canvas, double batch, double element) {
  const double latent = canvas.pixels / (p.vae_spatial * p.vae_spatial);
  const double samples = batch * k_guidance;
  if (p.denoiser == DenoiserKind::unet) {
    const double width = p.channels.empty() ? 320 : p.channels[0];
    return samples * latent * width * k_unet_vectors * element;
  }
  const double frames = (canvas.frames - 1) / std::max(1.0, p.vae_temporal) + 1;
  const double tokens = latent * frames / (p.patch * p.patch) + p.text_tokens;
  // Distilled guidance (FLUX) runs one sample; the decoder decides the peak there anyhow.
  return batch * tokens * p.hidden * (k_block_vectors + 2 * p.ffn_mult) * element;
}

struct Stages {
  double resident = 0;
  double denoise = 0;  // beside what is resident
  double decode = 0;
  double host = 0;
};

Stages stages(const Pipeline& parts, OffloadKind offload, double blocks, double step, double decode) {
  switch (offload) {
    case OffloadKind::model: {
      const double largest = std::max({parts.denoiser, parts.largest_encoder, parts.autoencoder});
      return {0, std::max(parts.denoiser + step, largest), parts.autoencoder + decode, parts.sum()};
    }
    case OffloadKind::sequential:
    case OffloadKind::layers:
    case OffloadKind::params:
      return {0, parts.denoiser * (blocks > 2 ? 2 / blocks : k_block_pair_share) + step, parts.autoencoder + decode, parts.sum()};
    default:
      return {parts.sum(), step, decode, 0};
  }
}

}  // namespace

std::span<const BandRow> diffusion_inference_band_rows() {
  return k_band_rows;
}

MemoryFigures diffusion_inference_memory(const Workload& w, const DiffusionPipeline& p, const Gpu* gpu) {
  const double element = compute_bytes(w.precision);
  const double vae_element = autoencoder_element(p, w.precision);
  const double batch = std::max(1.0, w.batch);
  const Canvas canvas = canvas_of(p, w);
  const FormatRow format = format_of(w.weights.value_or(w.precision));
  const Pipeline parts = stored(p, w, format, element, vae_element);
  const double step = denoiser_step_bytes(p, canvas, batch, element);
  const double decode = w.vae_tiling ? tiled_decoder_bytes(p, canvas, batch, vae_element) : decoder_bytes(p, canvas, batch, vae_element);
  const Stages at = stages(parts, w.offload.kind, p.blocks, step, decode);
  const double work = std::max(at.denoise, at.decode);
  double peak = at.resident + work;
  // Quantising on the card starts from the pipeline in 16 bits.
  if (format.on_card && w.offload.kind == OffloadKind::none) {
    const FormatRow plain = {PrecisionKind::bf16, k_16_bits, k_16_bits, false};
    peak = std::max(peak, stored(p, w, plain, element, vae_element).sum() + k_load_extra);
  }

  InferenceEstimate e;
  const bool offloaded = at.resident <= 0;
  e.gpu.weights = offloaded ? std::min(peak, at.decode > at.denoise ? parts.autoencoder : at.denoise - step) : at.resident;
  e.gpu.activations = offloaded ? work - e.gpu.weights : work;
  e.gpu.workspace = peak - e.gpu.weights - e.gpu.activations;
  e.allocated = e.allocated_all = peak;
  e.steady = e.steady_all = e.gpu.weights;
  e.runtime = runtime_bytes(false, w.module_loading, gpu);
  e.gpu.runtime = e.runtime.expected;
  e.all = e.gpu;
  e.copies = w.all_gpus();
  e.host_bytes = at.host;
  e.band = canvas.frames > 1 ? k_band_video : k_band;
  return inference_figures(e);
}

}  // namespace gpuadvise::estimate
