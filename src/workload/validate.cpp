#include "workload/validate.hpp"

#include "workload/describe.hpp"
#include "workload/engine_formats.hpp"
#include "workload/keys.hpp"

#include <array>
#include <cmath>
#include <string>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

// "precision fp8 and engine llama.cpp exclude each other": both by name and value.
void conflict(Draft& draft, K one, K other, std::string hint) {
  const auto named = [&draft](K key) { return std::string(spec_of(key).name) + " " + value_text(draft.request, key); };
  draft.fault(ErrorCode::conflict, spec_of(one).name, named(one) + " and " + named(other) + " exclude each other", std::move(hint));
}

void check_task(Draft& draft) {
  const Workload& w = draft.request.workload;
  if (w.training()) {
    if (!engine_trains(w.engine)) {
      conflict(draft, K::engine, K::task, "this engine only runs models: engine pytorch, or task infer");
    }
    return;
  }
  if (w.method != Method::full) {
    conflict(draft, K::method, K::task, "adapters are trained: task finetune, or leave method away");
  } else if (draft.stated(K::lora_rank)) {
    conflict(draft, K::lora_rank, K::task, "adapters are trained: task finetune");
  }
  if (w.optimizer != Optimizer::none) {
    conflict(draft, K::optimizer, K::task, "inference has no optimizer: task train or finetune, or leave it away");
  }
  if (w.checkpointing != Checkpointing::none) {
    conflict(draft, K::grad_checkpointing, K::task, "inference keeps no activations: task train or finetune, or leave it away");
  }
  if (w.offload.kind == OffloadKind::optimizer || w.offload.kind == OffloadKind::activations) {
    conflict(draft, K::offload, K::task, "inference has neither: offload params, model, sequential or layers:<n>");
  }
}

void check_precision(Draft& draft) {
  const Workload& w = draft.request.workload;
  if (w.training()) {
    if (!trains_in(w.precision)) {
      conflict(draft, K::precision, K::task,
               "weights in this format cannot be trained: precision bf16 with method lora and weights int8, or method qlora");
    }
  } else if (!engine_runs(w.engine, w.precision)) {
    conflict(draft, K::precision, K::engine, std::string(engine_formats_hint(w.engine)));
  }
  if (w.training() && w.weights && is_quantised(*w.weights) && w.method == Method::full) {
    conflict(draft, K::weights, K::method, "only a frozen base can be stored so: method lora or qlora");
  }
  if (w.training() && w.method == Method::qlora && w.weights && !is_quantised(*w.weights)) {
    conflict(draft, K::weights, K::method, "qlora is adapters on quantised weights: weights nf4, or method lora");
  }
}

void check_sizes(Draft& draft) {
  if (draft.image && draft.resolution) {
    const ImageSize& a = *draft.image;
    const ImageSize& b = *draft.resolution;
    const bool frames_differ = a.frames >= 1 && b.frames >= 1 && a.frames != b.frames;
    if (a.height != b.height || a.width != b.width || frames_differ) {
      draft.fault(ErrorCode::conflict, "image", "image and resolution differ", "they mean the same: give one of them");
    }
  }
  const Workload& w = draft.request.workload;
  if (!w.training() && draft.stated(K::seq) && w.prompt_len + w.gen_len > w.seq &&
      (draft.stated(K::prompt_len) || draft.stated(K::gen_len))) {
    draft.fault(
        ErrorCode::conflict, "seq",
        "seq " + number_text(w.seq) + " is less than prompt_len " + number_text(w.prompt_len) + " + gen_len " + number_text(w.gen_len),
        "seq counts both: raise it, or leave it away");
  }
  const TransformerShape* shape = draft.request.model.transformer();
  if (shape != nullptr && shape->max_context >= 1 && w.seq > shape->max_context && draft.stated(K::seq)) {
    draft.note("beyond-context", Severity::warn,
               "seq " + number_text(w.seq) + " is more than the model's context of " + number_text(shape->max_context) + " tokens");
  }
}

void check_parallel(Draft& draft) {
  const Workload& w = draft.request.workload;
  const double degrees = w.tp * w.pp * w.cp;
  if (degrees <= 1) {
    return;
  }
  const double groups = w.all_gpus() / degrees;
  if (groups != std::floor(groups)) {
    draft.fault(ErrorCode::conflict, "gpus",
                "gpus " + number_text(w.all_gpus()) + " in all cannot be split into groups of tp " + number_text(w.tp) + " x pp " +
                    number_text(w.pp) + " x cp " + number_text(w.cp),
                "gpus x nodes must be a multiple of tp x pp x cp");
  }
}

// More cards than this are several nodes whatever they are called: no usual machine holds them.
constexpr double k_cards_of_a_node = 8;

void check_links(Draft& draft) {
  const Workload& w = draft.request.workload;
  if (draft.stated(K::nvlink_bridge) && w.nvlink_bridge && w.gpus <= 1) {
    draft.fault(ErrorCode::conflict, "nvlink_bridge", "nvlink_bridge has no effect with one GPU in a machine",
                "a bridge joins two cards: add gpus 2, or leave it away");
  }
  const bool one_node = w.nodes <= 1 && w.gpus <= k_cards_of_a_node;
  if (draft.stated(K::network_gbit_s) && one_node) {
    draft.fault(ErrorCode::conflict, "network_gbit_s", "network_gbit_s has no effect with one node",
                "it is the link between nodes: add nodes 2 or more, or leave it away");
  } else if (!draft.stated(K::network_gbit_s) && w.nodes > 1) {
    draft.note(
        "network-assumed", Severity::note,
        "network_gbit_s is not given: assumed 400 Gbit/s for each GPU on SXM and OAM boards, 100 Gbit/s for each node of other cards");
  }
}

