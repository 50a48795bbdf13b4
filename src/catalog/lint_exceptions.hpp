// Cards whose stated figures break a plausibility rule and are right nevertheless, by name and with the reason.
#pragma once

#include <string_view>

namespace gpuadvise::catalog {

// Whether the rule ("gpu-tensor-rate") is known not to hold for the card; the reason, or empty.
[[nodiscard]] std::string_view lint_exception(std::string_view gpu_id, std::string_view rule);

}  // namespace gpuadvise::catalog
