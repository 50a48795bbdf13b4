#include "advise/change.hpp"

#include <gpuadvise/error.hpp>

#include "advise/change_apply.hpp"
#include "units/whole_text.hpp"
#include "workload/keys.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::advise {
namespace {

constexpr double k_bf16_capability = 8.0;

constexpr Touches k_precision = 1;
constexpr Touches k_recompute = 2;
constexpr Touches k_optimizer = 4;
constexpr Touches k_states = 8;
constexpr Touches k_place = 16;
constexpr Touches k_batch = 32;
constexpr Touches k_size = 64;
constexpr Touches k_gpus = 128;

// Risks, by what guides say of the result: adapters come close to full tuning, four bits lose more than eight.
constexpr auto k_changes = std::to_array<Change>({
    {ChangeId::sdpa, "sdpa", "fused attention", k_same_result, 0, 0, false, true, use_sdpa},
    {ChangeId::fused_loss, "fused_loss", "fused loss", k_same_result, 0, 0, false, false, use_fused_loss},
    {ChangeId::mixed_precision, "amp", "mixed precision", "nearly the same result", 0.02, k_precision, false, true, use_mixed_precision},
    {ChangeId::bf16_weights, "bf16_weights", "weights and optimizer states in bf16", "small updates are rounded away: watch the loss", 0.3,
     k_precision, false, false, keep_weights_in_bf16},
    {ChangeId::selective_checkpointing, "selective_checkpointing", "selective checkpointing", k_same_result, 0, k_recompute, false, false,
     checkpoint_selectively},
    {ChangeId::checkpointing, "grad_checkpointing", "gradient checkpointing", k_same_result, 0, k_recompute, false, false, checkpoint_all},
    {ChangeId::optimizer_8bit, "optimizer_8bit", "8-bit optimizer", "nearly the same result", 0.1, k_optimizer | k_states, false, false,
     use_8bit_optimizer},
    {ChangeId::paged_optimizer, "paged_optimizer", "paged 8-bit optimizer", "nearly the same result; its states may go to host memory",
     0.12, k_optimizer | k_states, false, false, page_optimizer},
    {ChangeId::sgd, "sgd", "plain SGD", "the usual way to train tables; the learning rate is another", 0.02, k_optimizer, false, true,
     use_plain_sgd},
    {ChangeId::lora, "lora", "LoRA adapters", "trains few weights: usually close to full tuning", 0.4, k_precision | k_optimizer, false,
     false, adapt_with_lora},
    {ChangeId::qlora, "qlora", "QLoRA: adapters on 4-bit weights", "trains few weights on a base of slightly lower quality", 0.5,
     k_precision | k_optimizer, false, false, adapt_with_qlora},
    {ChangeId::half_precision, "half_precision", "half precision", "nearly the same result", 0.02, k_precision, false, true,
     run_in_half_precision},
    {ChangeId::kv_8bit, "kv_8bit", "8-bit key-value cache", "nearly the same result", 0.15, 0, false, false, use_8bit_cache},
    {ChangeId::int8, "int8", "8-bit weights", "slightly lower quality", 0.25, k_precision, false, false, quantise_to_8_bits},
    {ChangeId::int4, "int4", "4-bit weights", "lower quality", 0.5, k_precision, false, false, quantise_to_4_bits},
    {ChangeId::gguf, "gguf", "4-bit weights in llama.cpp", "lower quality; another program", 0.6, k_precision, false, false,
     run_in_llama_cpp},
    {ChangeId::vae_tiling, "vae_tiling", "images decoded in tiles", "same result but for faint seams", 0, 0, false, false, decode_in_tiles},
    {ChangeId::offload_activations, "offload_activations", "activations in host memory", k_same_result, 0, k_place, false, false,
     move_activations_to_host},
    {ChangeId::offload_optimizer, "offload_optimizer", "optimizer states in host memory", k_same_result, 0,
     k_place | k_states | k_optimizer, false, false, move_optimizer_to_host},
    {ChangeId::offload_params, "offload_params", "weights and optimizer states in host memory", k_same_result, 0, k_place | k_states, false,
     false, move_params_to_host},
    {ChangeId::offload_model, "offload", "idle parts of the pipeline in host memory", "same result, slower", 0, k_place, false, false,
     move_idle_models_to_host},
    {ChangeId::offload_sequential, "offload_sequential", "the pipeline in host memory, module by module on the card",
     "same result, several times slower", 0, k_place, false, false, move_modules_to_host},
    {ChangeId::offload_experts, "offload_experts", "experts in host memory", k_same_result, 0, k_place, false, false, move_experts_to_host},
    {ChangeId::offload_layers, "offload_layers", "part of the layers in host memory", k_same_result, 0, k_place, true, false,
     move_layers_to_host},
    {ChangeId::accumulate, "accumulate", "gradient accumulation", k_same_result, 0, k_batch, true, false, accumulate_gradients},
    {ChangeId::fewer_requests, "fewer_requests", "fewer requests at a time", "the others wait", 0.1, k_batch, true, false,
     take_fewer_requests},
    {ChangeId::smaller_batch, "smaller_batch", "smaller batch", k_same_result, 0, k_batch, true, false, take_smaller_batch},
    {ChangeId::shorter, "shorter_sequence", "shorter sequence", "cuts longer texts", 0.2, k_size, true, false, shorten_sequence},
    {ChangeId::smaller_image, "smaller_image", "smaller image", "fine detail is lost", 0.2, k_size, true, false, shrink_image},
    {ChangeId::share_batch, "share_batch", "several GPUs that share the batch", "more cards", 0, k_batch | k_gpus, true, false,
     share_batch},
    {ChangeId::shard, "shard", "several GPUs that pool their memory", "more cards", 0, k_gpus, true, false, shard_over_gpus},
});

constexpr double k_risk_of_a_4_bit_base = 0.15;

constexpr bool in_order() {
  for (std::size_t i = 0; i < k_changes.size(); ++i) {
    if (static_cast<std::size_t>(k_changes[i].id) != i) {
      return false;
    }
  }
  return k_changes.size() == static_cast<std::size_t>(ChangeId::count_);
}
static_assert(in_order());

std::string pixels(const ImageSize& image) {
  return whole_text(image.width) + " x " + whole_text(image.height);
}

std::string strategy_name(const Workload& workload) {
  return std::string(workload::name_of(WorkloadKey::strategy, workload.strategy));
}

bool uses_trainer(const Changed& c) {
  return c.workload.stack == Stack::hf_trainer || c.workload.stack == Stack::hf_deepspeed;
}

std::string autocast(const Workload& w) {
  return w.precision.kind == PrecisionKind::amp_fp16
             ? "torch.amp.autocast('cuda', dtype=torch.float16) with torch.amp.GradScaler('cuda') (Trainer: fp16=True)"
             : "torch.amp.autocast('cuda', dtype=torch.bfloat16) (Trainer: bf16=True)";
}

std::string adapters(const Changed& c) {
  const Workload& w = c.workload;
  const bool pipeline = c.request->model.diffusion() != nullptr;
  std::string modules;
  const auto add = [&modules, pipeline](bool wanted, std::string_view text, std::string_view diffusion) {
    if (wanted) {
      modules += (modules.empty() ? "'" : ", '") + std::string(pipeline ? diffusion : text) + "'";
    }
  };
  add(w.lora_targets.q, "q_proj", "to_q");
  add(w.lora_targets.k, "k_proj", "to_k");
  add(w.lora_targets.v, "v_proj", "to_v");
  add(w.lora_targets.o, "o_proj", "to_out.0");
  return "peft.LoraConfig(r=" + whole_text(w.lora_rank) + ", target_modules=[" + modules + "])";
}

std::string checkpointing_call(const Changed& c) {
  if (uses_trainer(c)) {
    return "gradient_checkpointing=True of TrainingArguments";
  }
  const Model& model = c.request->model;
  return model.transformer() != nullptr ? "model.gradient_checkpointing_enable()"
         : model.diffusion() != nullptr ? "enable_gradient_checkpointing() of the denoiser"
                                        : "torch.utils.checkpoint(block, x, use_reentrant=False); timm: model.set_grad_checkpointing()";
}

std::string accumulation_call(const Changed& c) {
  const Workload& w = c.workload;
  const std::string steps = whole_text(w.accumulate);
  return uses_trainer(c)
             ? "per_device_train_batch_size=" + whole_text(w.batch) + ", gradient_accumulation_steps=" + steps + " of TrainingArguments"
             : "batch_size=" + whole_text(w.batch) + " in the loader, loss / " + steps + ", optimizer.step() every " + steps +
                   " micro-batches";
}

bool has_tables(const Changed& c) {
  return c.request->model.recommender() != nullptr;
}

std::string sharding_call(const Changed& c) {
  const Workload& w = c.workload;
  const std::string gpus = whole_text(w.gpus);
  if (has_tables(c)) {
    return "torchrun --nproc_per_node " + gpus + " with torchrec.distributed.DistributedModelParallel, which deals out the tables";
  }
  if (w.training()) {
    return w.strategy == Strategy::zero3 ? "deepspeed --num_gpus " + gpus + " with \"zero_optimization\": {\"stage\": 3}"
                                         : "torchrun --nproc_per_node " + gpus +
                                               " with torch.distributed.fsdp.fully_shard (Trainer: accelerate launch with fsdp_version: 2)";
  }
  switch (w.engine) {
    case Engine::vllm:
      return "vllm serve --tensor-parallel-size " + gpus;
    case Engine::sglang:
      return "sglang.launch_server --tp " + gpus;
    case Engine::tensorrt_llm:
      return "trtllm-serve --tp_size " + gpus;
    case Engine::llama_cpp:
      return "llama-server --split-mode layer over " + gpus + " GPUs";
    default:
      return "device_map='auto' over " + gpus + " GPUs";
  }
}

std::string length_call(const Workload& w) {
  switch (w.engine) {
    case Engine::vllm:
      return "--max-model-len " + whole_text(w.seq);
    case Engine::sglang:
      return "--context-length " + whole_text(w.seq);
    case Engine::llama_cpp:
      return "--ctx-size " + whole_text(w.seq);
    default:
      return w.training() ? "max_length=" + whole_text(w.seq) + " of the tokenizer or SFTConfig"
                          : "prompt and answer of at most " + whole_text(w.seq) + " tokens";
  }
}

std::string requests_call(const Workload& w) {
  const std::string count = whole_text(w.concurrency.value_or(1.0));
  return w.engine == Engine::vllm        ? "--max-num-seqs " + count
         : w.engine == Engine::sglang    ? "--max-running-requests " + count
         : w.engine == Engine::llama_cpp ? "--parallel " + count
                                         : count + " requests at a time";
}

std::string weights_call(const Workload& w, bool four_bits) {
  switch (w.engine) {
    case Engine::transformers:
      return four_bits ? "BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')" : "BitsAndBytesConfig(load_in_8bit=True)";
    case Engine::diffusers:
      return std::string("PipelineQuantizationConfig(quant_backend='bitsandbytes_") + (four_bits ? "4bit" : "8bit") + "')";
    case Engine::vllm:
    case Engine::sglang:
    case Engine::tensorrt_llm:
      return four_bits ? "an AWQ checkpoint of the model" : "an INT8 (W8A8) checkpoint of the model";
    default:
      return "a checkpoint in " + to_string(w.precision);
  }
}

std::string half_call(const Workload& w) {
  const std::string type = "torch." + std::string(w.precision.kind == PrecisionKind::bf16 ? "bfloat16" : "float16");
  switch (w.engine) {
    case Engine::pytorch:
      return "model.to(" + type + ")";
    case Engine::transformers:
      return "from_pretrained(..., dtype=" + type + ")";
    case Engine::diffusers:
      return "from_pretrained(..., torch_dtype=" + type + ")";
    default:
      return "weights in " + to_string(w.precision);
  }
}

std::string micro_batch(const Workload& w) {
  return "micro-batch " + whole_text(w.batch) + " x " + whole_text(w.accumulate) + " steps";
}

}  // namespace

