// What an optimizer keeps for every trained parameter, and what its step allocates for a moment.
#pragma once

#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// All in bytes per trained parameter.
struct OptimizerBytes {
  double states = 0;     // kept from step to step
  double temporary = 0;  // alive during the step only
};

// parameter_bytes: storage of a trained parameter (4 with fp32 or autocast, 2 with pure 16-bit weights): the states of
// PyTorch's own optimizers take the type of their parameter.
[[nodiscard]] OptimizerBytes optimizer_bytes(Optimizer optimizer, double parameter_bytes);

}  // namespace gpuadvise::estimate
