// Training programs that are steered by flags or a file: the remedy as their own settings.
#include "advise/snippet_text.hpp"

#include <algorithm>
#include <vector>

namespace gpuadvise::advise {
namespace {

using Parts = std::vector<std::string>;

bool bf16(const Workload& w) {
  return compute_dtype(w) == "bfloat16";
}

bool checkpoints(const Workload& w) {
  return w.checkpointing != Checkpointing::none;
}

bool adapts(const Workload& w) {
  return w.method != Method::full;
}

void add_if(Parts& parts, bool wanted, std::string part) {
  if (wanted) {
    parts.push_back(std::move(part));
  }
}

std::string optimizer_of(const Workload& w) {
  switch (w.optimizer) {
    case Optimizer::adamw_8bit:
      return "adamw_bnb_8bit";
    case Optimizer::paged_adamw_8bit:
      return "paged_adamw_8bit";
    default:
      return "adamw_torch";
  }
}

bool eight_bit_optimizer(const Workload& w) {
  return w.optimizer == Optimizer::adamw_8bit || w.optimizer == Optimizer::paged_adamw_8bit;
}

std::string axolotl(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  Block yaml("yaml");
  yaml.add("base_model: " + checkpoint_name(subject.request)).add("sequence_len: " + whole_text(w.seq));
  yaml.add("micro_batch_size: " + whole_text(w.batch)).add("gradient_accumulation_steps: " + whole_text(w.accumulate));
  yaml.add_if(adapts(w), w.method == Method::qlora ? "adapter: qlora" : "adapter: lora");
  yaml.add_if(w.method == Method::qlora, "load_in_4bit: true");
  yaml.add_if(adapts(w), "lora_r: " + whole_text(w.lora_rank)).add_if(adapts(w), "lora_alpha: " + whole_text(2.0 * w.lora_rank));
  yaml.add_if(adapts(w), w.lora_targets.gate ? "lora_target_linear: true" : "lora_target_modules: [q_proj, v_proj]");
  yaml.add(bf16(w) ? "bf16: true" : "fp16: true").add_if(checkpoints(w), "gradient_checkpointing: true");
  yaml.add_if(w.offload.kind == OffloadKind::activations, "activation_offloading: true");
  yaml.add("optimizer: " + optimizer_of(w));
  if (w.loss == LossKind::fused) {
    yaml.add("plugins: [axolotl.integrations.liger.LigerPlugin]").add("liger_fused_linear_cross_entropy: true");
  }
  yaml.add_if(uses_deepspeed(w), "deepspeed: ds_config.json");
  if (w.strategy == Strategy::fsdp) {
    yaml.add("fsdp_version: 2").add("fsdp_config:").add("  auto_wrap_policy: TRANSFORMER_BASED_WRAP");
    yaml.add("  reshard_after_forward: true").add("  state_dict_type: SHARDED_STATE_DICT");
    yaml.add_if(w.offload.kind == OffloadKind::params, "  offload_params: true");
  }
  Parts parts{"axolotl train config.yaml"};
  add_if(parts, w.all_gpus() > 1.0, "--launcher torchrun -- --nproc_per_node=" + whole_text(w.gpus));
  return "config.yaml:\n" + yaml.closed() + deepspeed_block(w) + command_block("", parts);
}

std::string unsloth(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  Block code("python");
  code.add("from unsloth import FastLanguageModel").add("from trl import SFTConfig, SFTTrainer").add("");
  code.add("model, tokenizer = FastLanguageModel.from_pretrained(");
  code.add("    \"" + checkpoint_name(subject.request) + "\", max_seq_length=" + whole_text(w.seq) + ", load_in_4bit=" +
           (w.method == Method::qlora ? "True" : "False") + ", full_finetuning=" + (adapts(w) ? "False" : "True") + ")");
  if (adapts(w)) {
    const std::string modules = w.lora_targets.gate
                                    ? "[\"q_proj\", \"k_proj\", \"v_proj\", \"o_proj\", \"gate_proj\", \"up_proj\", \"down_proj\"]"
                                    : "[\"q_proj\", \"v_proj\"]";
    code.add("model = FastLanguageModel.get_peft_model(");
    code.add("    model, r=" + whole_text(w.lora_rank) + ", lora_alpha=" + whole_text(w.lora_rank) + ", target_modules=" + modules + ",");
    code.add(std::string("    use_gradient_checkpointing=") + (checkpoints(w) ? "\"unsloth\")" : "False)"));
  }
  code.add("arguments = SFTConfig(per_device_train_batch_size=" + whole_text(w.batch) + ", gradient_accumulation_steps=" +
           whole_text(w.accumulate) + ", max_length=" + whole_text(w.seq) + ", optim=\"" + optimizer_of(w) + "\")");
  code.add("SFTTrainer(model=model, processing_class=tokenizer, args=arguments, train_dataset=train_dataset).train()");
  return code.closed();
}

std::string torchtune(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool several = w.all_gpus() > 1.0;
  const std::string recipe = std::string(adapts(w) ? "lora" : "full") + "_finetune_" + (several ? "distributed" : "single_device");
  Parts parts{"tune run " + std::string(several ? "--nproc_per_node " + whole_text(w.gpus) + " " : "") + recipe + " --config CONFIG"};
  parts.push_back("batch_size=" + whole_text(w.batch) + " gradient_accumulation_steps=" + whole_text(w.accumulate));
  parts.push_back("tokenizer.max_seq_len=" + whole_text(w.seq) + " dtype=" + (bf16(w) ? "bf16" : "fp32"));
  add_if(parts, adapts(w), "model.lora_rank=" + whole_text(w.lora_rank) + " model.lora_alpha=" + whole_text(2.0 * w.lora_rank));
  add_if(parts, w.method == Method::qlora, "model.quantize_base=True");
  add_if(parts, checkpoints(w), "enable_activation_checkpointing=True");
  add_if(parts, w.offload.kind == OffloadKind::activations, "enable_activation_offloading=True");
  add_if(parts, w.offload.kind == OffloadKind::params, "fsdp_cpu_offload=True");
  add_if(parts, w.loss == LossKind::fused, "loss=torchtune.modules.loss.LinearCrossEntropyLoss");
  add_if(parts, w.optimizer == Optimizer::adamw_8bit, "optimizer=bitsandbytes.optim.AdamW8bit");
  add_if(parts, w.optimizer == Optimizer::paged_adamw_8bit, "optimizer=bitsandbytes.optim.PagedAdamW8bit");
  return command_block("# CONFIG: that of " + checkpoint_name(subject.request) + ", see tune ls", parts);
}

std::string torchtitan(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const double ranks = std::max(1.0, w.all_gpus() / (w.tp * w.pp * w.cp));
  Parts parts{"NGPU=" + whole_text(w.gpus) + " CONFIG_FILE=config.toml ./run_train.sh"};
  parts.push_back("--training.local_batch_size " + whole_text(w.batch) + " --training.seq_len " + whole_text(w.seq));
  add_if(parts, w.accumulate > 1.0, "--training.global_batch_size " + whole_text(w.batch * w.accumulate * ranks));
  add_if(parts, checkpoints(w),
         std::string("--activation_checkpoint.mode ") + (w.checkpointing == Checkpointing::full ? "full" : "selective"));
  add_if(parts, w.strategy == Strategy::fsdp, "--parallelism.data_parallel_shard_degree " + whole_text(ranks));
  add_if(parts, w.tp > 1.0, "--parallelism.tensor_parallel_degree " + whole_text(w.tp));
  add_if(parts, w.pp > 1.0, "--parallelism.pipeline_parallel_degree " + whole_text(w.pp));
  add_if(parts, w.offload.kind == OffloadKind::params, "--training.enable_cpu_offload");
  return command_block("# config.toml: that of " + checkpoint_name(subject.request), parts);
}

std::string litgpt(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const double global = w.batch * w.accumulate * w.all_gpus();
  Parts parts{std::string("litgpt finetune_") + (adapts(w) ? "lora " : "full ") + checkpoint_name(subject.request)};
  parts.push_back("--train.micro_batch_size " + whole_text(w.batch) + " --train.global_batch_size " + whole_text(global));
  parts.push_back("--train.max_seq_length " + whole_text(w.seq) + " --devices " + whole_text(w.gpus));
  parts.push_back(std::string("--precision ") + (bf16(w) ? "bf16-" : "16-") + (is_amp(w.precision) && !adapts(w) ? "mixed" : "true"));
  add_if(parts, adapts(w), "--lora_r " + whole_text(w.lora_rank));
  add_if(parts, w.method == Method::qlora, "--quantize bnb.nf4");
  return command_block("", parts);
}

std::string ms_swift(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  Parts parts{(w.all_gpus() > 1.0 ? "NPROC_PER_NODE=" + whole_text(w.gpus) + " " : std::string()) + "swift sft --model " +
              checkpoint_name(subject.request)};
  parts.push_back(std::string("--tuner_type ") + (adapts(w) ? "lora --lora_rank " + whole_text(w.lora_rank) : std::string("full")));
  add_if(parts, w.method == Method::qlora, "--quant_method bnb --quant_bits 4 --bnb_4bit_quant_type nf4");
  parts.push_back("--per_device_train_batch_size " + whole_text(w.batch) + " --gradient_accumulation_steps " + whole_text(w.accumulate));
  parts.push_back("--max_length " + whole_text(w.seq) + " --torch_dtype " + compute_dtype(w));
  parts.push_back(std::string("--gradient_checkpointing ") + (checkpoints(w) ? "true" : "false"));
  add_if(parts, eight_bit_optimizer(w), "--optim " + optimizer_of(w));
  add_if(parts, w.loss == LossKind::fused, "--use_liger_kernel true");
  add_if(parts, uses_deepspeed(w), "--deepspeed ds_config.json");
  return deepspeed_block(w) + command_block("", parts);
}

std::string timm(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const std::string launch =
      w.all_gpus() > 1.0 ? "torchrun --standalone --nproc_per_node " + whole_text(w.gpus) + " train.py" : "python train.py";
  Parts parts{launch + " --data-dir DATA --model " + model_name(subject.request)};
  parts.push_back("--batch-size " + whole_text(w.batch) +
                  (w.accumulate > 1.0 ? " --grad-accum-steps " + whole_text(w.accumulate) : std::string()));
  add_if(parts, is_amp(w.precision), "--amp --amp-dtype " + compute_dtype(w));
  add_if(parts, checkpoints(w), "--grad-checkpointing");
  add_if(parts, subject.request.workload.image.height != w.image.height,
         "--input-size 3 " + whole_text(w.image.height) + " " + whole_text(w.image.width));
  return command_block("", parts);
}

// Its trainer accumulates up to the nominal batch by itself.
std::string ultralytics(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  std::string devices = "0";
  for (double gpu = 1.0; gpu < w.gpus; gpu += 1.0) {
    devices += "," + whole_text(gpu);
  }
  Parts parts{"yolo train model=" + model_name(subject.request) + ".pt data=DATA.yaml imgsz=" + whole_text(w.image.height)};
  parts.push_back("batch=" + whole_text(w.batch * w.gpus) +
                  (w.accumulate > 1.0 ? " nbs=" + whole_text(w.batch * w.gpus * w.accumulate) : std::string()));
  parts.push_back(std::string("amp=") + (is_amp(w.precision) ? "True" : "False") + " device=" + devices);
  const std::string each = "# " + whole_text(w.batch) + " images on each card";
  return command_block(w.accumulate > 1.0 ? each + ", nbs / batch = " + whole_text(w.accumulate) + " micro-batches a step" : each, parts);
}

}  // namespace

std::string stack_snippet(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool text = subject.request.model.transformer() != nullptr;
  const bool image = subject.request.model.image() != nullptr;
  // What a program cannot do is written out in PyTorch instead: sharding with Unsloth, adapters with torchtitan, recomputing with
  // Ultralytics.
  switch (w.stack) {
    case Stack::axolotl:
      return text ? axolotl(subject) : std::string();
    case Stack::unsloth:
      return text && w.all_gpus() <= 1.0 ? unsloth(subject) : std::string();
    case Stack::torchtune:
      return text ? torchtune(subject) : std::string();
    case Stack::torchtitan:
      return text && !adapts(w) ? torchtitan(subject) : std::string();
    case Stack::litgpt:
      return text ? litgpt(subject) : std::string();
    case Stack::ms_swift:
      return text ? ms_swift(subject) : std::string();
    case Stack::timm:
      return image ? timm(subject) : std::string();
    case Stack::ultralytics:
      return image && !checkpoints(w) ? ultralytics(subject) : std::string();
    default:
      return {};
  }
}

}  // namespace gpuadvise::advise