bool Changed::holds(const Workload& candidate) const {
  const Figures figures = assessor->figures_of(candidate, *gpu);
  return assessor->acceptable(figures) && figures.fit->verdict <= worst;
}

std::optional<Workload> Changed::holds_with(const Setting& setting) const {
  std::vector<Setting> with = settings;
  with.push_back(setting);
  try {
    const Request read = options->with_settings(with);
    const Figures figures = estimate::evaluate(estimate::prepare(read.workload, read.model), gpu, estimate::default_use(*gpu, windows));
    return figures.fit && figures.fit->verdict <= worst ? std::optional<Workload>(read.workload) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::span<const Change> changes() {
  return k_changes;
}

const Change& change_of(ChangeId id) {
  return k_changes[static_cast<std::size_t>(id)];
}

bool adds_cards(ChangeId id) {
  return id == ChangeId::share_batch || id == ChangeId::shard;
}

bool has_bf16(const Gpu& gpu) {
  return gpu.tflops.bf16_tensor.has_value() || gpu.compute_capability.value_or(0.0) >= k_bf16_capability;
}

bool language_model(const Changed& changed) {
  return changed.request->model.transformer() != nullptr && changed.workload.head == Head::lm;
}

bool splittable(const Request& request) {
  return request.model.transformer() != nullptr || request.model.diffusion() != nullptr || request.model.recommender() != nullptr;
}

std::string title_of(const Change& change, const Changed& changed) {
  const Workload& w = changed.workload;
  std::string title(change.title);
  switch (change.id) {
    case ChangeId::accumulate:
      return title + " (" + micro_batch(w) + ")";
    case ChangeId::mixed_precision:
    case ChangeId::half_precision:
    case ChangeId::int8:
    case ChangeId::int4:
    case ChangeId::gguf:
      return title + " (" + to_string(w.precision) + ")";
    case ChangeId::lora:
    case ChangeId::qlora:
      return title + " (rank " + whole_text(w.lora_rank) + ")";
    case ChangeId::offload_params:
      return has_tables(changed) ? "tables in host memory" : title;
    case ChangeId::shard:
      if (has_tables(changed)) {
        return "tables divided over " + whole_text(w.all_gpus()) + " GPUs (" + strategy_name(w) + ")";
      }
      return whole_text(w.all_gpus()) + " GPUs that pool their memory (" + strategy_name(w) + ")";
    case ChangeId::share_batch:
      return (has_tables(changed) ? "tables divided over " : "") + whole_text(w.all_gpus()) + " GPUs with " + whole_text(w.batch) +
             " of the batch on each (ddp)";
    case ChangeId::smaller_batch:
      return "batch " + whole_text(w.batch);
    case ChangeId::fewer_requests:
      return whole_text(w.concurrency.value_or(1.0)) + " requests at a time";
    case ChangeId::shorter:
      return "sequence of " + whole_text(w.seq) + " tokens";
    case ChangeId::smaller_image:
      return "images of " + pixels(w.image);
    case ChangeId::offload_layers:
      return whole_text(w.offload.layers_on_gpu) + " of " + whole_text(changed.request->model.transformer()->layers) +
             " layers on the card, the others in host memory";
    default:
      return title;
  }
}

// Whoever trains adapters already loses only what four bits take from the frozen base.
double risk_of(const Change& change, const Changed& changed) {
  const bool adapters = changed.request->workload.method != Method::full;
  return change.id == ChangeId::qlora && adapters ? k_risk_of_a_4_bit_base : change.risk;
}

std::string effect_of(const Change& change, const Changed& changed) {
  const ImageProfile* profile = changed.request->model.image();
  if (change.id == ChangeId::accumulate && profile != nullptr && profile->batchnorms.value_or(0.0) > 0.0) {
    return "BatchNorm sees the micro-batch";
  }
  if (change.id == ChangeId::qlora && changed.request->workload.method != Method::full) {
    return "a frozen base of slightly lower quality";
  }
  const Gpu& gpu = *changed.gpu;
  if (change.id == ChangeId::mixed_precision && !gpu.tflops.fp16_tensor && gpu.tensor_cores.value_or(0.0) == 0.0) {
    return "nearly the same result; without tensor cores more memory is saved than time";
  }
  const bool owned = adds_cards(change.id) && changed.workload.all_gpus() <= changed.request->workload.all_gpus();
  return owned ? "exchanges weights in every step" : std::string(change.effect);
}

std::string how_of(const Change& change, const Changed& changed) {
  const Workload& w = changed.workload;
  switch (change.id) {
    case ChangeId::sdpa:
      return "attn_implementation='sdpa', or F.scaled_dot_product_attention";
    case ChangeId::fused_loss:
      return "Liger-Kernel or cut cross-entropy (Trainer: use_liger_kernel=True)";
    case ChangeId::mixed_precision:
      return autocast(w);
    case ChangeId::bf16_weights:
      return "model.to(torch.bfloat16), no autocast; stochastic rounding or Kahan summation where the optimizer has it";
    case ChangeId::selective_checkpointing:
      return "torch.utils.checkpoint with context_fn=create_selective_checkpoint_contexts (torchtitan: selective, op)";
    case ChangeId::checkpointing:
      return checkpointing_call(changed);
    case ChangeId::optimizer_8bit:
      return "bitsandbytes.optim.AdamW8bit (Trainer: optim='adamw_bnb_8bit')";
    case ChangeId::paged_optimizer:
      return "bitsandbytes.optim.PagedAdamW8bit (Trainer: optim='paged_adamw_8bit')";
    case ChangeId::sgd:
      return "torch.optim.SGD (torchrec: fused into the backward pass)";
    case ChangeId::lora:
      return adapters(changed);
    case ChangeId::qlora:
      return "BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True) with " + adapters(changed);
    case ChangeId::half_precision:
      return half_call(w);
    case ChangeId::kv_8bit:
      return w.engine == Engine::llama_cpp ? "--cache-type-k q8_0 --cache-type-v q8_0 --flash-attn on" : "--kv-cache-dtype fp8";
    case ChangeId::int8:
    case ChangeId::int4:
      return weights_call(w, change.id == ChangeId::int4);
    case ChangeId::gguf:
      return "llama-server with a file in " + to_string(w.precision);
    case ChangeId::vae_tiling:
      return "pipe.vae.enable_tiling() and pipe.vae.enable_slicing()";
    case ChangeId::offload_activations:
      return "torch.autograd.graph.save_on_cpu(pin_memory=True) around the forward pass";
    case ChangeId::offload_optimizer:
      return "DeepSpeed ZeRO stage 2 with \"offload_optimizer\": {\"device\": \"cpu\"}";
    case ChangeId::offload_params:
      if (has_tables(changed)) {
        return "torchrec: tables with the compute kernel FUSED_UVM_CACHING, rows in host memory";
      }
      return w.strategy == Strategy::fsdp ? "fully_shard(..., offload_policy=CPUOffloadPolicy())"
                                          : "DeepSpeed ZeRO stage 3 with \"offload_param\" and \"offload_optimizer\" to cpu";
    case ChangeId::offload_model:
      return w.engine == Engine::diffusers && w.precision.kind == PrecisionKind::int8
                 ? "pipe.enable_model_cpu_offload(), which moves 8-bit weights from bitsandbytes 0.48 on"
                 : "pipe.enable_model_cpu_offload()";
    case ChangeId::offload_sequential:
      return "pipe.enable_sequential_cpu_offload()";
    case ChangeId::offload_experts:
      return "llama-server --cpu-moe";
    case ChangeId::offload_layers:
      return w.engine == Engine::llama_cpp
                 ? "llama-server --n-gpu-layers " + whole_text(w.offload.layers_on_gpu)
                 : "device_map with " + whole_text(w.offload.layers_on_gpu) + " layers on the card, 'cpu' for the others";
    case ChangeId::accumulate:
      return accumulation_call(changed);
    case ChangeId::fewer_requests:
      return requests_call(w);
    case ChangeId::smaller_batch:
      return "a forward pass of " + whole_text(w.batch);
    case ChangeId::shorter:
      return length_call(w);
    case ChangeId::smaller_image:
      return changed.request->model.diffusion() != nullptr ? "height=" + whole_text(w.image.height) + ", width=" + whole_text(w.image.width)
                                                           : "resize to " + pixels(w.image) + " in the transforms";
    case ChangeId::share_batch:
      if (has_tables(changed)) {
        return sharding_call(changed) + ", batch_size=" + whole_text(w.batch) + " on each";
      }
      return "torchrun --nproc_per_node " + whole_text(w.gpus) + " with DistributedDataParallel, batch_size=" + whole_text(w.batch) +
             " on each";
    case ChangeId::shard:
      return sharding_call(changed);
    case ChangeId::count_:
      break;
  }
  return {};
}

void set(Changed& changed, std::string_view key, Value value) {
  // What is set counts as stated, as it will when the settings are read again.
  Given& given = changed.workload.given;
  given.batch = given.batch || key == "batch";
  given.seq = given.seq || key == "seq";
  given.lengths = given.lengths || key == "prompt_len";
  given.checkpointing = given.checkpointing || key == "grad_checkpointing";
  given.image = given.image || key == "image" || key == "resolution";
  const auto same = [key](const Setting& setting) { return setting.key == key; };
  const auto found = std::find_if(changed.settings.begin(), changed.settings.end(), same);
  if (found != changed.settings.end()) {
    found->value = std::move(value);
  } else {
    changed.settings.push_back({std::string(key), std::move(value), Origin::user});
  }
}

void set_precision(Changed& changed, PrecisionKind kind) {
  changed.workload.precision = {kind, GgufMix::none, 0.0, 0.0};
  set(changed, "precision", to_string(changed.workload.precision));
}

}  // namespace gpuadvise::advise
