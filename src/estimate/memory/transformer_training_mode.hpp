// Widths of everything that is stored in transformer training, from precision, method and training program.
#pragma once

#include <gpuadvise/workload.hpp>

#include "estimate/memory/transformer_training_stack.hpp"

namespace gpuadvise::estimate {

enum class BaseStorage : std::uint8_t { plain, int8, nf4 };

// Bytes of one element unless the name says otherwise.
struct TrainingMode {
  bool trains_base = true;
  bool autocast = false;  // operators choose their type; otherwise everything has the type of the weights
  BaseStorage storage = BaseStorage::plain;
  double base = 4;       // a weight of the base that is not quantised
  double quantised = 0;  // a weight of a quantised linear layer, scales included
  double embedding = 4;
  double unquantised = 4;  // what a quantiser leaves alone beside the embeddings: norms, an image tower
  double master = 0;       // fp32 copy of a 16-bit trained parameter, kept with the states
  double trained = 4;      // a trained parameter (its gradient and its states have the same type)
  double compute = 4;      // operands of matrix products
  double residual = 4;     // the stream between blocks, and what its checkpoints keep
  double cast_copy = 0;    // 16-bit copy of a linear weight that autocast keeps during a step
};

[[nodiscard]] TrainingMode training_mode(const Workload& workload, const StackBehaviour& stack);

}  // namespace gpuadvise::estimate
