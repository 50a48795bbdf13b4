#include "catalog/lint_exceptions.hpp"

#include <array>

namespace gpuadvise::catalog {
namespace {

struct Exception {
  std::string_view gpu_id;
  std::string_view rule;
  std::string_view reason;
};

constexpr std::array k_exceptions = {
    Exception{"a10g", "gpu-tensor-rate", "half the rate of the A10 by the AWS data sheet"},
    Exception{"l20", "gpu-tensor-rate", "tensor rates capped for export; 114 of the stated 119.5 measured"},
    Exception{"l40", "gpu-tensor-rate", "half the rate of the L40S by NVIDIA's sheet"},
    Exception{"rubin-r200", "gpu-rate-ratio", "announced figures; FP8 is not tied to FP16"},
};

}  // namespace

std::string_view lint_exception(std::string_view gpu_id, std::string_view rule) {
  for (const Exception& exception : k_exceptions) {
    if (exception.gpu_id == gpu_id && exception.rule == rule) {
      return exception.reason;
    }
  }
  return {};
}

}  // namespace gpuadvise::catalog
