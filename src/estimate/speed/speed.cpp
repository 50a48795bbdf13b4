#include "estimate/speed/speed.hpp"

#include "estimate/speed/band.hpp"
#include "estimate/speed/diffusion.hpp"
#include "estimate/speed/encoder.hpp"
#include "estimate/speed/generation.hpp"
#include "estimate/speed/llm_training.hpp"
#include "estimate/speed/offload.hpp"
#include "estimate/speed/parallel.hpp"
#include "estimate/speed/recommender.hpp"
#include "estimate/speed/serving.hpp"
#include "estimate/speed/transformer.hpp"
#include "estimate/speed/vision.hpp"

#include <algorithm>

namespace gpuadvise::estimate {
namespace {

// Memory that weights may take before the rest of a denoising run no longer fits.
constexpr double k_resident_share = 0.8;

struct Job {
  StepTime step;             // of all cards
  double items = 0.0;        // of all cards in a step
  double single_rate = 0.0;  // items a second on one card
};

// No division of the work makes n cards faster than n times one: a share of optimizer traffic saved by sharding is given back.
void hold_to_linear(Job& job, double cards) {
  const double least = job.items / (cards * job.single_rate);
  const double total = job.step.total();
  if (total < least) {
    job.step = job.step.scaled(least / total);
  }
}

SpeedFigures figures_of(const Job& job, ThroughputUnit unit, const BandBasis& basis, double cards) {
  const double factor = band_factor(basis);
  SpeedFigures figures;
  figures.step_seconds = around(job.step.total(), factor);
  figures.throughput = around(job.items / job.step.total(), factor);
  figures.unit = unit;
  figures.shares = shares_of(job.step);
  figures.bound = bound_of(figures.shares);
  figures.prior = basis.distance >= 2;
  if (cards > 1.0 && job.single_rate > 0.0) {
    figures.scaling_efficiency = job.items / job.step.total() / (cards * job.single_rate);
  }
  return figures;
}

bool slow_link(const Workload& workload, const Gpu& gpu) {
  return workload.training() && cluster_of(workload, gpu).several_nodes() && workload.network_gbit_s.value_or(400.0) < 100.0;
}

// Data-parallel training, or independent copies at inference: every card does the same step.
Job replicated(const Workload& workload, const Gpu& gpu, const StepTime& micro, double batch, double gradient_bytes) {
  const double cards = workload.all_gpus();
  const double micro_batches = workload.training() ? std::max(1.0, workload.accumulate) : 1.0;
  Job job;
  job.step = micro.scaled(micro_batches);
  job.step.communication += offload_seconds(workload, gpu, {gradient_bytes});
  job.single_rate = batch * micro_batches / job.step.total();
  if (workload.training() && cards > 1.0) {
    const Link link = cluster_link(gpu, workload, cluster_of(workload, gpu));
    job.step.communication += data_parallel_seconds(link, cards, gradient_bytes, micro.total());
  }
  // A model spread over the cards at inference is one copy.
  const bool one_copy = !workload.training() && workload.strategy != Strategy::none && workload.strategy != Strategy::ddp;
  job.items = batch * micro_batches * (one_copy ? 1.0 : cards);
  return job;
}

std::optional<SpeedFigures> image_speed(const Workload& workload, const Model& model, const ImageProfile& profile, const Gpu& gpu) {
  const std::optional<StepTime> micro = image_step(workload, profile, gpu);
  if (!micro) {
    return std::nullopt;
  }
  const Job job = replicated(workload, gpu, *micro, image_batch(workload), 4.0 * profile.params);
  const bool classifier = model.field == Field::vision && profile.source != ProfileSource::estimated;
  const BandBasis basis{RunKind::vision, workload.training(), distance(gpu, RunKind::vision), !classifier, slow_link(workload, gpu)};
  return figures_of(job, ThroughputUnit::images, basis, workload.all_gpus());
}

std::optional<SpeedFigures> encoder_speed(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  const std::optional<StepTime> micro = encoder_step(workload, shape, gpu);
  if (!micro) {
    return std::nullopt;
  }
  const double gradients = workload.method == Method::full ? 4.0 * shape.params : 0.0;
  const Job job = replicated(workload, gpu, *micro, encoder_batch(workload), gradients);
  const BandBasis basis{RunKind::encoder, workload.training(), distance(gpu, RunKind::encoder), false, slow_link(workload, gpu)};
  return figures_of(job, ThroughputUnit::samples, basis, workload.all_gpus());
}

Workload on_one_card(const Workload& workload) {
  Workload one = workload;
  one.gpus = one.nodes = one.tp = one.pp = one.cp = 1.0;
  one.strategy = Strategy::none;
  return one;
}

double training_offload_seconds(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  // The inputs of the layers, 16 bits: what is kept where the rest is computed again.
  const double kept = 2.0 * workload.batch * workload.seq * shape.hidden * stacked_layers(shape);
  return offload_seconds(workload, gpu, {2.0 * shape.params, kept * std::max(1.0, workload.accumulate)});
}

std::optional<SpeedFigures> language_training_speed(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  const std::optional<LlmTrainingStep> step = llm_training_step(workload, shape, gpu);
  if (!step) {
    return std::nullopt;
  }
  const double cards = workload.all_gpus();
  Job job{step->time, step->tokens, step->tokens / step->time.total()};
  const double offloaded = training_offload_seconds(workload, shape, gpu);
  job.step.communication += offloaded;
  if (cards > 1.0) {
    const std::optional<LlmTrainingStep> one = llm_training_step(on_one_card(workload), shape, gpu);
    job.single_rate = one->tokens / (one->time.total() + offloaded);
    hold_to_linear(job, cards);
  }
  const bool uncertain = slow_link(workload, gpu) || workload.offload.kind != OffloadKind::none;
  const BandBasis basis{RunKind::llm_training, true, distance(gpu, RunKind::llm_training), shape.from_memory, uncertain};
  return figures_of(job, ThroughputUnit::tokens, basis, cards);
}

Interval rate_of(const StepTime& time, double factor) {
  return around(1.0 / time.total(), factor);
}

std::optional<SpeedFigures> generation_speed(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  const StreamedWeights weights = streamed_weights(shape, workload.precision);
  std::optional<StepTime> token = decode_step(workload, shape, gpu, weights);
  if (!token) {
    return std::nullopt;
  }
  const double on_host = std::max(0.0, 1.0 - workload.offload.layers_on_gpu / std::max(1.0, stacked_layers(shape)));
  token->communication += offload_seconds(workload, gpu, {weights.active, 0.0, on_host});
  const double cards = workload.all_gpus();
  const bool uncertain = workload.offload.kind != OffloadKind::none;
  const BandBasis alone{RunKind::decode, false, distance(gpu, RunKind::decode), shape.from_memory, uncertain};
  const double streams = workload.concurrency.value_or(workload.batch);
  SpeedFigures figures;
  const std::optional<Serving> many = serves_many(workload.engine) || streams > 1.0 ? serving(workload, shape, gpu, weights) : std::nullopt;
  if (many) {
    const BandBasis load{RunKind::serving, false, distance(gpu, RunKind::serving), shape.from_memory, uncertain};
    figures = figures_of({many->iteration, 1.0, 0.0}, ThroughputUnit::tokens, load, 1.0);
    figures.throughput = around(many->tokens_per_s, band_factor(load));
  } else {
    figures = figures_of({*token, 1.0, 0.0}, ThroughputUnit::tokens, alone, 1.0);
    if (cards > 1.0) {
      const std::optional<StepTime> one = decode_step(on_one_card(workload), shape, gpu, weights);
      figures.scaling_efficiency = one->total() / (cards * token->total());
    }
  }
  figures.decode_tokens_per_s = rate_of(*token, band_factor(alone));
  if (const std::optional<StepTime> prompt = prefill_step(workload, shape, gpu, weights)) {
    const BandBasis reading{RunKind::prefill, false, distance(gpu, RunKind::prefill), shape.from_memory, uncertain};
    figures.prefill_tokens_per_s = rate_of(*prompt, band_factor(reading));
  }
  return figures;
}

bool encodes(const Model& model, const TransformerShape& shape) {
  return model.field == Field::encoder || shape.kind == TransformerKind::encoder || shape.kind == TransformerKind::embedding_decoder;
}

std::optional<SpeedFigures> transformer_speed(const Workload& workload, const Model& model, const TransformerShape& shape, const Gpu& gpu) {
  if (encodes(model, shape)) {
    return encoder_speed(workload, shape, gpu);
  }
  return workload.training() ? language_training_speed(workload, shape, gpu) : generation_speed(workload, shape, gpu);
}

// Weights that fill the card leave no room for the autoencoder's work: the driver pages to host memory, and SDXL on cards of
// 8 GB measured 15 times slower than the law says. No speed is better than that one.
bool pages_to_host(const Workload& workload, const DiffusionPipeline& pipeline, const Gpu& gpu) {
  double params = pipeline.denoiser_params + pipeline.vae_params;
  for (const DiffusionComponent& encoder : pipeline.text_encoders) {
    params += encoder.params;
  }
  const double resident = params * weight_bits(workload.precision) / 8.0;
  return !workload.training() && workload.offload.kind == OffloadKind::none && resident > k_resident_share * gpu.memory_gib * k_gib;
}

std::optional<SpeedFigures> diffusion_speed(const Workload& workload, const DiffusionPipeline& pipeline, const Gpu& gpu) {
  const std::optional<StepTime> step = diffusion_step(workload, pipeline, gpu);
  if (!step || pages_to_host(workload, pipeline, gpu)) {
    return std::nullopt;
  }
  const double gradients = workload.method == Method::full ? 4.0 * pipeline.denoiser_params : 0.0;
  const Job job = replicated(workload, gpu, *step, workload.batch, gradients);
  const bool measured = pipeline.denoiser == DenoiserKind::unet && !workload.training();
  const BandBasis basis{RunKind::diffusion, workload.training(), distance(gpu, RunKind::diffusion), !measured, slow_link(workload, gpu)};
  return figures_of(job, ThroughputUnit::iterations, basis, workload.all_gpus());
}

std::optional<SpeedFigures> recommender_speed(const Workload& workload, const RecommenderShape& shape, const Gpu& gpu) {
  const std::optional<StepTime> micro = recommender_step(workload, shape, gpu);
  if (!micro) {
    return std::nullopt;
  }
  Job job = replicated(workload, gpu, *micro, recommender_batch(workload), 4.0 * shape.dense_params);
  if (workload.all_gpus() > 1.0) {
    // One card alone would have nothing to exchange.
    Workload one = on_one_card(workload);
    job.single_rate = recommender_batch(workload) / recommender_step(one, shape, gpu)->total();
  }
  const BandBasis basis{RunKind::recommender, workload.training(), distance(gpu, RunKind::recommender), false, slow_link(workload, gpu)};
  return figures_of(job, ThroughputUnit::samples, basis, workload.all_gpus());
}

}  // namespace

std::optional<SpeedFigures> evaluate_speed(const Workload& workload, const Model& model, const Gpu& gpu) {
  if (!(gpu.memory_bandwidth_gb_s > 0.0)) {
    return std::nullopt;
  }
  if (const ImageProfile* profile = model.image()) {
    return image_speed(workload, model, *profile, gpu);
  }
  if (const TransformerShape* shape = model.transformer()) {
    return transformer_speed(workload, model, *shape, gpu);
  }
  if (const DiffusionPipeline* pipeline = model.diffusion()) {
    return diffusion_speed(workload, *pipeline, gpu);
  }
  if (const RecommenderShape* tables = model.recommender()) {
    return recommender_speed(workload, *tables, gpu);
  }
  return std::nullopt;
}

}  // namespace gpuadvise::estimate
