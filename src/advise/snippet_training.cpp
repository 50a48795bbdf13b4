// Training written out in PyTorch: the loop with autocast, loss scaling and accumulation; launch of several processes.
#include "advise/snippet_text.hpp"

namespace gpuadvise::advise {
namespace {

bool scales_loss(const Workload& w) {
  return w.precision.kind == PrecisionKind::amp_fp16;
}

bool autocasts(const Workload& w) {
  return is_amp(w.precision);
}

bool several(const Workload& w) {
  return w.all_gpus() > 1.0;
}

std::string indent(int depth, std::string_view line) {
  return std::string(static_cast<std::size_t>(depth) * 4, ' ') + std::string(line);
}

void add_imports(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool eight_bits = w.optimizer == Optimizer::adamw_8bit || w.optimizer == Optimizer::paged_adamw_8bit;
  const bool processes = several(w) && !uses_deepspeed(w);
  const bool delays = processes && w.strategy == Strategy::ddp && w.accumulate > 1.0;
  code.add_if(processes, "import os").add_if(delays, "from contextlib import nullcontext").add_if(processes, "");
  code.add_if(eight_bits, "import bitsandbytes as bnb").add_if(uses_deepspeed(w), "import deepspeed").add("import torch");
  const bool adapters = subject.request.model.diffusion() != nullptr && w.method != Method::full;
  code.add_if(adapters && w.method == Method::qlora, "from diffusers import BitsAndBytesConfig");
  code.add_if(adapters, "from peft import LoraConfig");
  if (w.strategy == Strategy::fsdp) {
    code.add(w.offload.kind == OffloadKind::params
                 ? "from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, fully_shard"
                 : "from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard");
  }
  code.add_if(several(w) && w.strategy == Strategy::ddp, "from torch.nn.parallel import DistributedDataParallel");
  code.add("");
}

// Which of the model's parts are blocks, as libraries call them.
std::string blocks_of(const SnippetSubject& subject) {
  const Model& model = subject.request.model;
  return model.diffusion() != nullptr ? "model.transformer_blocks" : model.transformer() != nullptr ? "model.model.layers" : "model.blocks";
}

void add_process_group(Block& code, const Workload& w) {
  if (several(w) && !uses_deepspeed(w)) {
    code.add("# one process a GPU, started by torchrun").add("torch.distributed.init_process_group(\"nccl\")");
    code.add("torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))");
  }
}

void add_model(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const Model& model = subject.request.model;
  code.add("# model, loader, criterion: yours (" + model_name(subject.request) + ")");
  code.add_if(w.precision.kind == PrecisionKind::bf16, "model.to(torch.bfloat16)  # weights and states in 16 bits, no autocast");
  if (model.diffusion() != nullptr && w.method == Method::qlora) {
    code.add("# the model is the pipeline's denoiser, loaded with quantization_config=quantization");
    code.add("quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=\"nf4\", bnb_4bit_compute_dtype=torch." +
             compute_dtype(w) + ")");
  }
  if (model.diffusion() != nullptr && w.method != Method::full) {
    code.add("model.requires_grad_(False)");
    code.add("model.add_adapter(LoraConfig(r=" + whole_text(w.lora_rank) + ", lora_alpha=" + whole_text(w.lora_rank) +
             ", target_modules=[\"to_q\", \"to_k\", \"to_v\", \"to_out.0\"]))");
  }
  if (w.checkpointing == Checkpointing::selective) {
    add_selective_checkpointing(code, blocks_of(subject));
  } else if (w.checkpointing == Checkpointing::full) {
    code.add(model.diffusion() != nullptr ? "model.enable_gradient_checkpointing()"
             : model.transformer() != nullptr
                 ? "model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={\"use_reentrant\": False})"
                 : "model.set_grad_checkpointing(True)  # timm; else torch.utils.checkpoint.checkpoint(block, x, "
                   "use_reentrant=False)");
  }
  add_process_group(code, w);
  if (w.strategy == Strategy::fsdp) {
    // A model on the card before it is sharded would have to fit whole.
    const std::string offload = w.offload.kind == OffloadKind::params ? ", offload_policy=CPUOffloadPolicy()" : "";
    code.add("policy = MixedPrecisionPolicy(param_dtype=torch." + compute_dtype(w) + ", reduce_dtype=torch.float32)");
    code.add("for block in " + blocks_of(subject) + ":").add(indent(1, "fully_shard(block, mp_policy=policy" + offload + ")"));
    code.add("fully_shard(model, mp_policy=policy" + offload + ")");
  } else if (!uses_deepspeed(w)) {
    code.add("model.cuda()");
    code.add_if(several(w), "model = DistributedDataParallel(model, gradient_as_bucket_view=True)");
  }
}

void add_optimizer(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const std::string trained = w.method == Method::full ? "model.parameters()" : "[p for p in model.parameters() if p.requires_grad]";
  switch (w.optimizer) {
    case Optimizer::adamw_8bit:
      code.add("optimizer = bnb.optim.AdamW8bit(" + trained + ", lr=1e-4)");
      break;
    case Optimizer::paged_adamw_8bit:
      code.add("optimizer = bnb.optim.PagedAdamW8bit(" + trained + ", lr=1e-4)");
      break;
    case Optimizer::sgd:
    case Optimizer::sgd_momentum:
      code.add("optimizer = torch.optim.SGD(" + trained + ", lr=0.1" + (w.optimizer == Optimizer::sgd ? ")" : ", momentum=0.9)"));
      break;
    default:
      code.add("optimizer = torch.optim.AdamW(" + trained + ", lr=1e-4)");
  }
}

std::string loss_expression(const SnippetSubject& subject) {
  const double steps = subject.workload().accumulate;
  const std::string divided = steps > 1.0 && !uses_deepspeed(subject.workload()) ? " / " + whole_text(steps) : "";
  return subject.request.model.transformer() != nullptr ? "loss = model(**batch).loss" + divided
                                                        : "loss = criterion(model(inputs), targets)" + divided;
}

void add_loop(Block& code, const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool text = subject.request.model.transformer() != nullptr;
  const bool accumulates = w.accumulate > 1.0;
  const bool offloads = w.offload.kind == OffloadKind::activations;
  code.add_if(scales_loss(w), "scaler = torch.amp.GradScaler(\"cuda\")  # torch.cuda.amp.GradScaler and apex.amp are the outdated forms");
  code.add("");
  code.add(std::string(accumulates ? "for step, " : "for ") +
           (text          ? "batch"
            : accumulates ? "(inputs, targets)"
                          : "inputs, targets") +
           " in " + (accumulates ? "enumerate(loader, 1)" : "loader") + ":  # DataLoader(..., batch_size=" + whole_text(w.batch) + ")");
  code.add(indent(1, text ? "batch = {name: tensor.cuda(non_blocking=True) for name, tensor in batch.items()}"
                          : "inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)"));
  int depth = 1;
  // Gradients are exchanged once a step, not once a micro-batch.
  if (accumulates && several(w) && w.strategy == Strategy::ddp) {
    code.add(indent(depth++, "with nullcontext() if step % " + whole_text(w.accumulate) + " == 0 else model.no_sync():"));
  }
  const int backward = depth;
  if (autocasts(w) && w.strategy != Strategy::fsdp) {
    code.add(indent(depth++, "with torch.amp.autocast(\"cuda\", dtype=torch." + compute_dtype(w) +
                                 "):" + (scales_loss(w) ? "" : "  # torch.cuda.amp and apex are outdated; bfloat16 needs no GradScaler")));
  }
  if (offloads) {
    code.add(indent(depth++, "with torch.autograd.graph.save_on_cpu(pin_memory=True):"));
  }
  code.add(indent(depth, loss_expression(subject)));
  code.add(indent(backward, scales_loss(w) ? "scaler.scale(loss).backward()" : "loss.backward()"));
  const int inside = accumulates ? 2 : 1;
  code.add_if(accumulates, indent(1, "if step % " + whole_text(w.accumulate) + " == 0:"));
  code.add(indent(inside, scales_loss(w) ? "scaler.step(optimizer)" : "optimizer.step()"));
  code.add_if(scales_loss(w), indent(inside, "scaler.update()"));
  code.add(indent(inside, "optimizer.zero_grad(set_to_none=True)"));
}

// DeepSpeed owns the optimizer, the loss scale and the accumulation.
void add_deepspeed_loop(Block& code, const SnippetSubject& subject) {
  const bool text = subject.request.model.transformer() != nullptr;
  code.add("optimizer = deepspeed.ops.adam.DeepSpeedCPUAdam(model.parameters(), lr=1e-4)");
  code.add("engine, optimizer, _, _ = deepspeed.initialize(model=model, optimizer=optimizer, config=\"ds_config.json\")").add("");
  code.add(std::string("for ") + (text ? "batch" : "inputs, targets") +
           " in loader:  # DataLoader(..., batch_size=" + whole_text(subject.workload().batch) + ")");
  code.add(indent(1, text ? "loss = engine(**{name: tensor.cuda() for name, tensor in batch.items()}).loss"
                          : "loss = criterion(engine(inputs.cuda()), targets.cuda())"));
  code.add(indent(1, "engine.backward(loss)")).add(indent(1, "engine.step()"));
}

std::string launch(const Workload& w) {
  const std::string gpus = whole_text(w.gpus);
  if (uses_deepspeed(w)) {
    return Block("bash").add("deepspeed --num_gpus " + gpus + " train.py").closed();
  }
  if (!several(w)) {
    return {};
  }
  const std::string nodes =
      w.nodes > 1.0 ? "--nnodes " + whole_text(w.nodes) + " --rdzv_backend c10d --rdzv_endpoint HOST:29500 " : "--standalone ";
  return Block("bash").add("torchrun " + nodes + "--nproc_per_node " + gpus + " train.py").closed();
}

bool by_trainer(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const bool trainer = w.stack == Stack::hf_trainer || w.stack == Stack::hf_deepspeed;
  return subject.request.model.transformer() != nullptr && (trainer || w.method != Method::full);
}

}  // namespace

void add_selective_checkpointing(Block& code, std::string_view blocks) {
  code.add("from functools import partial");
  code.add("from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts");
  code.add("");
  code.add("attention = {torch.ops.aten._scaled_dot_product_flash_attention.default,");
  code.add("             torch.ops.aten._scaled_dot_product_efficient_attention.default}");
  code.add("");
  code.add("def contexts():").add("    products = {True: 0, False: 0}").add("");
  code.add("    def policy(context, operator, *args, **kwargs):");
  code.add("        keep = operator in attention");
  code.add("        if operator == torch.ops.aten.mm.default:  # every other matrix product is kept");
  code.add("            products[context.is_recompute] += 1");
  code.add("            keep = products[context.is_recompute] % 2 == 1");
  code.add("        return CheckpointPolicy.MUST_SAVE if keep else CheckpointPolicy.PREFER_RECOMPUTE").add("");
  code.add("    return create_selective_checkpoint_contexts(policy)").add("");
  code.add("for block in " + std::string(blocks) + ":");
  code.add("    block.forward = partial(checkpoint, block.forward, use_reentrant=False, context_fn=contexts)").add("");
}

std::string training_snippet(const SnippetSubject& subject) {
  if (by_trainer(subject)) {
    return trainer_snippet(subject);
  }
  const Workload& w = subject.workload();
  Block code("python");
  add_imports(code, subject);
  add_model(code, subject);
  if (uses_deepspeed(w)) {
    add_deepspeed_loop(code, subject);
  } else {
    add_optimizer(code, subject);
    add_loop(code, subject);
  }
  return code.closed() + deepspeed_block(w) + launch(w);
}

}  // namespace gpuadvise::advise
