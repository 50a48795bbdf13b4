#include "workload/keys.hpp"

#include "units/lower_case.hpp"
#include "workload/choices.hpp"

#include <array>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;
using V = ValueKind;
using G = KeyGroup;
using W = Workload;

template <auto Member>
constexpr EnumSlot enum_slot() {
  return {[](const W& w) { return static_cast<std::uint8_t>(w.*Member); },
          [](W& w, std::uint8_t value) { w.*Member = static_cast<std::remove_reference_t<decltype(w.*Member)>>(value); }};
}

constexpr KeySpec text(K key, std::string_view name, G group, std::string_view help, V kind = V::text) {
  return {key, name, kind, group, help, {}, 0.0, 0.0, {}, {}};
}
constexpr KeySpec count(K key, std::string_view name, G group, std::string_view help, std::string_view unit, double high, Slot slot) {
  return {key, name, V::count, group, help, unit, 1.0, high, {}, slot};
}
constexpr KeySpec count_from_zero(K key, std::string_view name, G group, std::string_view help, std::string_view unit, double high,
                                  Slot slot) {
  return {key, name, V::count, group, help, unit, 0.0, high, {}, slot};
}
constexpr KeySpec number(K key, std::string_view name, G group, std::string_view help, std::string_view unit, double low, double high,
                         Slot slot) {
  return {key, name, V::number, group, help, unit, low, high, {}, slot};
}
constexpr KeySpec flag(K key, std::string_view name, G group, std::string_view help, bool W::*slot) {
  return {key, name, V::boolean, group, help, {}, 0.0, 1.0, {}, slot};
}
constexpr KeySpec choice(K key, std::string_view name, G group, std::string_view help, std::span<const Choice> choices, Slot slot) {
  return {key, name, V::choice, group, help, {}, 0.0, 0.0, choices, slot};
}

// Limits are there to catch slips (1e99, a price in the wrong flag), well above anything that was ever run.
constexpr double k_most_samples = 1e9;
constexpr double k_most_tokens = 1e8;
constexpr double k_most_gpus = 1e6;
constexpr double k_most_work = 1e18;

