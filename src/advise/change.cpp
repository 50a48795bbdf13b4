#include "advise/change.hpp"

#include "advise/smallest_change.hpp"
#include "workload/engine_formats.hpp"
#include "workload/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::advise {
namespace {

constexpr double k_bf16_capability = 8.0;
constexpr double k_long_sequence = 1024.0;

std::string whole(double value) {
  return std::to_string(static_cast<long long>(value));
}

bool language_model(const Changed& c) {
  return c.request->model.transformer() != nullptr && c.workload.head == Head::lm;
}

bool has_bf16(const Gpu& gpu) {
  return gpu.tflops.bf16_tensor.has_value() || gpu.compute_capability.value_or(0.0) >= k_bf16_capability;
}

void set_precision(Changed& c, PrecisionKind kind) {
  c.workload.precision = {kind, GgufMix::none, 0.0, 0.0};
  set(c, "precision", to_string(c.workload.precision));
}

// The largest micro-batch that fits and divides the batch, so that micro-batch x steps stays what it was.
bool accumulate(Changed& c) {
  Workload& w = c.workload;
  if (!w.training() || w.batch <= 1.0) {
    return false;
  }
  const std::optional<double> largest = fitting_batch(*c.assessor, w, *c.gpu, c.worst);
  if (!largest) {
    return false;
  }
  double micro = *largest;
  while (std::fmod(w.batch, micro) != 0.0) {
    micro -= 1.0;
  }
  w.accumulate *= w.batch / micro;
  w.batch = micro;
  set(c, "batch", w.batch);
  set(c, "accumulate", w.accumulate);
  return true;
}

bool mixed_precision(Changed& c) {
  if (!c.workload.training() || compute_bytes(c.workload.precision) < 4.0) {
    return false;
  }
  set_precision(c, has_bf16(*c.gpu) ? PrecisionKind::amp_bf16 : PrecisionKind::amp_fp16);
  return true;
}

bool sdpa(Changed& c) {
  if (c.workload.attention != AttentionBackend::eager) {
    return false;
  }
  c.workload.attention = AttentionBackend::sdpa;
  set(c, "attention", "sdpa");
  return true;
}

bool fused_loss(Changed& c) {
  if (!c.workload.training() || !language_model(c) || c.workload.loss == LossKind::fused) {
    return false;
  }
  c.workload.loss = LossKind::fused;
  set(c, "loss", "fused");
  return true;
}

bool checkpointing(Changed& c) {
  if (!c.workload.training() || c.workload.checkpointing == Checkpointing::full) {
    return false;
  }
  c.workload.checkpointing = Checkpointing::full;
  set(c, "grad_checkpointing", "full");
  return true;
}

bool optimizer_8bit(Changed& c) {
  const bool adam = c.workload.optimizer == Optimizer::adam || c.workload.optimizer == Optimizer::adamw;
  if (!c.workload.training() || !adam || c.workload.method != Method::full || c.gpu->vendor != Vendor::nvidia) {
    return false;
  }
  c.workload.optimizer = Optimizer::adamw_8bit;
  set(c, "optimizer", "adamw-8bit");
  return true;
}

// Adapters train projections of the attention; the rest of the model is frozen. Tuners of diffusion models adapt all four.
void adapt(Changed& c) {
  const bool all = c.request->model.diffusion() != nullptr;
  c.workload.lora_rank = 16.0;
  c.workload.lora_targets = {};
  c.workload.lora_targets.q = true;
  c.workload.lora_targets.v = true;
  c.workload.lora_targets.k = all;
  c.workload.lora_targets.o = all;
  set(c, "lora_rank", 16.0);
  set(c, "lora_targets", all ? "attention" : "q,v");
}

bool lora(Changed& c) {
  const bool suits = language_model(c) || c.request->model.diffusion() != nullptr;
  if (!c.workload.training() || !suits || c.workload.method != Method::full) {
    return false;
  }
  c.workload.method = Method::lora;
  set(c, "method", "lora");
  set_precision(c, has_bf16(*c.gpu) ? PrecisionKind::bf16 : PrecisionKind::fp16);
  adapt(c);
  return true;
}

bool qlora(Changed& c) {
  const bool kernels = c.gpu->vendor == Vendor::nvidia || c.gpu->vendor == Vendor::amd;
  if (!c.workload.training() || !language_model(c) || c.workload.method == Method::qlora || !kernels) {
    return false;
  }
  const bool full = c.workload.method == Method::full;
  c.workload.method = Method::qlora;
  c.workload.weights = Precision{PrecisionKind::nf4, GgufMix::none, 0.0, 0.0};
  set(c, "method", "qlora");
  set(c, "weights", "nf4");
  set_precision(c, has_bf16(*c.gpu) ? PrecisionKind::amp_bf16 : PrecisionKind::amp_fp16);
  if (full) {
    adapt(c);
  }
  return true;
}

// GPUs that the user has, or the fewest of the kind that hold the job, once its memory is pooled.
bool shard(Changed& c) {
  std::vector<Spread> ways = spreads(*c.request);
  const Strategy strategy = pooling_strategy(c.workload);
  if (c.workload.all_gpus() > 1.0) {
    ways = {{c.workload.gpus, strategy}};
  }
  for (const Spread& way : ways) {
    const Workload spread_out = spread_over(c.workload, way, false);
    const bool changes = way.gpus != c.workload.gpus || way.strategy != c.workload.strategy;
    if (!changes || !pools_memory(way.strategy) || !c.assessor->acceptable(c.assessor->figures_of(spread_out, *c.gpu))) {
      continue;
    }
    c.workload = spread_out;
    set(c, "gpus", way.gpus);
    set(c, "strategy", std::string(workload::name_of(WorkloadKey::strategy, way.strategy)));
    if (way.strategy == Strategy::tp) {
      set(c, "tp", way.gpus);
    }
    return true;
  }
  return false;
}

bool smaller_batch(Changed& c) {
  if (c.workload.training()) {
    return false;
  }
  const std::optional<double> batch = fitting_batch(*c.assessor, c.workload, *c.gpu, c.worst);
  if (!batch) {
    return false;
  }
  c.workload.batch = *batch;
  set(c, "batch", *batch);
  return true;
}

bool kv_8bit(Changed& c) {
  Workload& w = c.workload;
  if (w.training() || !language_model(c) || element_bytes(w.kv_precision.k) < 2.0) {
    return false;
  }
  const bool llama = w.engine == Engine::llama_cpp;
  if (!llama && w.engine != Engine::vllm && w.engine != Engine::sglang && w.engine != Engine::tensorrt_llm) {
    return false;
  }
  const KvType type = llama ? KvType::q8_0 : KvType::fp8;
  w.kv_precision = {type, type};
  set(c, "kv_precision", std::string(to_string(type)));
  return true;
}

bool quantised(Changed& c, PrecisionKind wanted, double most_bytes) {
  Workload& w = c.workload;
  const bool suits = c.request->model.transformer() != nullptr || c.request->model.diffusion() != nullptr;
  if (w.training() || !suits || is_quantised(w.precision) || compute_bytes(w.precision) < most_bytes) {
    return false;
  }
  const Precision plain{wanted, GgufMix::none, 0.0, 0.0};
  const Precision chosen = workload::engine_equivalent(w.engine, plain).value_or(plain);
  if (!workload::engine_runs(w.engine, chosen)) {
    return false;
  }
  w.precision = chosen;
  set(c, "precision", to_string(chosen));
  return true;
}

bool int8(Changed& c) {
  return quantised(c, PrecisionKind::int8, 2.0);
}

bool int4(Changed& c) {
  const bool bitsandbytes = c.workload.engine == Engine::transformers || c.workload.engine == Engine::diffusers;
  const bool server = c.workload.engine == Engine::vllm || c.workload.engine == Engine::sglang || c.workload.engine == Engine::tensorrt_llm;
  return quantised(c, bitsandbytes ? PrecisionKind::nf4 : server ? PrecisionKind::int4_awq : PrecisionKind::int4, 2.0);
}

bool shorter(Changed& c) {
  Workload& w = c.workload;
  if (w.seq < k_long_sequence) {
    return false;
  }
  const std::optional<double> seq = fitting_seq(*c.assessor, w, *c.gpu, c.worst);
  if (!seq || *seq * 8.0 < w.seq) {
    return false;  // an eighth of the text is another job
  }
  w.seq = *seq;
  set(c, "seq", *seq);
  if (!w.training()) {
    w.prompt_len = std::max(1.0, w.seq - w.gen_len);
  }
  return true;
}

bool offload_model(Changed& c) {
  if (c.workload.training() || c.workload.field != Field::diffusion || c.workload.offload.kind != OffloadKind::none) {
    return false;
  }
  c.workload.offload.kind = OffloadKind::model;
  set(c, "offload", "model");
  return true;
}

constexpr auto k_changes = std::to_array<Change>({
    {ChangeId::accumulate, "accumulate", "gradient accumulation", "same result, slightly slower",
     "loss = loss / accumulate; backward each micro-batch; optimizer.step() every accumulate-th (Trainer: gradient_accumulation_steps)",
     accumulate},
    {ChangeId::mixed_precision, "amp", "mixed precision", "faster on tensor cores",
     "torch.amp.autocast('cuda', dtype=torch.bfloat16) (Trainer: bf16=True)", mixed_precision},
    {ChangeId::sdpa, "sdpa", "fused attention", "faster", "attn_implementation='sdpa' or F.scaled_dot_product_attention", sdpa},
    {ChangeId::fused_loss, "fused_loss", "fused loss", "same result", "Liger-Kernel or cut cross-entropy (Trainer: use_liger_kernel=True)",
     fused_loss},
    {ChangeId::checkpointing, "grad_checkpointing", "gradient checkpointing", "about a quarter to a third slower",
     "model.gradient_checkpointing_enable() or torch.utils.checkpoint (Trainer: gradient_checkpointing=True)", checkpointing},
    {ChangeId::optimizer_8bit, "optimizer_8bit", "8-bit optimizer", "nearly the same result",
     "bitsandbytes.optim.AdamW8bit (Trainer: optim='adamw_bnb_8bit')", optimizer_8bit},
    {ChangeId::lora, "lora", "LoRA adapters", "trains few weights: usually close to full tuning",
     "peft.LoraConfig(r=16, target_modules=['q_proj', 'v_proj'])", lora},
    {ChangeId::qlora, "qlora", "QLoRA: adapters on 4-bit weights", "slower than LoRA, slightly lower quality",
     "BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True) with peft.LoraConfig", qlora},
    {ChangeId::shard, "shard", "several GPUs that pool their memory", "costs more cards",
     "training: torchrun with FSDP (fully_shard); vLLM: --tensor-parallel-size; llama.cpp: --split-mode layer; transformers: "
     "device_map='auto'",
     shard},
    {ChangeId::smaller_batch, "smaller_batch", "smaller batch", "lower throughput", "fewer samples a forward pass", smaller_batch},
    {ChangeId::kv_8bit, "kv_8bit", "8-bit key-value cache", "nearly the same result",
     "vLLM: --kv-cache-dtype fp8; llama.cpp: --cache-type-k q8_0 --cache-type-v q8_0 with flash attention", kv_8bit},
    {ChangeId::int8, "int8", "8-bit weights", "slightly lower quality", "BitsAndBytesConfig(load_in_8bit=True), or an int8 checkpoint",
     int8},
    {ChangeId::int4, "int4", "4-bit weights", "lower quality, faster decoding",
     "an AWQ, GPTQ or GGUF Q4 checkpoint, or BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')", int4},
    {ChangeId::shorter, "shorter_sequence", "shorter sequence", "cuts longer texts", "max_length, or the server's --max-model-len",
     shorter},
    {ChangeId::offload_model, "offload", "parts of the pipeline in host memory while idle", "slower", "pipe.enable_model_cpu_offload()",
     offload_model},
});
static_assert(k_changes.size() == static_cast<std::size_t>(ChangeId::count_));

}  // namespace

