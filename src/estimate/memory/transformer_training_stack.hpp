// What the training program decides about memory, one row a program. A setting that a user can name (fused loss,
// offloaded checkpoints) is a key of the workload and not here.
#pragma once

#include <gpuadvise/workload.hpp>

#include "estimate/memory/band.hpp"

#include <span>

namespace gpuadvise::estimate {

struct StackBehaviour {
  Stack stack = Stack::none;
  double adapter_bytes = 4;          // storage of an adapter parameter: PEFT keeps adapters in fp32
  bool kbit_preparation = false;     // embeddings, head and norms in fp32, and with them the whole residual stream
  bool casts_model = false;          // an engine turns a quantised model's rest into one 16-bit type again (DeepSpeed)
  bool own_adapter_inputs = true;    // every adapted layer casts (and drops out) an input of its own
  double quantised_input_bytes = 0;  // a 4-bit layer's input where the program keeps it: bytes of an element
  double logit_bytes_autocast = 16;  // a logit at the peak of the loss
  double logit_bytes_pure = 16;
  double compiled_logit_share = 1.0;         // what torch.compile leaves of them
  double slack = 0.17;                       // reserved over allocated, of what lives within a step
  bool paged_optimizer_in_backward = false;  // its recipe for one GPU frees each gradient at once
  bool foreach_optimizer = false;            // one copy of all updates at the step (PyTorch's default since 2.0)
  bool own_embedding_unit = false;           // FSDP wraps embeddings and head apart, and frees them between uses
  bool fsdp_accumulates = false;             // its recipes take several micro-batches a step, and FSDP then keeps whole gradients
  bool delays_reduction = false;             // accumulates under no_sync: FSDP reduces gradients once a step, and keeps them whole
  bool sequence_parallel = false;            // tensor-parallel ranks divide norms and the stream between blocks too
  bool fused_kernels = false;                // norms and gated MLPs keep their inputs only
  bool fp8_inputs = false;                   // products in fp8 keep their inputs so, not in 16 bits
  double band_factor = 1.0;                  // width of the interval against the class's own
  ConstantKind kind = ConstantKind::prior;
  int n = 0;        // published figures the row rests on
  int sources = 0;  // and their publications, 0 = not recorded
};

[[nodiscard]] const StackBehaviour& stack_behaviour(Stack stack);

// All rows, for the documentation and the test of kinds of constants.
[[nodiscard]] std::span<const StackBehaviour> stack_behaviours();

}  // namespace gpuadvise::estimate