// Each states the length of the run; dataset_size beside steps or tokens still gives the time of an epoch.
void check_amount(Draft& draft) {
  const bool steps = draft.stated(K::steps_total);
  const bool tokens = draft.stated(K::tokens_total);
  const std::string hint = "both say how long the run is: give one of epochs, steps_total and tokens_total";
  if (steps && tokens) {
    conflict(draft, K::steps_total, K::tokens_total, hint);
  }
  if (draft.stated(K::epochs) && (steps || tokens)) {
    conflict(draft, K::epochs, steps ? K::steps_total : K::tokens_total, hint);
  }
}

void check_offload(Draft& draft) {
  const Workload& w = draft.request.workload;
  const bool by_layers =
      w.engine == Engine::llama_cpp || w.engine == Engine::exllama || w.engine == Engine::transformers || w.engine == Engine::other;
  if (w.offload.kind == OffloadKind::layers && (w.training() || !by_layers)) {
    conflict(draft, K::offload, K::engine, "layers are placed one by one by engine llama.cpp");
  }
  const bool by_module = w.offload.kind == OffloadKind::model || w.offload.kind == OffloadKind::sequential;
  if (by_module && w.field != Field::diffusion) {
    draft.fault(ErrorCode::conflict, "offload", "offload " + value_text(draft.request, K::offload) + " is for diffusion pipelines only",
                w.training() ? "offload optimizer, params or activations" : "offload params, or layers:<n> with engine llama.cpp");
  }
  // Its hooks move each module through the CPU without the state that bitsandbytes keeps beside the weights (diffusers #10800).
  if (w.offload.kind == OffloadKind::sequential && !w.training() && by_bitsandbytes(w.engine, w.precision)) {
    conflict(draft, K::precision, K::offload, "enable_sequential_cpu_offload() cannot move weights of bitsandbytes: offload model");
  }
}

// A speed that is asked for without a batch is what programs are measured at, and it takes more memory than batch 1.
void note_open_batch(Draft& draft) {
  const Model& model = draft.request.model;
  const TransformerShape* shape = model.transformer();
  const bool encodes = shape != nullptr && (model.field == Field::encoder || shape->kind == TransformerKind::encoder ||
                                            shape->kind == TransformerKind::embedding_decoder);
  if (draft.request.origins[K::batch] <= Origin::fallback && (model.image() != nullptr || model.recommender() != nullptr || encodes)) {
    draft.note("batch-open", Severity::warn,
               "no batch is given: the memory is that of batch 1, the speed that of a batch that fills a card; give batch to have both of "
               "one run");
  }
}

// Given, understood, and without any effect: allowed, but said.
void note_idle_settings(Draft& draft) {
  const Workload& w = draft.request.workload;
  static constexpr auto training_only =
      std::to_array<K>({K::accumulate, K::loss, K::train_embeddings, K::frozen, K::stack, K::weights, K::lora_targets});
  static constexpr auto inference_only =
      std::to_array<K>({K::kv_precision, K::prompt_len, K::gen_len, K::concurrency, K::steps, K::gpu_memory_utilization, K::max_num_seqs,
                        K::max_num_batched_tokens, K::n_batch, K::n_ubatch, K::enforce_eager, K::vae_tiling});
  static constexpr auto text_only =
      std::to_array<K>({K::seq, K::prompt_len, K::gen_len, K::mla, K::loss, K::lora_rank, K::lora_targets, K::train_embeddings,
                        K::full_seq_logits, K::flash_attn, K::embedding_rows, K::embedding_dim});
  static constexpr auto image_only = std::to_array<K>({K::steps, K::channels_last, K::cudnn_benchmark, K::frozen, K::fuse_qkv});
  static constexpr auto pipeline_only = std::to_array<K>({K::vae_tiling});
  const auto say = [&draft](const auto& idle, std::string_view where) {
    for (const K key : idle) {
      if (draft.stated(key)) {
        draft.note("setting-ignored", Severity::warn, std::string(spec_of(key).name) + " has no effect " + std::string(where));
      }
    }
  };
  if (w.training()) {
    say(inference_only, "in training");
  } else {
    say(training_only, "in inference");
  }
  if (draft.request.model.image() != nullptr) {
    say(text_only, "on an image network");
  } else if (draft.request.model.transformer() != nullptr) {
    say(image_only, "on a language model");
  }
  if (draft.request.model.diffusion() == nullptr) {
    say(pipeline_only, "without a diffusion pipeline");
  }
  if (w.training() && w.method == Method::full && draft.stated(K::lora_rank)) {
    conflict(draft, K::lora_rank, K::method, "method lora or qlora");
  }
}

}  // namespace

void validate(Draft& draft) {
  check_task(draft);
  check_precision(draft);
  check_sizes(draft);
  check_parallel(draft);
  check_links(draft);
  check_offload(draft);
  check_amount(draft);
  note_idle_settings(draft);
  note_open_batch(draft);
}

}  // namespace gpuadvise::workload