const Change& change_of(ChangeId id) {
  return k_changes[static_cast<std::size_t>(id)];
}

std::string title_of(const Change& change, const Changed& changed) {
  const Workload& w = changed.workload;
  const std::string title(change.title);
  switch (change.id) {
    case ChangeId::accumulate:
      return title + " (micro-batch " + whole(w.batch) + " x " + whole(w.accumulate) + " steps)";
    case ChangeId::mixed_precision:
    case ChangeId::int8:
    case ChangeId::int4:
      return title + " (" + to_string(w.precision) + ")";
    case ChangeId::shard:
      return whole(w.all_gpus()) + " GPUs that pool their memory (" + std::string(workload::name_of(WorkloadKey::strategy, w.strategy)) +
             ")";
    case ChangeId::smaller_batch:
      return "batch " + whole(w.batch);
    case ChangeId::shorter:
      return "sequence of " + whole(w.seq) + " tokens";
    default:
      return title;
  }
}

std::string_view effect_of(const Change& change, const Changed& changed) {
  const Gpu& gpu = *changed.gpu;
  if (change.id == ChangeId::mixed_precision && !gpu.tflops.fp16_tensor && gpu.tensor_cores.value_or(0.0) == 0.0) {
    return "saves memory, hardly time without tensor cores";
  }
  const bool owned = change.id == ChangeId::shard && changed.request->workload.all_gpus() > 1.0;
  return owned ? "exchanges weights in every step" : change.effect;
}

