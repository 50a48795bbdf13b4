// Which of a card's quotes is its price. The kind stays with the price, so that an estimate or a launch price is shown as such.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/preferences.hpp>

#include <optional>
#include <span>

namespace gpuadvise::catalog {

// The user's own price wins. Else by state of the card, the newest quote of the first kind there is:
//   sold new: new retail, launch price; discontinued: used, launch price; data-center parts: an estimate before the launch price.
// `prices` are the quotes of this card. nullopt = no price known.
[[nodiscard]] std::optional<Price> choose_price(const Gpu& gpu, std::span<const Price> prices, Condition condition);

}  // namespace gpuadvise::catalog
