// Counts are doubles inside; in text they have no point.
#pragma once

#include <cmath>
#include <string>

namespace gpuadvise {

[[nodiscard]] inline std::string whole_text(double count) {
  return std::to_string(std::llround(count));
}

}  // namespace gpuadvise