constexpr auto k_keys = std::to_array<KeySpec>({
    text(K::model, "model", G::model, "catalog id, alias or Hugging Face id"),
    text(K::config, "config", G::model, "the library's configuration name of the model"),
    text(K::model_file, "model_file", G::model, "config.json, .safetensors, .gguf or .onnx"),
    {K::params, "params", V::size, G::model, "number of parameters, where no model is named", "7B, 350M", 1.0, 1e14, {}, {}},
    choice(K::field, "field", G::model, "usual job of a kind of network; with model a check", k_field_words, enum_slot<&W::field>()),
    choice(K::task, "task", G::task, "what is run", k_task_words, enum_slot<&W::task>()),
    choice(K::head, "head", G::task, "output head", k_head_words, enum_slot<&W::head>()),
    choice(K::method, "method", G::training, "all weights, or low-rank adapters", k_method_words, enum_slot<&W::method>()),
    count(K::lora_rank, "lora_rank", G::training, "rank of the adapters", "", 65536, &W::lora_rank),
    text(K::lora_targets, "lora_targets", G::training, "layers that get an adapter", V::lora_targets),
    text(K::precision, "precision", G::task, "number format of weights and arithmetic", V::precision),
    text(K::weights, "weights", G::training, "storage of a frozen base", V::precision),
    text(K::kv_precision, "kv_precision", G::inference, "number format of the key-value cache, or K/V", V::kv_precision),
    choice(K::mla, "mla", G::inference, "how latent attention is computed", k_mla_words, enum_slot<&W::mla>()),
    choice(K::optimizer, "optimizer", G::training, "optimizer", k_optimizer_words, enum_slot<&W::optimizer>()),
    count(K::batch, "batch", G::task, "samples per GPU in one micro-batch", "samples", k_most_samples, &W::batch),
    count(K::accumulate, "accumulate", G::training, "micro-batches per optimizer step", "", 1e6, &W::accumulate),
    count(K::seq, "seq", G::task, "tokens of a sample (prompt + generated)", "tokens", k_most_tokens, &W::seq),
    count_from_zero(K::prompt_len, "prompt_len", G::inference, "tokens of the prompt", "tokens", k_most_tokens, &W::prompt_len),
    count_from_zero(K::gen_len, "gen_len", G::inference, "tokens to generate", "tokens", k_most_tokens, &W::gen_len),
    count(K::concurrency, "concurrency", G::inference, "requests in flight", "", 1e6, &W::concurrency),
    {K::image, "image", V::image, G::task, "image size: 224, or h,w, or frames,h,w", "pixels", 1.0, 1e5, {}, {}},
    {K::resolution, "resolution", V::resolution, G::task, "size of generated images: WxH or WxHxNf", "pixels", 1.0, 1e5, {}, {}},
    count(K::steps, "steps", G::inference, "denoising steps", "", 1e5, &W::steps),
    count(K::classes, "classes", G::task, "outputs of the head", "", 1e8, &W::classes),
    choice(K::grad_checkpointing, "grad_checkpointing", G::training, "recompute activations in the backward pass", k_checkpointing_words,
           enum_slot<&W::checkpointing>()),
    choice(K::attention, "attention", G::task, "attention kernel", k_attention_words, enum_slot<&W::attention>()),
    choice(K::loss, "loss", G::training, "plain or fused loss over the vocabulary", k_loss_words, enum_slot<&W::loss>()),
    flag(K::compile, "compile", G::task, "torch.compile", &W::compile),
    flag(K::channels_last, "channels_last", G::task, "NHWC tensors", &W::channels_last),
    flag(K::train_embeddings, "train_embeddings", G::training, "train embeddings and head beside adapters", &W::train_embeddings),
    flag(K::cudnn_benchmark, "cudnn_benchmark", G::training, "let cuDNN try its algorithms", &W::cudnn_benchmark),
    flag(K::fuse_qkv, "fuse_qkv", G::inference, "fused query-key-value projections", &W::fuse_qkv),
    flag(K::vae_tiling, "vae_tiling", G::inference, "decode images in tiles, one sample at a time", &W::vae_tiling),
    flag(K::full_seq_logits, "full_seq_logits", G::inference, "logits for the whole prompt (transformers < 4.45)", &W::full_seq_logits),
    flag(K::enforce_eager, "enforce_eager", G::inference, "no CUDA graphs", &W::enforce_eager),
    flag(K::flash_attn, "flash_attn", G::inference, "the engine's flash attention", &W::flash_attn),
    choice(K::cuda_module_loading, "cuda_module_loading", G::task, "when CUDA kernels are loaded", k_loading_words,
           enum_slot<&W::module_loading>()),
    text(K::frozen, "frozen", G::training, "parts that are not trained", V::frozen),
    choice(K::stack, "stack", G::training, "training program, a preset of other keys", k_stack_words, enum_slot<&W::stack>()),
    count(K::gpus, "gpus", G::parallel, "GPUs per node", "", k_most_gpus, &W::gpus),
    count(K::nodes, "nodes", G::parallel, "nodes", "", k_most_gpus, &W::nodes),
    choice(K::strategy, "strategy", G::parallel, "how the work is split over GPUs", k_strategy_words, enum_slot<&W::strategy>()),
    count(K::tp, "tp", G::parallel, "tensor-parallel degree", "", k_most_gpus, &W::tp),
    count(K::pp, "pp", G::parallel, "pipeline-parallel degree", "", k_most_gpus, &W::pp),
    count(K::cp, "cp", G::parallel, "context-parallel degree", "", k_most_gpus, &W::cp),
    number(K::network_gbit_s, "network_gbit_s", G::parallel, "network link of each node", "Gbit/s", 0.001, 1e5, &W::network_gbit_s),
    flag(K::nvlink_bridge, "nvlink_bridge", G::parallel, "pairs of PCIe cards are joined by NVLink bridges", &W::nvlink_bridge),
    {K::offload, "offload", V::offload, G::parallel, "what is kept in host memory", "", 0.0, 1e5, k_offload_words, {}},
    choice(K::engine, "engine", G::task, "program that runs the model", k_engine_words, enum_slot<&W::engine>()),
    number(K::gpu_memory_utilization, "gpu_memory_utilization", G::inference, "share of the card a server reserves", "0..1", 0.01, 1.0,
           &W::gpu_memory_utilization),
    count(K::max_num_seqs, "max_num_seqs", G::inference, "sequences a server schedules at once", "", 1e6, &W::max_num_seqs),
    count(K::max_num_batched_tokens, "max_num_batched_tokens", G::inference, "tokens a server runs in one pass", "tokens", k_most_tokens,
          &W::max_num_batched_tokens),
    count(K::n_batch, "n_batch", G::inference, "llama.cpp: logical batch", "tokens", k_most_tokens, &W::n_batch),
    count(K::n_ubatch, "n_ubatch", G::inference, "llama.cpp: physical batch", "tokens", k_most_tokens, &W::n_ubatch),
    {K::embedding_rows, "embedding_rows", V::size, G::model, "rows of a recommender's tables", "", 1.0, 1e13, {}, {}},
    {K::embedding_dim, "embedding_dim", V::count, G::model, "width of a recommender's tables", "", 1.0, 1e6, {}, {}},
    number(K::gpu_memory_gib, "gpu_memory_gib", G::parallel, "memory of a card that is not in the catalog", "GiB", 0.25, 4096,
           &W::gpu_memory_gib),
    {K::dataset_size, "dataset_size", V::size, G::amount, "samples of the data set", "samples", 1.0, k_most_work, {}, &W::dataset_size},
    number(K::epochs, "epochs", G::amount, "passes over the data set", "", 1e-6, 1e9, &W::epochs),
    {K::steps_total, "steps_total", V::size, G::amount, "optimizer steps of the run", "", 1.0, k_most_work, {}, &W::steps_total},
    {K::tokens_total, "tokens_total", V::size, G::amount, "tokens of the run", "tokens", 1.0, k_most_work, {}, &W::tokens_total},
});
static_assert(k_keys.size() == k_workload_keys);

