// Whether weights stay as a model's file has them.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/precision.hpp>

namespace gpuadvise::model {

// The file says how many bytes its tensors take, and they are asked for in its own format. The two 16-bit formats take as much.
[[nodiscard]] inline bool keeps_stored_format(const Precision& precision, const StoredWeights& file) {
  if (file.bytes <= 0 || file.precision.empty()) {
    return false;
  }
  const bool half = precision.kind == PrecisionKind::fp16 || precision.kind == PrecisionKind::bf16;
  return to_string(precision) == file.precision || (half && (file.precision == "fp16" || file.precision == "bf16"));
}

}  // namespace gpuadvise::model
