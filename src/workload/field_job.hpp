// The key field: what stands in for a model where only the kind of network is said, and whether a model is of that kind.
#pragma once

#include "workload/draft.hpp"

namespace gpuadvise::workload {

// Notes the field that was given; where nothing names a model or a size, sets what is usually run in that field, with origin preset.
void place_field_job(Draft& draft);
// A fault where the model is of another kind than the field that was given.
void check_field(Draft& draft);

}  // namespace gpuadvise::workload