constexpr bool keys_in_order() {
  for (std::size_t i = 0; i < k_keys.size(); ++i) {
    if (static_cast<std::size_t>(k_keys[i].key) != i || k_keys[i].help.size() > 60) {
      return false;
    }
  }
  return true;
}
static_assert(keys_in_order());

bool same_key(std::string_view name, std::string_view text) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != (text[i] == '-' ? '_' : lower_case(text[i]))) {
      return false;
    }
  }
  return true;
}

// Letters and digits decide: "llama.cpp", "llama_cpp" and "LlamaCpp" are one word.
bool same_word(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    while (i < a.size() && !is_letter_or_digit(a[i])) {
      ++i;
    }
    while (j < b.size() && !is_letter_or_digit(b[j])) {
      ++j;
    }
    if (i == a.size() || j == b.size()) {
      return i == a.size() && j == b.size();
    }
    if (lower_case(a[i++]) != lower_case(b[j++])) {
      return false;
    }
  }
}

// "caffe2 0.8.1" -> "caffe2", "lionw/adamw (decoupled)" -> "lionw/adamw", then "lionw".
std::string_view without_remark(std::string_view text) {
  const auto paren = text.find('(');
  if (paren != std::string_view::npos && paren > 0) {
    return text.substr(0, paren);
  }
  const auto space = text.rfind(' ');
  if (space != std::string_view::npos && space + 1 < text.size() && text[space + 1] >= '0' && text[space + 1] <= '9') {
    return text.substr(0, space);
  }
  const auto slash = text.find('/');
  return slash == std::string_view::npos ? text : text.substr(0, slash);
}

}  // namespace

std::span<const KeySpec> keys() {
  return k_keys;
}

const KeySpec& spec_of(WorkloadKey key) {
  return k_keys[static_cast<std::size_t>(key)];
}

const KeySpec* find_key(std::string_view name) {
  for (const KeySpec& spec : k_keys) {
    if (spec.name.size() == name.size() && same_key(spec.name, name)) {
      return &spec;
    }
  }
  return nullptr;
}

const Choice* find_word(std::span<const Choice> choices, std::string_view text) {
  // No word is that long; the bound keeps hostile text cheap. Each round takes one remark away.
  if (text.size() > 80) {
    return nullptr;
  }
  while (!text.empty()) {
    for (const Choice& candidate : choices) {
      if (same_word(candidate.name, text)) {
        return &candidate;
      }
    }
    const std::string_view shorter = without_remark(text);
    if (shorter.size() == text.size()) {
      break;
    }
    text = shorter;
  }
  return nullptr;
}

std::optional<std::uint8_t> find_choice(std::span<const Choice> choices, std::string_view text) {
  const Choice* found = find_word(choices, text);
  return found == nullptr ? std::nullopt : std::optional<std::uint8_t>(found->value);
}

std::string_view choice_name(std::span<const Choice> choices, std::uint8_t value) {
  for (const Choice& candidate : choices) {
    if (candidate.value == value) {
      return candidate.name;
    }
  }
  return {};
}

}  // namespace gpuadvise::workload
