#include "estimate/memory/transformer_training_stack.hpp"

#include <array>

namespace gpuadvise::estimate {
namespace {

using enum Stack;

// What is not named has the default of the header: PEFT's fp32 adapters, the stock loss, no preparation.
constexpr std::array<StackBehaviour, 13> k_rows = {{
    // prior: PyTorch's own loop around a Hugging Face model; the widest band, as anything may differ
    {.stack = none, .kbit_preparation = true, .foreach_optimizer = true, .delays_reduction = true, .band_factor = 1.3},
    // fitted: 27 figures of RTX 4080, peft and bitsandbytes documentation; accelerate accumulates under no_sync
    {.stack = hf_trainer,
     .kbit_preparation = true,
     .foreach_optimizer = true,
     .delays_reduction = true,
     .kind = ConstantKind::fitted,
     .n = 27,
     .sources = 3},
    // fitted: 51 figures of Qwen, Qwen-VL and MiniCPM-V scripts
    {.stack = hf_deepspeed,
     .kbit_preparation = true,
     .casts_model = true,
     .slack = 0.15,
     .foreach_optimizer = true,
     .kind = ConstantKind::fitted,
     .n = 51,
     .sources = 3},
    // prior (43 figures of one source): the trainer converts all outputs to fp32, and lengths vary from step to step
    {.stack = ms_swift,
     .logit_bytes_autocast = 25,
     .slack = 0.28,
     .foreach_optimizer = true,
     .delays_reduction = true,
     .n = 43,
     .sources = 1},
    // prior (13 figures of one source): chunked loss once compiled; FSDP2 with embeddings and head as units
    {.stack = torchtune,
     .adapter_bytes = 2,
     .own_adapter_inputs = false,
     .compiled_logit_share = 0.15,
     .paged_optimizer_in_backward = true,
     .own_embedding_unit = true,
     .n = 13,
     .sources = 1},
    // its figures come from torchtune's recipes
    {.stack = torchao, .adapter_bytes = 2, .own_adapter_inputs = false, .own_embedding_unit = true},
    // prior (40 figures of one project, three tables): loss in chunks of 128 tokens, 4-bit layers that compute from fp32 inputs
    {.stack = litgpt,
     .adapter_bytes = 2,
     .quantised_input_bytes = 4,
     .logit_bytes_autocast = 12,
     .logit_bytes_pure = 12,
     .fsdp_accumulates = true,
     .n = 40,
     .sources = 1},
    // prior: its examples print figures without a length or the kind of peak
    {.stack = axolotl, .delays_reduction = true, .band_factor = 1.3},
    // bounded by 8 longest contexts: kernels that recompute norms and gates, one input for all adapters
    {.stack = unsloth, .own_adapter_inputs = false, .fused_kernels = true},
    // prior: 13 figures of one source, bounds of 9 more
    {.stack = fsdp_qlora, .adapter_bytes = 2, .slack = 0.28, .n = 13, .sources = 1},
    // Pretraining: fused loss kernels, batches of one shape. bounded by 87 micro-batches of MPT, 6 figures of torchtitan. Their
    // loops reduce gradients with every micro-batch: MPT-70B ran on 32 GPUs of 80 GB with 16 of them a step, where whole
    // gradients would take 121 GiB.
    {.stack = torchtitan,
     .logit_bytes_autocast = 8,
     .logit_bytes_pure = 8,
     .compiled_logit_share = 0.5,
     .slack = 0.08,
     .own_embedding_unit = true,
     .sequence_parallel = true},
    {.stack = llm_foundry, .logit_bytes_autocast = 8, .logit_bytes_pure = 8, .slack = 0.08},
    // counted: Transformer Engine's norms and gates keep their inputs, and its fp8 products keep theirs in fp8
    {.stack = megatron,
     .logit_bytes_autocast = 8,
     .logit_bytes_pure = 8,
     .slack = 0.08,
     .sequence_parallel = true,
     .fused_kernels = true,
     .fp8_inputs = true},
}};

}  // namespace

std::span<const StackBehaviour> stack_behaviours() {
  return k_rows;
}

const StackBehaviour& stack_behaviour(Stack stack) {
  for (const StackBehaviour& row : k_rows) {
    if (row.stack == stack) {
      return row;
    }
  }
  return k_rows.front();
}

}  // namespace gpuadvise::estimate
