// Every default of the contract, in one place; each fills only what nobody said and leaves its origin.
#pragma once

#include <gpuadvise/workload.hpp>

#include "workload/draft.hpp"

namespace gpuadvise::workload {

// Task, training program: what presets depend on.
void apply_leading_defaults(Draft& draft);
// The user or a file said that something is trained: by the task, or by a setting that only training has.
[[nodiscard]] bool asks_for_training(const Draft& draft);
// All other keys; presets have been applied.
void apply_defaults(Draft& draft);

// A default strategy and degrees for the number of GPUs; also used when a plan tries another number.
[[nodiscard]] Strategy default_strategy(const Workload& workload);

}  // namespace gpuadvise::workload
