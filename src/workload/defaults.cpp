#include "workload/defaults.hpp"

#include <gpuadvise/units.hpp>

#include "workload/engine_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

constexpr double k_encoder_seq = 512;
constexpr double k_encoder_infer_seq = 128;
constexpr double k_tuning_seq = 2048;
constexpr double k_serving_seq = 8192;
constexpr double k_gen_len = 512;

template <class T>
void fill(Draft& draft, K key, T& slot, const T& value, Origin origin = Origin::fallback) {
  if (!draft.given(key)) {
    slot = value;
    draft.request.origins[key] = origin;
  }
}

constexpr Precision kind(PrecisionKind of) {
  return {of, GgufMix::none, 0.0, 0.0};
}

bool is_any(Field field, std::initializer_list<Field> fields) {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

// Fields whose models people train themselves; the others they download and run.
bool trains_by_default(Field field) {
  return is_any(field, {Field::vision, Field::detection, Field::segmentation, Field::video, Field::encoder, Field::recommender});
}

bool is_image_field(Field field) {
  return is_any(field, {Field::vision, Field::detection, Field::segmentation, Field::video});
}

bool is_text_field(Field field) {
  return is_any(field, {Field::language, Field::vision_language});
}

bool only_infers(Engine engine) {
  return !(engine == Engine::pytorch || engine == Engine::transformers || engine == Engine::diffusers || engine == Engine::tensorflow ||
           engine == Engine::other);
}

bool any_stated(const Draft& draft, std::initializer_list<K> keys) {
  return std::any_of(keys.begin(), keys.end(), [&draft](K key) { return draft.stated(key); });
}

// The contract's list, and what is as plain a sign of training.
bool has_training_flag(const Draft& draft) {
  const Workload& w = draft.request.workload;
  const bool optimizer = draft.stated(K::optimizer) && w.optimizer != Optimizer::none;
  const bool checkpointing = draft.stated(K::grad_checkpointing) && w.checkpointing != Checkpointing::none;
  return optimizer || checkpointing || any_stated(draft, {K::method, K::lora_rank, K::lora_targets, K::epochs, K::dataset_size});
}

bool has_serving_flag(const Draft& draft) {
  const Workload& w = draft.request.workload;
  const bool engine = draft.stated(K::engine) && only_infers(w.engine);
  const bool format = draft.stated(K::precision) && (w.precision.kind == PrecisionKind::gguf || w.precision.kind == PrecisionKind::mlx ||
                                                     w.precision.kind == PrecisionKind::exl2);
  return engine || format || any_stated(draft, {K::prompt_len, K::gen_len, K::concurrency, K::max_num_seqs, K::max_num_batched_tokens});
}

Task default_task(const Draft& draft) {
  if (trains_by_default(draft.request.workload.field)) {
    const bool adapters = draft.stated(K::lora_rank) || draft.request.workload.method != Method::full;
    return has_serving_flag(draft) ? Task::infer : adapters ? Task::finetune : Task::train;
  }
  return has_training_flag(draft) ? Task::finetune : Task::infer;
}

Stack default_stack(const Workload& w) {
  if (w.task != Task::finetune) {
    return Stack::none;
  }
  return w.field == Field::diffusion                                ? Stack::diffusers
         : is_image_field(w.field) || w.field == Field::recommender ? Stack::none
                                                                    : Stack::hf_trainer;
}

void default_method(Draft& draft) {
  Workload& w = draft.request.workload;
  if (!w.training()) {
    return;
  }
  // An adapter's rank, or a base stored in fewer bits than anything trains in, says that adapters are meant.
  const bool adapters = any_stated(draft, {K::lora_rank, K::lora_targets});
  const bool small_base = draft.stated(K::weights) && w.weights && is_quantised(*w.weights);
  const bool four_bits = w.weights && w.weights->kind == PrecisionKind::nf4;
  if (adapters || small_base) {
    fill(draft, K::method, w.method, small_base && four_bits ? Method::qlora : Method::lora, Origin::inferred);
  }
  fill(draft, K::method, w.method, Method::full);
}

Head default_head(Field field) {
  switch (field) {
    case Field::vision:
    case Field::video:
    case Field::encoder:
      return Head::classification;
    case Field::detection:
      return Head::detection;
    case Field::language:
    case Field::vision_language:
    case Field::speech:
      return Head::lm;
    default:
      return Head::none;
  }
}

Engine engine_for_infer(const Workload& w, bool precision_known) {
  const bool speech = w.field == Field::speech;
  const bool diffusion = w.field == Field::diffusion;
  if (precision_known) {
    switch (w.precision.kind) {
      case PrecisionKind::gguf:
        return speech ? Engine::whisper_cpp : diffusion ? Engine::stable_diffusion_cpp : Engine::llama_cpp;
      case PrecisionKind::mlx:
        return Engine::mlx;
      case PrecisionKind::exl2:
        return Engine::exllama;
      default:
        break;
    }
  }
  return diffusion ? Engine::diffusers : is_text_field(w.field) || speech ? Engine::transformers : Engine::pytorch;
}

void default_engine(Draft& draft) {
  Workload& w = draft.request.workload;
  const bool by_format = draft.given(K::precision) || draft.checkpoint;
  if (!draft.given(K::precision) && draft.checkpoint) {
    w.precision = *draft.checkpoint;
  }
  Engine engine = w.training() ? Engine::pytorch : engine_for_infer(w, by_format);
  // Requests in flight are what servers are for.
  if (engine == Engine::transformers && is_text_field(w.field) && draft.stated(K::concurrency) && w.concurrency.value_or(1.0) > 1.0) {
    engine = Engine::vllm;
  }
  fill(draft, K::engine, w.engine, engine, engine == engine_for_infer(w, false) || w.training() ? Origin::fallback : Origin::inferred);
}

Precision training_precision(const Workload& w) {
  if (w.field == Field::diffusion) {
    return kind(PrecisionKind::bf16);
  }
  if (!is_text_field(w.field)) {
    return kind(PrecisionKind::fp32);
  }
  return kind(w.method == Method::lora ? PrecisionKind::bf16 : PrecisionKind::amp_bf16);
}

// The type a checkpoint is published in, where it is not bf16.
Precision checkpoint_precision(const Draft& draft) {
  struct Published {
    std::string_view id;
    PrecisionKind kind;
  };
  static constexpr auto published = std::to_array<Published>({{"gpt-oss", PrecisionKind::mxfp4},
                                                              {"deepseek-v3", PrecisionKind::fp8},
                                                              {"deepseek-r1", PrecisionKind::fp8},
                                                              {"kimi-k2", PrecisionKind::fp8}});
  const std::string_view id = draft.request.model.id;
  for (const Published& row : published) {
    // A distilled model keeps the type of its own base.
    if (id.substr(0, row.id.size()) == row.id && id.find("distill") == std::string_view::npos) {
      return kind(row.kind);
    }
  }
  return kind(PrecisionKind::bf16);
}

Precision inference_precision(const Draft& draft) {
  const Workload& w = draft.request.workload;
  switch (w.engine) {
    case Engine::llama_cpp: {
      // Weights published in mxfp4 are offered as they are: their rows do not divide into K-quants.
      const bool mxfp4 = checkpoint_precision(draft).kind == PrecisionKind::mxfp4;
      return {PrecisionKind::gguf, mxfp4 ? GgufMix::MXFP4_MOE : GgufMix::Q4_K_M, 0.0, 0.0};
    }
    case Engine::autoawq:
      return kind(PrecisionKind::int4_awq);
    case Engine::gptq_for_llama:
    case Engine::exllama:
      return kind(PrecisionKind::int4_gptq);
    default:
      break;
  }
  if (w.field == Field::diffusion || w.field == Field::speech) {
    return kind(PrecisionKind::fp16);
  }
  return is_text_field(w.field) ? checkpoint_precision(draft) : kind(PrecisionKind::fp32);
}

// "qlora, nf4": of adapters people name the format of the frozen base. Nothing trains in such a format, so nothing else can be meant.
void move_to_frozen_base(Draft& draft) {
  Workload& w = draft.request.workload;
  const bool adapters = w.training() && w.method != Method::full;
  if (!adapters || !draft.stated(K::precision) || trains_in(w.precision) || draft.given(K::weights)) {
    return;
  }
  draft.note("precision-of-base", Severity::note, "precision " + to_string(w.precision) + " is taken as that of the frozen base (weights)");
  const bool four_bits = w.method == Method::qlora && w.precision.kind == PrecisionKind::int4;
  w.weights = four_bits ? kind(PrecisionKind::nf4) : w.precision;
  draft.request.origins[K::weights] = draft.request.origins[K::precision];
  draft.request.origins[K::precision] = Origin::unset;
}

void default_precision(Draft& draft) {
  move_to_frozen_base(draft);
  Workload& w = draft.request.workload;
  if (draft.checkpoint && !w.training()) {
    fill(draft, K::precision, w.precision, *draft.checkpoint, Origin::inferred);
  }
  fill(draft, K::precision, w.precision, w.training() ? training_precision(w) : inference_precision(draft));
  if (!w.training()) {
    if (const auto own = engine_equivalent(w.engine, w.precision)) {
      draft.note("precision-taken-for", Severity::note,
                 "precision " + to_string(w.precision) + " is taken for " + to_string(*own) + " with this engine");
      w.precision = *own;
    }
  }
  if (w.training() && w.method == Method::qlora) {
    fill(draft, K::weights, w.weights, std::optional<Precision>(kind(PrecisionKind::nf4)));
  }
}

KvType compute_type(const Precision& precision) {
  switch (precision.kind) {
    case PrecisionKind::fp32:
    case PrecisionKind::tf32:
      return KvType::fp32;
    case PrecisionKind::bf16:
    case PrecisionKind::amp_bf16:
    case PrecisionKind::fp8:
    case PrecisionKind::fp8_dynamic:
    case PrecisionKind::fp8_weight_only:
    case PrecisionKind::mxfp4:
    case PrecisionKind::mxfp8:
    case PrecisionKind::nvfp4:
      return KvType::bf16;
    default:
      return KvType::fp16;
  }
}

// Convolutional networks are trained with momentum, everything else with Adam: attention, and what is normalized by layers where few
// convolutions look beyond a pixel (windowed attention, mixers).
Optimizer default_optimizer(const Draft& draft) {
  const ImageProfile* profile = draft.request.model.image();
  const bool convolutional =
      profile != nullptr && profile->attention != VisionAttention::fused && profile->attention != VisionAttention::eager;
  const bool by_layers = profile != nullptr && profile->layernorms.value_or(0.0) > profile->batchnorms.value_or(0.0) &&
                         profile->layernorms.value_or(0.0) > 2.0 * profile->spatial_convs.value_or(0.0);
  return convolutional && !by_layers ? Optimizer::sgd_momentum : Optimizer::adamw;
}

double default_seq(const Workload& w, const TransformerShape& shape) {
  const bool encoder = w.field == Field::encoder;
  const double usual = w.training() ? (encoder ? k_encoder_seq : k_tuning_seq) : (encoder ? k_encoder_infer_seq : k_serving_seq);
  return shape.max_context >= 1 ? std::min(usual, shape.max_context) : usual;
}

void default_lengths(Draft& draft) {
  Workload& w = draft.request.workload;
  const TransformerShape* shape = draft.request.model.transformer();
  if (shape == nullptr) {
    return;
  }
  if (!w.training() && !draft.given(K::seq) && draft.given(K::prompt_len)) {
    fill(draft, K::gen_len, w.gen_len, k_gen_len);
    fill(draft, K::seq, w.seq, w.prompt_len + w.gen_len, Origin::inferred);
  }
  const double room = !w.training() && draft.given(K::gen_len) ? w.gen_len + 1 : 1;
  fill(draft, K::seq, w.seq, std::max(room, default_seq(w, *shape)));
  if (w.training()) {
    return;
  }
  if (w.field == Field::encoder) {
    fill(draft, K::prompt_len, w.prompt_len, w.seq, Origin::inferred);
    return;
  }
  if (draft.given(K::prompt_len)) {
    fill(draft, K::gen_len, w.gen_len, std::max(0.0, w.seq - w.prompt_len), Origin::inferred);
  }
  fill(draft, K::gen_len, w.gen_len, w.seq > k_gen_len ? k_gen_len : std::floor(w.seq / 2));
  fill(draft, K::prompt_len, w.prompt_len, std::max(0.0, w.seq - w.gen_len), Origin::inferred);
}

ImageSize reference_size(const Model& model) {
  if (const ImageProfile* profile = model.image()) {
    const double height = profile->image_height > 0 ? profile->image_height : profile->image;
    return {std::max(1.0, profile->frames), height, profile->image};
  }
  if (const DiffusionPipeline* pipeline = model.diffusion()) {
    return {std::max(1.0, pipeline->frames), pipeline->height_px, pipeline->width_px};
  }
  return {1.0, 0.0, 0.0};
}

void default_image(Draft& draft) {
  Workload& w = draft.request.workload;
  const ImageSize reference = reference_size(draft.request.model);
  const std::optional<ImageSize>& said = draft.resolution ? draft.resolution : draft.image;
  w.image = said ? *said : reference;
  if (w.image.frames < 1) {
    w.image.frames = reference.frames;
  }
  if (!said && reference.height > 0) {
    draft.request.origins[w.field == Field::diffusion ? K::resolution : K::image] = Origin::fallback;
  }
  if (const DiffusionPipeline* pipeline = draft.request.model.diffusion(); pipeline != nullptr && !w.training()) {
    fill(draft, K::steps, w.steps, pipeline->default_steps > 0 ? pipeline->default_steps : 30.0);
  }
}

void default_adapters(Draft& draft) {
  Workload& w = draft.request.workload;
  if (!w.training() || w.method == Method::full) {
    return;
  }
  fill(draft, K::lora_rank, w.lora_rank, 16.0);
  LoraTargets targets;
  targets.q = true;
  targets.v = true;
  if (!draft.given(K::lora_targets)) {
    w.lora_targets = targets;
    draft.request.origins[K::lora_targets] = Origin::fallback;
  }
}

// Weights, gradients and Adam's two moments of a full tuning, before anything else: 16 bytes a parameter with an fp32 master
// copy, 8 where everything is 16-bit. Counted.
double full_training_state_bytes(const Draft& draft) {
  const Precision& precision = draft.request.workload.precision;
  const bool pure = !is_amp(precision) && compute_bytes(precision) == 2.0 && !is_quantised(precision);
  return draft.request.model.params() * (pure ? 8.0 : 16.0);
}

// Copies of the whole state on every GPU are pointless where one cannot hold it: shard it instead, and say so.
void shard_what_no_gpu_holds(Draft& draft) {
  Workload& w = draft.request.workload;
  constexpr double k_usual_datacenter_gib = 80.0;
  const double card_gib = w.gpu_memory_gib.value_or(k_usual_datacenter_gib);
  const bool replicated = w.strategy == Strategy::ddp && draft.request.origins[K::strategy] == Origin::fallback;
  if (!replicated || !w.training() || w.method != Method::full || draft.request.model.image() != nullptr ||
      full_training_state_bytes(draft) < card_gib * k_gib) {
    return;
  }
  w.strategy = Strategy::fsdp;
  draft.request.origins[K::strategy] = Origin::inferred;
  draft.note("strategy-fsdp", Severity::note,
             "strategy fsdp is assumed: one GPU cannot hold the " + format_gib(full_training_state_bytes(draft)) +
                 " of weights, gradients and optimizer states");
}

void default_parallel(Draft& draft) {
  Workload& w = draft.request.workload;
  const double degrees = w.tp * w.pp * w.cp;
  if (degrees > 1 && !draft.given(K::gpus)) {
    fill(draft, K::gpus, w.gpus, std::max(1.0, std::ceil(degrees / w.nodes)), Origin::inferred);
  }
  fill(draft, K::gpus, w.gpus, 1.0);
  fill(draft, K::nodes, w.nodes, 1.0);
  // A preset's strategy means something only where there is more than one GPU.
  if (draft.request.origins[K::strategy] == Origin::preset && w.all_gpus() <= 1) {
    w.strategy = Strategy::none;
    draft.request.origins[K::strategy] = Origin::unset;
  }
  fill(draft, K::strategy, w.strategy, default_strategy(w));
  shard_what_no_gpu_holds(draft);
  const double whole_tp = w.all_gpus() / (w.pp * w.cp);
  if (w.strategy == Strategy::tp && !draft.given(K::tp) && whole_tp >= 1 && whole_tp == std::floor(whole_tp)) {
    fill(draft, K::tp, w.tp, whole_tp, Origin::inferred);
  }
  const double whole_pp = w.all_gpus() / (w.tp * w.cp);
  if (w.strategy == Strategy::pp && !draft.given(K::pp) && whole_pp >= 1 && whole_pp == std::floor(whole_pp)) {
    fill(draft, K::pp, w.pp, whole_pp, Origin::inferred);
  }
}

// Engines whose own attention kernels never store the scores; current llama.cpp builds choose it where the card can.
bool engine_has_flash(Engine engine) {
  return engine == Engine::vllm || engine == Engine::sglang || engine == Engine::tensorrt_llm || engine == Engine::exllama ||
         engine == Engine::mlc_llm || engine == Engine::mlx || engine == Engine::llama_cpp;
}

void default_training(Draft& draft) {
  Workload& w = draft.request.workload;
  fill(draft, K::accumulate, w.accumulate, 1.0);
  fill(draft, K::optimizer, w.optimizer, default_optimizer(draft));
  fill(draft, K::grad_checkpointing, w.checkpointing, Checkpointing::none);
  if (draft.request.model.transformer() != nullptr) {
    fill(draft, K::loss, w.loss, LossKind::standard);
  }
  // A preset that offloads checkpoints means nothing without checkpoints.
  if (draft.request.origins[K::offload] == Origin::preset && w.checkpointing == Checkpointing::none) {
    w.offload = {};
    draft.request.origins[K::offload] = Origin::unset;
  }
}

void default_inference(Draft& draft) {
  Workload& w = draft.request.workload;
  fill(draft, K::optimizer, w.optimizer, Optimizer::none);
  const TransformerShape* shape = draft.request.model.transformer();
  if (shape == nullptr) {
    return;
  }
  if (w.field != Field::encoder) {
    const KvType type = compute_type(w.precision);
    if (!draft.given(K::kv_precision)) {
      w.kv_precision = {type, type};
      draft.request.origins[K::kv_precision] = Origin::fallback;
    }
    fill(draft, K::flash_attn, w.flash_attn, engine_has_flash(w.engine));
  }
  if (shape->attention == AttentionKind::mla) {
    fill(draft, K::mla, w.mla, MlaMode::absorbed);
  }
}

}  // namespace