std::string_view how_of(const Change& change, const Changed& changed) {
  const Workload& w = changed.workload;
  if (change.id == ChangeId::mixed_precision && w.precision.kind == PrecisionKind::amp_fp16) {
    return "torch.amp.autocast('cuda', dtype=torch.float16) with torch.amp.GradScaler('cuda') (Trainer: fp16=True)";
  }
  if (change.id != ChangeId::shard) {
    return change.how;
  }
  if (w.training()) {
    return "torchrun with FSDP: torch.distributed.fsdp.fully_shard (Trainer: fsdp='full_shard auto_wrap')";
  }
  switch (w.engine) {
    case Engine::vllm:
      return "vllm serve --tensor-parallel-size";
    case Engine::sglang:
      return "sglang --tp";
    case Engine::tensorrt_llm:
      return "tp_size of the TensorRT-LLM build";
    case Engine::llama_cpp:
      return "llama.cpp --split-mode layer";
    default:
      return change.how;
  }
}

void set(Changed& changed, std::string_view key, Value value) {
  const auto same = [key](const Setting& setting) { return setting.key == key; };
  const auto found = std::find_if(changed.settings.begin(), changed.settings.end(), same);
  if (found != changed.settings.end()) {
    found->value = std::move(value);
  } else {
    changed.settings.push_back({std::string(key), std::move(value), Origin::user});
  }
}

}  // namespace gpuadvise::advise
