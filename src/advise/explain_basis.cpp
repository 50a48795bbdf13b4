#include "advise/explain_basis.hpp"

#include <gpuadvise/units.hpp>

#include "workload/describe.hpp"
#include "workload/fault.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace gpuadvise::advise {
namespace {

enum class Job : std::uint8_t {
  image_training,
  transformer_training,
  diffusion_training,
  table_training,
  image_inference,
  language_inference,
  diffusion_inference,
  table_inference,
};

Job job_of(const Workload& workload, const Model& model) {
  const bool training = workload.training();
  if (model.image() != nullptr) {
    return training ? Job::image_training : Job::image_inference;
  }
  if (model.transformer() != nullptr) {
    return training ? Job::transformer_training : Job::language_inference;
  }
  if (model.diffusion() != nullptr) {
    return training ? Job::diffusion_training : Job::diffusion_inference;
  }
  return training ? Job::table_training : Job::table_inference;
}

enum Row : std::size_t {
  vision_train,
  segmentation_train,
  detection_train,
  video_train,
  encoder_train,
  llm_full,
  llm_lora,
  llm_qlora,
  vlm_finetune,
  diffusion_train,
  llm_infer,
  diffusion_infer,
  speed_vision_train,
  speed_vision_infer,
  speed_encoder,
  speed_llm_train,
  speed_llm_decode,
  speed_llm_serve,
  speed_diffusion,
  unmeasured,
};

constexpr std::array<Basis, 20> k_basis{{
    {"vision-train", "published batch ladders and peaks of image classifiers", 0.025},
    {"segmentation-train", "published training memory of segmentation networks", 0.05},
    {"detection-train", "published training memory of detectors, whose images vary in size", 0.1},
    {"video-train", "published training memory of video networks", 0.1},
    {"encoder-train", "published training memory of encoders", 0.06},
    {"llm-full", "published peaks of full training of language models", 0.1},
    {"llm-lora", "published peaks of LoRA tuning", 0.075},
    {"llm-qlora", "published peaks of QLoRA tuning", 0.11},
    {"vlm-finetune", "published peaks of tuning models that read images", 0.12},
    {"diffusion-train", "published peaks of tuning diffusion models", 0.15},
    {"llm-infer:total", "published memory of inference; sizes of weights and cache are counted", 0.012},
    {"diffusion-infer:total", "published peaks of diffusion pipelines", 0.03},
    {"speed:vision-train", "published training speeds of image networks", 0.17},
    {"speed:vision-infer", "published inference speeds of image networks", 0.14},
    {"speed:encoder-train", "published speeds of encoders", 0.15},
    {"speed:llm-train", "published training speeds of language models", 0.1},
    {"speed:llm-decode", "published generation speeds", 0.12},
    {"speed:llm-serve", "published serving speeds", 0.2},
    {"speed:diffusion-infer", "published speeds of denoisers", 0.2},
    {"", "no published measurement of this kind: counted, with priors for what cannot be counted", std::nullopt},
}};

Row training_row(const Workload& workload, const TransformerShape& shape) {
  if (shape.vision_params > 0) {
    return vlm_finetune;
  }
  if (workload.method == Method::qlora) {
    return llm_qlora;
  }
  if (workload.method == Method::lora) {
    return llm_lora;
  }
  return shape.kind == TransformerKind::encoder ? encoder_train : llm_full;
}

Row image_row(Field field) {
  switch (field) {
    case Field::segmentation:
      return segmentation_train;
    case Field::detection:
      return detection_train;
    case Field::video:
      return video_train;
    default:
      return vision_train;
  }
}

bool serves(Engine engine) {
  return engine == Engine::vllm || engine == Engine::sglang || engine == Engine::tensorrt_llm;
}

struct Formula {
  double MemoryComponents::*part;
  std::uint32_t jobs;  // a bit a job
  std::string_view words;
};

constexpr std::uint32_t bit(Job job) {
  return 1U << static_cast<std::uint32_t>(job);
}
constexpr std::uint32_t k_training =
    bit(Job::image_training) | bit(Job::transformer_training) | bit(Job::diffusion_training) | bit(Job::table_training);
constexpr std::uint32_t k_every = ~0U;

using M = MemoryComponents;

// The first row that matches; the particular ones stand before the general ones.
constexpr auto k_formulas = std::to_array<Formula>({
    {&M::weights, k_training, "parameters x bytes of their type, and a 16-bit copy of them under AMP"},
    {&M::weights, k_every, "stored tensors x bits of their type, block scales included"},
    {&M::gradients, k_every, "trained parameters x bytes of a gradient"},
    {&M::optimizer_states, k_every, "trained parameters x states of the optimizer (momentum 1, Adam 2) x bytes of a state"},
    {&M::activations, bit(Job::image_training),
     "what every operator keeps for the backward pass of one image x batch, at the peak of a step"},
    {&M::activations, bit(Job::transformer_training),
     "what every operator of a layer keeps for each token x tokens x layers; with full checkpointing one input a layer and one layer "
     "whole"},
    {&M::activations, bit(Job::diffusion_training), "what every block keeps for each latent token, or each place of the U-Net, x batch"},
    {&M::activations, bit(Job::language_inference), "widest point of one layer x tokens in flight: nothing is kept for a backward pass"},
    {&M::activations, bit(Job::diffusion_inference), "widest point of the denoiser, or of the autoencoder that decodes the picture"},
    {&M::activations, k_every, "the largest input and output that live at once x batch"},
    {&M::logits, k_every, "tokens x vocabulary x bytes: output scores, their 32-bit copy and gradient; a fused loss needs none"},
    {&M::kv_cache, k_every, "2 x layers with attention x KV heads x head size x bytes x tokens; a sliding window ends the growth"},
    {&M::recurrent_state, k_every, "state of the recurrent layers x sequences; it does not grow with length"},
    {&M::workspace, bit(Job::language_inference), "work buffers of the libraries; of llama.cpp its compute buffer"},
    {&M::workspace, k_every, "work buffers of convolutions and matrix products"},
    {&M::communication, k_every, "buffers of the collective library and of gradient buckets"},
    {&M::runtime, k_every, "context of the driver and kernels of the libraries, outside the framework's allocator"},
    {&M::fragmentation, k_every, "what the caching allocator holds beyond live tensors"},
});

struct SourceRow {
  double MemoryComponents::*part;
  std::uint32_t jobs;
  TermSource source;
};

using C = Certainty;

// The figures are those of the constants' own rows in estimate/memory.
constexpr auto k_sources = std::to_array<SourceRow>({
    {&M::weights, k_every, {C::counted, "tensors of the model's published configuration", std::nullopt}},
    {&M::gradients, k_every, {C::counted, "trained tensors", std::nullopt}},
    {&M::optimizer_states, k_every, {C::counted, "the optimizer's own states", std::nullopt}},
    {&M::activations,
     bit(Job::image_training),
     {C::fitted, "operators counted one by one, held to 97 peaks of 370 batch ladders on an A100", 0.01}},
    {&M::activations,
     bit(Job::transformer_training),
     {C::fitted, "operators counted one by one, copies of training programs fitted to published peaks", 0.1}},
    {&M::activations,
     bit(Job::diffusion_training),
     {C::fitted, "blocks counted, gradients in flight fitted to 122 figures of 14 sources", 0.12}},
    {&M::activations, bit(Job::language_inference), {C::fitted, "layers counted, held to 241 figures of 9 sources", 0.006}},
    {&M::activations, bit(Job::diffusion_inference), {C::fitted, "widest points counted, held to 75 figures of 7 sources", 0.01}},
    {&M::activations, k_every, {C::counted, "operators counted one by one", std::nullopt}},
    {&M::logits, k_every, {C::counted, "tokens and vocabulary", std::nullopt}},
    {&M::kv_cache, k_every, {C::counted, "layers, heads and tokens", std::nullopt}},
    {&M::recurrent_state, k_every, {C::counted, "layers and sequences", std::nullopt}},
    {&M::workspace, bit(Job::image_training), {C::fitted, "370 batch ladders on an A100", 0.016}},
    {&M::workspace, bit(Job::language_inference), {C::fitted, "12 logs of llama.cpp, of servers 13 logs of 6 sources", 0.01}},
    {&M::workspace, k_every, {C::prior, "sizes that the libraries ask for", std::nullopt}},
    {&M::communication, k_every, {C::prior, "a few hundred MiB for 8 GPUs of a node, as the library's makers say", std::nullopt}},
    {&M::runtime,
     k_every,
     {C::prior, "bounded by 94 batch ladders on 24 GB cards; fitted (n = 378) where all kernels load at once", std::nullopt}},
    {&M::fragmentation, bit(Job::image_training), {C::fitted, "370 batch ladders on an A100", 0.016}},
    {&M::fragmentation, k_every, {C::prior, "shares of what moves, from figures that tools showed beside allocated ones", std::nullopt}},
});
constexpr TermSource k_no_source{};

struct ShareSource {
  double SpeedShares::*part;
  TermSource source;
};
constexpr auto k_share_sources = std::to_array<ShareSource>({
    {&SpeedShares::compute, {C::fitted, "share of the dense rate by family and kind of work, fitted to published speeds", 0.15}},
    {&SpeedShares::traffic, {C::fitted, "share of the peak bandwidth, fitted to published speeds", 0.12}},
    {&SpeedShares::host, {C::fitted, "time of a launch, fitted to speeds of small batches", 0.2}},
    {&SpeedShares::communication, {C::prior, "link rates of makers' data sheets; overlap is a prior", std::nullopt}},
});

std::string text_of(const Request& request, WorkloadKey key) {
  return workload::value_text(request, key);
}

}  // namespace

