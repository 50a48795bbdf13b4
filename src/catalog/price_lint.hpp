// Plausibility of prices and cloud offers.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/gpu.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// `known_gpus`: ids of cards; a row of another card is refused unless the list is empty.
[[nodiscard]] std::vector<Finding> lint_prices(std::span<const Price> prices, std::span<const std::string_view> known_gpus);
[[nodiscard]] std::vector<Finding> lint_offers(std::span<const CloudOffer> offers, std::span<const std::string_view> known_gpus);

}  // namespace gpuadvise::catalog
