#include "estimate/memory/optimizer_states.hpp"

#include <array>

namespace gpuadvise::estimate {
namespace {

struct OptimizerRow {
  Optimizer optimizer;
  double states_per_parameter_byte;  // in units of the parameter's own storage
  double states_fixed;               // bytes whatever the parameter's type
  double temporary_per_parameter_byte;
};

// Counted unless said otherwise. 8-bit and 4-bit states carry fp32 scales of blocks of 256 and 128, and small tensors
// stay whole: 2.03 and 1.06 bytes; published 8-bit and 4-bit tuning of a 6.7B model saves 1.83 and 2.73 bytes each.
// The temporary is the foreach implementation's copy of all updates (or of decayed gradients); fused and low-bit
// optimizers work tensor by tensor.
constexpr std::array<OptimizerRow, 11> k_optimizers = {{
    {Optimizer::none, 0, 0, 0},
    {Optimizer::sgd, 0, 0, 1},
    {Optimizer::sgd_momentum, 1, 0, 1},
    {Optimizer::adam, 2, 0, 1},
    {Optimizer::adamw, 2, 0, 1},
    {Optimizer::adamw_8bit, 0, 2.03, 0},
    {Optimizer::adamw_4bit, 0, 1.06, 0},
    {Optimizer::paged_adamw_8bit, 0, 2.03, 0},
    {Optimizer::adafactor, 0, 0.01, 0},  // rows and columns of the second moment, no first moment
    {Optimizer::lion, 1, 0, 0},
    {Optimizer::galore_adamw, 0.25, 0, 0},  // prior: rank 128 of width 4096 for matrices, whole states for the rest
}};

}  // namespace

OptimizerBytes optimizer_bytes(Optimizer optimizer, double parameter_bytes) {
  for (const OptimizerRow& row : k_optimizers) {
    if (row.optimizer == optimizer) {
      return {row.states_per_parameter_byte * parameter_bytes + row.states_fixed, row.temporary_per_parameter_byte * parameter_bytes};
    }
  }
  return {2 * parameter_bytes, parameter_bytes};
}

}  // namespace gpuadvise::estimate
