#include "catalog/gpu_price.hpp"

#include <array>
#include <string_view>

namespace gpuadvise::catalog {
namespace {

using K = PriceKind;

struct Order {
  Condition condition;
  bool sold_new;
  bool datacenter;
  std::array<K, 4> kinds;  // tried in turn; repeats fill the row
};

// Data-center parts have no list price that a buyer pays; estimates come nearer than the launch price of a whole system.
constexpr std::array k_orders = {
    Order{Condition::any, true, false, {K::new_retail, K::launch, K::estimate, K::used}},
    Order{Condition::any, false, false, {K::used, K::launch, K::estimate, K::new_retail}},
    Order{Condition::any, true, true, {K::new_retail, K::estimate, K::launch, K::used}},
    Order{Condition::any, false, true, {K::used, K::estimate, K::launch, K::new_retail}},
    Order{Condition::brand_new, true, false, {K::new_retail, K::launch, K::estimate, K::estimate}},
    Order{Condition::brand_new, false, false, {K::new_retail, K::launch, K::estimate, K::estimate}},
    Order{Condition::brand_new, true, true, {K::new_retail, K::estimate, K::launch, K::launch}},
    Order{Condition::brand_new, false, true, {K::new_retail, K::estimate, K::launch, K::launch}},
    // A card still sold new may not yet be found used; then there is no used price. An old one costs at most what it did.
    Order{Condition::used, true, false, {K::used, K::used, K::used, K::used}},
    Order{Condition::used, false, false, {K::used, K::launch, K::launch, K::launch}},
    Order{Condition::used, true, true, {K::used, K::used, K::used, K::used}},
    Order{Condition::used, false, true, {K::used, K::estimate, K::launch, K::launch}},
};

// A date of a year or a month counts as its first day.
bool older(std::string_view a, std::string_view b) {
  constexpr std::string_view k_first = "0000-01-01";
  for (std::size_t i = 0; i < k_first.size(); ++i) {
    const char x = i < a.size() ? a[i] : k_first[i];
    const char y = i < b.size() ? b[i] : k_first[i];
    if (x != y) {
      return x < y;
    }
  }
  return false;
}

// Of two quotes of one day the later row wins: overlays stand behind the built-in rows.
const Price* newest(std::span<const Price> prices, K kind) {
  const Price* best = nullptr;
  for (const Price& price : prices) {
    if (price.kind == kind && price.usd > 0.0 && (best == nullptr || !older(price.as_of, best->as_of))) {
      best = &price;
    }
  }
  return best;
}

}  // namespace

std::optional<Price> choose_price(const Gpu& gpu, std::span<const Price> prices, Condition condition) {
  if (const Price* own = newest(prices, K::user)) {
    return *own;
  }
  const bool sold_new = gpu.availability != Availability::discontinued;
  const bool datacenter = gpu.segment == Segment::datacenter;
  for (const Order& order : k_orders) {
    if (order.condition != condition || order.sold_new != sold_new || order.datacenter != datacenter) {
      continue;
    }
    for (const K kind : order.kinds) {
      if (const Price* found = newest(prices, kind)) {
        return *found;
      }
      if (kind == K::launch && gpu.launch_price_usd) {
        return Price{gpu.id, *gpu.launch_price_usd, K::launch, gpu.release_date, "launch price of the card's entry"};
      }
    }
  }
  return std::nullopt;
}

}  // namespace gpuadvise::catalog
