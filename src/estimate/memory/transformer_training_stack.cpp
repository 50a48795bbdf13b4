#include "estimate/memory/transformer_training_stack.hpp"

#include <array>

namespace gpuadvise::estimate {
namespace {

constexpr StackBehaviour peft_like(Stack stack) {
  StackBehaviour row;
  row.stack = stack;
  return row;
}

constexpr StackBehaviour bf16_adapters(Stack stack) {
  StackBehaviour row;
  row.stack = stack;
  row.adapter_bytes = 2;
  return row;
}

constexpr StackBehaviour pretraining(Stack stack) {
  StackBehaviour row;
  row.stack = stack;
  row.logit_bytes_autocast = 8;
  row.logit_bytes_pure = 8;
  row.slack = 0.08;
  row.compiled_logit_share = 0.5;
  row.own_embedding_unit = stack == Stack::torchtitan;
  return row;
}

constexpr std::array<StackBehaviour, 13> make_rows() {
  StackBehaviour plain = peft_like(Stack::none);
  plain.kbit_preparation = true;
  plain.foreach_optimizer = true;
  plain.band_factor = 1.3;

  StackBehaviour trainer = peft_like(Stack::hf_trainer);
  trainer.kbit_preparation = true;
  trainer.foreach_optimizer = true;
  trainer.kind = ConstantKind::fitted;

  StackBehaviour deepspeed = peft_like(Stack::hf_deepspeed);
  deepspeed.foreach_optimizer = true;
  deepspeed.kbit_preparation = true;
  deepspeed.casts_model = true;
  deepspeed.slack = 0.15;
  deepspeed.kind = ConstantKind::fitted;

  StackBehaviour swift = peft_like(Stack::ms_swift);
  swift.logit_bytes_autocast = 25;
  swift.foreach_optimizer = true;
  swift.slack = 0.28;
  swift.kind = ConstantKind::fitted;

  StackBehaviour tune = bf16_adapters(Stack::torchtune);
  tune.own_adapter_inputs = false;
  tune.own_embedding_unit = true;
  tune.compiled_logit_share = 0.15;
  tune.paged_optimizer_in_backward = true;

  StackBehaviour torchao = tune;  // its figures come from torchtune's recipes
  torchao.stack = Stack::torchao;
  torchao.compiled_logit_share = 1.0;

  StackBehaviour litgpt = bf16_adapters(Stack::litgpt);
  litgpt.quantised_input_bytes = 4;
  litgpt.logit_bytes_pure = 12;
  litgpt.logit_bytes_autocast = 12;
  litgpt.fsdp_accumulates = true;
  litgpt.kind = ConstantKind::fitted;

  StackBehaviour axolotl = peft_like(Stack::axolotl);
  axolotl.band_factor = 1.3;  // its examples print figures without a length or the kind of peak
  StackBehaviour unsloth = peft_like(Stack::unsloth);
  unsloth.fused_kernels = true;
  unsloth.own_adapter_inputs = false;

  StackBehaviour qlora = bf16_adapters(Stack::fsdp_qlora);
  qlora.slack = 0.28;
  return {plain,
          trainer,
          deepspeed,
          swift,
          tune,
          torchao,
          litgpt,
          axolotl,
          unsloth,
          qlora,
          pretraining(Stack::torchtitan),
          pretraining(Stack::llm_foundry),
          pretraining(Stack::megatron)};
}

constexpr std::array<StackBehaviour, 13> k_rows = make_rows();

}  // namespace

const StackBehaviour& stack_behaviour(Stack stack) {
  for (const StackBehaviour& row : k_rows) {
    if (row.stack == stack) {
      return row;
    }
  }
  return k_rows.front();
}

}  // namespace gpuadvise::estimate
