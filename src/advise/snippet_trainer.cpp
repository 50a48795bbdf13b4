// Tuning with Hugging Face's Trainer, PEFT and bitsandbytes.
#include "advise/snippet_text.hpp"

namespace gpuadvise::advise {
namespace {

std::string model_class(const SnippetSubject& subject) {
  const TransformerShape& shape = *subject.request.model.transformer();
  if (subject.workload().head == Head::classification) {
    return "AutoModelForSequenceClassification";
  }
  switch (shape.kind) {
    case TransformerKind::encoder:
      return "AutoModelForMaskedLM";
    case TransformerKind::encoder_decoder:
      return "AutoModelForSeq2SeqLM";
    case TransformerKind::speech:
      return "AutoModelForSpeechSeq2Seq";
    default:
      return "AutoModelForCausalLM";
  }
}

std::string task_type(const SnippetSubject& subject) {
  const TransformerKind kind = subject.request.model.transformer()->kind;
  return kind == TransformerKind::encoder_decoder || kind == TransformerKind::speech ? "SEQ_2_SEQ_LM" : "CAUSAL_LM";
}

// Layers as Llama-like checkpoints call them; models with one fused projection have their own name for it.
std::string target_modules(const SnippetSubject& subject) {
  const LoraTargets& targets = subject.workload().lora_targets;
  const bool attention = targets.q && targets.k && targets.v && targets.o;
  if (attention && targets.gate && targets.up && targets.down) {
    return "\"all-linear\"";
  }
  if (subject.request.model.transformer()->fused_qkv) {
    return "[\"c_attn\"]";
  }
  std::string names;
  const auto add = [&names](bool wanted, std::string_view name) {
    if (wanted) {
      names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    }
  };
  add(targets.q, "q_proj");
  add(targets.k, "k_proj");
  add(targets.v, "v_proj");
  add(targets.o, "o_proj");
  add(targets.gate, "gate_proj");
  add(targets.up, "up_proj");
  add(targets.down, "down_proj");
  return "[" + names + "]";
}

// Weights are loaded in 32 bits for autocast, but for a frozen base.
std::string weights_dtype(const Workload& w) {
  return is_amp(w.precision) && w.method == Method::full ? "float32" : compute_dtype(w);
}

void add_imports(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  code.add("import torch");
  code.add_if(w.method == Method::lora, "from peft import LoraConfig, get_peft_model");
  code.add_if(w.method == Method::qlora, "from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training");
  const std::string config = w.method == Method::qlora ? ", BitsAndBytesConfig" : "";
  code.add("from transformers import " + model_class(subject) + config + ", Trainer, TrainingArguments").add("");
}

void add_model(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool quantised = w.method == Method::qlora;
  if (quantised) {
    code.add("quantization = BitsAndBytesConfig(").add("    load_in_4bit=True,").add("    bnb_4bit_quant_type=\"nf4\",");
    code.add("    bnb_4bit_use_double_quant=True,").add("    bnb_4bit_compute_dtype=torch." + compute_dtype(w) + ",");
    code.add_if(w.strategy == Strategy::fsdp, "    bnb_4bit_quant_storage=torch." + compute_dtype(w) + ",  # FSDP shards floats only");
    code.add(")");
  }
  code.add("model = " + model_class(subject) + ".from_pretrained(").add("    \"" + checkpoint_name(subject.request) + "\",");
  code.add("    dtype=torch." + weights_dtype(w) + ",").add_if(quantised, "    quantization_config=quantization,");
  const bool flash = w.attention == AttentionBackend::flash;
  code.add(std::string("    attn_implementation=\"") +
           (w.attention == AttentionBackend::eager ? "eager"
            : flash                                ? "flash_attention_2"
                                                   : "sdpa") +
           "\",");
  code.add(")");
  if (quantised) {
    code.add(std::string("model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=") +
             (w.checkpointing == Checkpointing::full ? "True)" : "False)"));
  }
  if (w.method != Method::full) {
    code.add("adapters = LoraConfig(r=" + whole_text(w.lora_rank) + ", lora_alpha=" + whole_text(2.0 * w.lora_rank) +
             ", target_modules=" + target_modules(subject) + ", task_type=\"" + task_type(subject) + "\")");
    code.add("model = get_peft_model(model, adapters)");
  }
  if (w.checkpointing == Checkpointing::selective) {
    add_selective_checkpointing(code, "model.model.layers");
  }
}

std::string optimizer_name(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adamw_8bit:
      return "adamw_bnb_8bit";
    case Optimizer::paged_adamw_8bit:
      return "paged_adamw_8bit";
    case Optimizer::adafactor:
      return "adafactor";
    case Optimizer::sgd:
    case Optimizer::sgd_momentum:
      return "sgd";
    default:
      return "adamw_torch";
  }
}

void add_arguments(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  code.add("arguments = TrainingArguments(").add("    output_dir=\"out\",");
  code.add("    per_device_train_batch_size=" + whole_text(w.batch) + ",");
  code.add_if(w.accumulate > 1.0,
              "    gradient_accumulation_steps=" + whole_text(w.accumulate) + ",  # the Trainer divides the loss by it");
  const std::string dtype = compute_dtype(w);
  code.add_if(dtype == "bfloat16", "    bf16=True,").add_if(dtype == "float16" && is_amp(w.precision), "    fp16=True,");
  const bool full = w.checkpointing == Checkpointing::full;
  code.add_if(full, "    gradient_checkpointing=True,").add_if(full, "    gradient_checkpointing_kwargs={\"use_reentrant\": False},");
  code.add("    optim=\"" + optimizer_name(w.optimizer) + "\",").add_if(w.loss == LossKind::fused, "    use_liger_kernel=True,");
  code.add_if(uses_deepspeed(w), "    deepspeed=\"ds_config.json\",").add(")");
}

void add_trainer(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool offloads = w.offload.kind == OffloadKind::activations;
  if (offloads) {
    code.add("").add("class OffloadingTrainer(Trainer):").add("    def compute_loss(self, *args, **kwargs):");
    code.add("        with torch.autograd.graph.save_on_cpu(pin_memory=True):  # activations wait in host memory");
    code.add("            return super().compute_loss(*args, **kwargs)").add("");
  }
  code.add("# train_dataset: yours, cut to " + whole_text(w.seq) + " tokens");
  code.add(std::string(offloads ? "OffloadingTrainer" : "Trainer") + "(model=model, args=arguments, train_dataset=train_dataset).train()");
}

std::string launch(const Workload& w) {
  const std::string gpus = whole_text(w.gpus);
  if (uses_deepspeed(w)) {
    return Block("bash").add("deepspeed --num_gpus " + gpus + " train.py").closed();
  }
  if (w.all_gpus() <= 1.0) {
    return {};
  }
  if (w.strategy != Strategy::fsdp) {
    return Block("bash").add("torchrun --standalone --nproc_per_node " + gpus + " train.py").closed();
  }
  Block yaml("yaml");
  yaml.add("distributed_type: FSDP").add("num_processes: " + whole_text(w.all_gpus()));
  yaml.add_if(w.nodes > 1.0, "num_machines: " + whole_text(w.nodes));
  yaml.add(compute_dtype(w) == "bfloat16"  ? "mixed_precision: bf16"
           : compute_dtype(w) == "float16" ? "mixed_precision: fp16"
                                           : "mixed_precision: 'no'");
  yaml.add("fsdp_config:").add("  fsdp_version: 2").add("  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP");
  yaml.add("  fsdp_reshard_after_forward: true").add("  fsdp_state_dict_type: SHARDED_STATE_DICT");
  yaml.add("  fsdp_cpu_ram_efficient_loading: true");
  yaml.add(std::string("  fsdp_offload_params: ") + (w.offload.kind == OffloadKind::params ? "true" : "false"));
  return "fsdp.yaml:\n" + yaml.closed() + Block("bash").add("accelerate launch --config_file fsdp.yaml train.py").closed();
}

}  // namespace

std::string trainer_snippet(const SnippetSubject& subject) {
  Block code("python");
  add_imports(code, subject);
  add_model(code, subject);
  add_arguments(code, subject);
  add_trainer(code, subject);
  return code.closed() + deepspeed_block(subject.workload()) + launch(subject.workload());
}

}  // namespace gpuadvise::advise