const Basis& memory_basis(const Workload& workload, const Model& model) {
  switch (job_of(workload, model)) {
    case Job::image_training:
      return k_basis[image_row(model.field)];
    case Job::transformer_training:
      return k_basis[training_row(workload, *model.transformer())];
    case Job::diffusion_training:
      return k_basis[diffusion_train];
    case Job::language_inference:
      return k_basis[model.transformer()->kind == TransformerKind::encoder ? unmeasured : llm_infer];
    case Job::diffusion_inference:
      return k_basis[diffusion_infer];
    default:
      return k_basis[unmeasured];
  }
}

const Basis& speed_basis(const Workload& workload, const Model& model) {
  switch (job_of(workload, model)) {
    case Job::image_training:
      return k_basis[speed_vision_train];
    case Job::image_inference:
      return k_basis[speed_vision_infer];
    case Job::transformer_training:
      return k_basis[model.transformer()->kind == TransformerKind::encoder ? speed_encoder : speed_llm_train];
    case Job::language_inference:
      return k_basis[model.transformer()->kind == TransformerKind::encoder ? speed_encoder
                     : serves(workload.engine)                             ? speed_llm_serve
                                                                           : speed_llm_decode];
    case Job::diffusion_inference:
      return k_basis[speed_diffusion];
    default:
      return k_basis[unmeasured];
  }
}