Strategy default_strategy(const Workload& w) {
  if (w.all_gpus() <= 1) {
    return Strategy::none;
  }
  const bool split_by_degrees = w.tp * w.pp * w.cp >= w.all_gpus();
  if (split_by_degrees && w.tp > 1) {
    return Strategy::tp;
  }
  if (split_by_degrees && w.pp > 1) {
    return Strategy::pp;
  }
  if (w.training()) {
    return Strategy::ddp;
  }
  switch (w.engine) {
    case Engine::vllm:
    case Engine::sglang:
    case Engine::tensorrt_llm:
    case Engine::mlc_llm:
      return w.tp > 1 ? Strategy::ddp : Strategy::tp;
    case Engine::llama_cpp:
    case Engine::exllama:
    case Engine::transformers:
    case Engine::autoawq:
    case Engine::gptq_for_llama:
    case Engine::mlx:
      return Strategy::layer_split;
    default:
      // Image networks, encoders and pipelines are copied to every GPU.
      return Strategy::ddp;
  }
}

bool asks_for_training(const Draft& draft) {
  return draft.stated(K::task) ? draft.request.workload.training() : has_training_flag(draft);
}

void apply_leading_defaults(Draft& draft) {
  Workload& w = draft.request.workload;
  w.field = draft.request.model.field;
  fill(draft, K::task, w.task, default_task(draft));
  if (w.training()) {
    fill(draft, K::stack, w.stack, default_stack(w));
  }
}

void apply_defaults(Draft& draft) {
  Workload& w = draft.request.workload;
  default_method(draft);
  default_engine(draft);
  default_precision(draft);
  fill(draft, K::head, w.head, default_head(w.field));
  fill(draft, K::batch, w.batch, 1.0);
  default_image(draft);
  default_lengths(draft);
  default_adapters(draft);
  default_parallel(draft);
  if (draft.request.model.transformer() != nullptr) {
    fill(draft, K::attention, w.attention,
         w.training() && draft.given(K::flash_attn) && w.flash_attn ? AttentionBackend::flash : AttentionBackend::sdpa);
  }
  if (w.training()) {
    default_training(draft);
  } else {
    default_inference(draft);
  }
}

}  // namespace gpuadvise::workload
