// workload.* and model.*: what is to be run. Settings that a candidate may change (GPUs, strategy, precision) have the card's scope.
#include "catalog/enum_names.hpp"
#include "rules/facts.hpp"
#include "workload/keys.hpp"

#include <array>

namespace gpuadvise::rules {
namespace {

using workload::name_of;
using K = WorkloadKey;

bool is_kind(const Workload& w, std::initializer_list<PrecisionKind> kinds) {
  for (const PrecisionKind kind : kinds) {
    if (w.precision.kind == kind) {
      return true;
    }
  }
  return false;
}

// Formats for which Transformers, Diffusers and the trainers of adapters call bitsandbytes; other engines have kernels of their own.
bool calls_bitsandbytes(const Workload& w) {
  return w.training() || w.engine == Engine::transformers || w.engine == Engine::diffusers;
}

bool stored_as(const Workload& w, PrecisionKind kind) {
  return (w.weights ? w.weights->kind : w.precision.kind) == kind;
}

template <class Read>
Datum of_workload(const Subject& subject, Read read) {
  return subject.workload != nullptr ? read(*subject.workload) : Datum{};
}

template <class Read>
Datum of_request(const Subject& subject, Read read) {
  return subject.request != nullptr ? read(*subject.request) : Datum{};
}

template <class E>
Datum word(WorkloadKey key, E value) {
  return text(name_of(key, value));
}

constexpr std::uint8_t k_request = scope::request;
constexpr std::uint8_t k_card = scope::card;

#define WORKLOAD_FACT(name, scopes, kind, meaning, expression)                                                                \
  Fact {                                                                                                                      \
    "workload." name, Kind::kind, scopes, meaning,                                                                            \
        [](const Subject& s) { return of_workload(s, []([[maybe_unused]] const Workload& w) { return Datum(expression); }); } \
  }
#define REQUEST_FACT(name, kind, meaning, expression)                                                      \
  Fact {                                                                                                   \
    name, Kind::kind, scope::request, meaning,                                                             \
        [](const Subject& s) { return of_request(s, [](const Request& r) { return Datum(expression); }); } \
  }

constexpr auto k_facts = std::to_array<Fact>({
    WORKLOAD_FACT("field", k_request, text, "vision, detection, language, diffusion ...", text(catalog::enum_name(w.field))),
    WORKLOAD_FACT("task", k_request, text, "train, finetune, infer", word(K::task, w.task)),
    WORKLOAD_FACT("training", k_request, boolean, "train or finetune", boolean(w.training())),
    WORKLOAD_FACT("head", k_request, text, "lm, classification, detection, none", word(K::head, w.head)),
    WORKLOAD_FACT("method", k_request, text, "full, lora, qlora", word(K::method, w.method)),
    WORKLOAD_FACT("lora_rank", k_request, number, "rank of the adapters", number(w.lora_rank)),
    Fact{"workload.precision", Kind::text, k_card, "number format", [](const Subject& s) { return text(s.precision); }},
    Fact{"workload.precision_changed", Kind::boolean, k_card, "the card lacks the default precision, another is planned",
         [](const Subject& s) {
           return s.request && s.workload ? boolean(!(s.request->workload.precision == s.workload->precision)) : Datum{};
         }},
    WORKLOAD_FACT("amp", k_card, boolean, "mixed precision", boolean(is_amp(w.precision))),
    WORKLOAD_FACT("quantised", k_card, boolean, "weights are quantised", boolean(is_quantised(w.precision))),
    WORKLOAD_FACT("uses_bf16", k_card, boolean, "needs bfloat16 arithmetic", boolean(uses_bf16(w.precision))),
    WORKLOAD_FACT("uses_fp16", k_card, boolean, "fp16 or amp-fp16", boolean(is_kind(w, {PrecisionKind::fp16, PrecisionKind::amp_fp16}))),
    WORKLOAD_FACT("uses_fp32", k_card, boolean, "plain fp32", boolean(is_kind(w, {PrecisionKind::fp32}))),
    WORKLOAD_FACT("uses_tf32", k_card, boolean, "tf32", boolean(is_kind(w, {PrecisionKind::tf32}))),
    WORKLOAD_FACT("uses_fp8", k_card, boolean, "arithmetic in 8-bit floating point",
                  boolean(is_kind(w, {PrecisionKind::fp8, PrecisionKind::fp8_dynamic, PrecisionKind::mxfp8}))),
    WORKLOAD_FACT("uses_fp4", k_card, boolean, "arithmetic in 4-bit floating point",
                  boolean(is_kind(w, {PrecisionKind::fp4, PrecisionKind::nvfp4, PrecisionKind::mxfp4}))),
    WORKLOAD_FACT("bitsandbytes_4bit", k_card, boolean, "weights in a 4-bit format that bitsandbytes serves",
                  boolean(stored_as(w, PrecisionKind::nf4) || (calls_bitsandbytes(w) && stored_as(w, PrecisionKind::int4)))),
    WORKLOAD_FACT("llm_int8", k_card, boolean, "8-bit weights that bitsandbytes serves",
                  boolean(calls_bitsandbytes(w) && stored_as(w, PrecisionKind::int8))),
    WORKLOAD_FACT("optimizer", k_request, text, "optimizer", word(K::optimizer, w.optimizer)),
    WORKLOAD_FACT("batch", k_request, number, "samples per GPU in one micro-batch", number(w.batch)),
    WORKLOAD_FACT("accumulate", k_request, number, "micro-batches per optimizer step", number(w.accumulate)),
    WORKLOAD_FACT("seq", k_request, number, "tokens of a sample", w.seq > 0.0 ? number(w.seq) : Datum{}),
    WORKLOAD_FACT("prompt_len", k_request, number, "tokens of the prompt", w.prompt_len > 0.0 ? number(w.prompt_len) : Datum{}),
    WORKLOAD_FACT("gen_len", k_request, number, "tokens to generate", w.gen_len > 0.0 ? number(w.gen_len) : Datum{}),
    WORKLOAD_FACT("concurrency", k_request, number, "requests in flight", number(w.concurrency)),
    WORKLOAD_FACT("image_height", k_request, number, "pixels", w.image.height > 0.0 ? number(w.image.height) : Datum{}),
    WORKLOAD_FACT("image_width", k_request, number, "pixels", w.image.width > 0.0 ? number(w.image.width) : Datum{}),
    WORKLOAD_FACT("frames", k_request, number, "frames or depth", number(w.image.frames)),
    WORKLOAD_FACT("steps", k_request, number, "denoising steps", w.steps > 0.0 ? number(w.steps) : Datum{}),
    WORKLOAD_FACT("classes", k_request, number, "outputs of the head", w.classes > 0.0 ? number(w.classes) : Datum{}),
    WORKLOAD_FACT("grad_checkpointing", k_request, text, "none, selective, full", word(K::grad_checkpointing, w.checkpointing)),
    WORKLOAD_FACT("attention", k_request, text, "eager, sdpa, flash", word(K::attention, w.attention)),
    WORKLOAD_FACT("loss", k_request, text, "standard, fused", word(K::loss, w.loss)),
    WORKLOAD_FACT("compile", k_request, boolean, "torch.compile", boolean(w.compile)),
    WORKLOAD_FACT("vae_tiling", k_request, boolean, "images are decoded in tiles", boolean(w.vae_tiling)),
    WORKLOAD_FACT("channels_last", k_request, boolean, "NHWC tensors", boolean(w.channels_last)),
    WORKLOAD_FACT("cudnn_benchmark", k_request, boolean, "cuDNN tries its algorithms", boolean(w.cudnn_benchmark)),
    WORKLOAD_FACT("train_embeddings", k_request, boolean, "embeddings are trained beside adapters", boolean(w.train_embeddings)),
    WORKLOAD_FACT("enforce_eager", k_request, boolean, "no CUDA graphs", boolean(w.enforce_eager)),
    WORKLOAD_FACT("stack", k_request, text, "training program", word(K::stack, w.stack)),
    WORKLOAD_FACT("engine", k_request, text, "program that runs the model", word(K::engine, w.engine)),
    WORKLOAD_FACT("offload", k_request, text, "what is kept in host memory", word(K::offload, w.offload.kind)),
    WORKLOAD_FACT("gpus", k_card, number, "GPUs per node", number(w.gpus)),
    WORKLOAD_FACT("nodes", k_card, number, "nodes", number(w.nodes)),
    WORKLOAD_FACT("all_gpus", k_card, number, "GPUs of all nodes", number(w.all_gpus())),
    WORKLOAD_FACT("strategy", k_card, text, "how the work is split", word(K::strategy, w.strategy)),
    WORKLOAD_FACT("tp", k_card, number, "tensor-parallel degree", number(w.tp)),
    WORKLOAD_FACT("pp", k_card, number, "pipeline-parallel degree", number(w.pp)),
    WORKLOAD_FACT("dataset_size", k_request, number, "samples of the dataset", number(w.dataset_size)),
    WORKLOAD_FACT("epochs", k_request, number, "passes over the dataset", number(w.epochs)),
    REQUEST_FACT("model.id", text, "catalog id", text(r.model.id)),
    REQUEST_FACT("model.family", text, "family", text(r.model.family)),
    REQUEST_FACT("model.experts", number, "experts of a mixture",
                 r.model.transformer() != nullptr ? number(r.model.transformer()->moe.experts) : Datum{}),
    REQUEST_FACT("model.params", number, "parameters", number(r.model.params())),
    REQUEST_FACT("model.params_b", number, "parameters in billions", number(r.model.params() / 1e9)),
    REQUEST_FACT("request.precision_given", boolean, "the user chose the precision", boolean(r.origins[K::precision] >= Origin::file)),
    REQUEST_FACT("request.gpus_given", boolean, "the user chose the number of GPUs", boolean(r.origins[K::gpus] >= Origin::file)),
    REQUEST_FACT("request.strategy_given", boolean, "the user chose the strategy", boolean(r.origins[K::strategy] >= Origin::file)),
    REQUEST_FACT("request.gpus", number, "GPUs asked for", number(r.workload.all_gpus())),
    REQUEST_FACT("request.fp32", boolean, "fp32 training was asked for, or is the default",
                 boolean(r.workload.training() && r.workload.precision.kind == PrecisionKind::fp32)),
    REQUEST_FACT("request.amp_fp16", boolean, "fp16 mixed precision is asked for",
                 boolean(r.workload.precision.kind == PrecisionKind::amp_fp16)),
});
static_assert(k_facts.size() < 256);

#undef REQUEST_FACT
#undef WORKLOAD_FACT

}  // namespace

std::span<const Fact> workload_facts() {
  return k_facts;
}

}  // namespace gpuadvise::rules
