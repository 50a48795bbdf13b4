// Which card came before another in its class.
#pragma once

#include <span>
#include <string_view>

namespace gpuadvise::advise {

// The id of the card of the same class one generation earlier; empty where the class has none, or it is not known.
[[nodiscard]] std::string_view predecessor_of(std::string_view gpu_id);
// Every class, oldest first, for the test.
[[nodiscard]] std::span<const std::span<const std::string_view>> lineages();

}  // namespace gpuadvise::advise
