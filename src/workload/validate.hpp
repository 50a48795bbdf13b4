// Settings that exclude each other, and settings that change nothing.
#pragma once

#include "workload/draft.hpp"

namespace gpuadvise::workload {

// Adds a fault for every pair that cannot be, a finding for what is allowed but surprising. Defaults have been applied.
void validate(Draft& draft);

}  // namespace gpuadvise::workload