std::span<const Basis> basis_rows() {
  return k_basis;
}

std::string_view formula_of(double MemoryComponents::*part, const Workload& workload, const Model& model) {
  const std::uint32_t job = bit(job_of(workload, model));
  const auto found = std::find_if(k_formulas.begin(), k_formulas.end(),
                                  [&](const Formula& formula) { return formula.part == part && (formula.jobs & job) != 0; });
  return found == k_formulas.end() ? std::string_view{} : found->words;
}

std::string_view to_string(Certainty certainty) {
  return certainty == Certainty::counted ? "counted" : certainty == Certainty::fitted ? "fitted" : "prior";
}

const TermSource& source_of(double MemoryComponents::*part, const Workload& workload, const Model& model) {
  const std::uint32_t job = bit(job_of(workload, model));
  const auto found =
      std::find_if(k_sources.begin(), k_sources.end(), [&](const SourceRow& row) { return row.part == part && (row.jobs & job) != 0; });
  return found == k_sources.end() ? k_no_source : found->source;
}

const TermSource& source_of(double SpeedShares::*part) {
  const auto found =
      std::find_if(k_share_sources.begin(), k_share_sources.end(), [part](const ShareSource& row) { return row.part == part; });
  return found == k_share_sources.end() ? k_no_source : found->source;
}

std::string inputs_of(double MemoryComponents::*part, const Request& request) {
  const Workload& workload = request.workload;
  if (part == &M::weights) {
    const Precision& stored = workload.weights ? *workload.weights : workload.precision;
    return format_count(request.model.params()) + " parameters, " + gpuadvise::to_string(stored);
  }
  if (part == &M::gradients || part == &M::optimizer_states) {
    const std::string method = workload.method == Method::full ? "" : text_of(request, WorkloadKey::method) + " adapters, ";
    return method + text_of(request, WorkloadKey::optimizer);
  }
  if (part == &M::activations || part == &M::logits || part == &M::kv_cache) {
    std::string text = "batch " + text_of(request, WorkloadKey::batch);
    const bool pixels = request.model.image() != nullptr || request.model.diffusion() != nullptr;
    const std::string size = text_of(request, pixels ? WorkloadKey::image : WorkloadKey::seq);
    if (!size.empty()) {
      text += (pixels ? ", image " : ", seq ") + size;
    }
    return text;
  }
  return {};
}

// A server fills what its share of the card leaves, whatever was asked; steady counts only what the requests have alive.
std::optional<MemoryTerm> pool_term(const Request& request, const Figures& figures) {
  const Workload& workload = request.workload;
  const MemoryFigures& memory = figures.memory;
  if (!serves(workload.engine) || !memory.steady || memory.components.kv_cache <= 0.0) {
    return std::nullopt;
  }
  const double asked = memory.steady->expected - memory.components.weights - memory.components.recurrent_state;
  if (asked <= 0.0 || std::abs(memory.components.kv_cache - asked) < 1e-6 * asked) {
    return std::nullopt;
  }
  const double requests = workload.concurrency.value_or(workload.batch);
  const std::string share = text_of(request, WorkloadKey::gpu_memory_utilization);
  std::string inputs = "a pool taken at the start";
  inputs += share.empty() ? "" : ", gpu_memory_utilization " + share;
  inputs += "; of it " + (requests > 1.0 ? workload::number_text(requests) + " requests of " : std::string("one request of ")) +
            text_of(request, WorkloadKey::seq) + " tokens need" + (requests > 1.0 ? " " : "s ") + format_gib(asked);
  if (figures.capacity.max_concurrency && *figures.capacity.max_concurrency >= 1.0) {
    inputs += ", " + workload::number_text(std::floor(*figures.capacity.max_concurrency)) + " such fit";
  }
  constexpr TermSource source{C::counted, "the server's share of the card, less the other rows", std::nullopt};
  return MemoryTerm{"kv_cache", memory.components.kv_cache,
                    "share of the card less weights, activations and what lies outside; a request takes 2 x layers with attention x KV "
                    "heads x head size x bytes x tokens",
                    inputs, source};
}

}  // namespace gpuadvise::advise
