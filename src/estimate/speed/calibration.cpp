#include "estimate/speed/calibration.hpp"

namespace gpuadvise::estimate {

double constant(std::size_t index) {
  return k_calibration[index].value;
}

}  // namespace gpuadvise::estimate
