#include "catalog/gpu_price.hpp"

#include "catch.hpp"

#include <vector>

using namespace gpuadvise;
using namespace gpuadvise::catalog;

namespace {

Gpu card(Availability availability, Segment segment = Segment::consumer) {
  Gpu gpu;
  gpu.id = "card";
  gpu.availability = availability;
  gpu.segment = segment;
  return gpu;
}

const std::vector<Price> k_all = {
    {"card", 700, PriceKind::new_retail, "2026-03-06", "shop"}, {"card", 600, PriceKind::new_retail, "2025-11", "shop"},
    {"card", 500, PriceKind::launch, "2022", "maker"},          {"card", 300, PriceKind::used, "2026-02", "auction"},
    {"card", 280, PriceKind::used, "2024-12", "auction"},       {"card", 900, PriceKind::estimate, "2026-05-01", "guess"},
};

std::vector<Price> without(PriceKind kind, std::vector<Price> prices = k_all) {
  std::erase_if(prices, [kind](const Price& price) { return price.kind == kind; });
  return prices;
}

}  // namespace

TEST_CASE("a card sold new costs its newest retail quote, else its launch price") {
  const Gpu gpu = card(Availability::current);
  CHECK(choose_price(gpu, k_all, Condition::any)->usd == 700);
  const auto launch = choose_price(gpu, without(PriceKind::new_retail), Condition::any);
  REQUIRE(launch);
  CHECK(launch->usd == 500);
  CHECK(launch->kind == PriceKind::launch);
}

TEST_CASE("a discontinued card costs its newest used quote, else its launch price") {
  const Gpu gpu = card(Availability::discontinued);
  CHECK(choose_price(gpu, k_all, Condition::any)->usd == 300);
  CHECK(choose_price(gpu, without(PriceKind::used), Condition::any)->kind == PriceKind::launch);
}

TEST_CASE("a data-center part without quotes costs an estimate, marked as such") {
  const Gpu current = card(Availability::current, Segment::datacenter);
  const auto price = choose_price(current, without(PriceKind::new_retail), Condition::any);
  REQUIRE(price);
  CHECK(price->usd == 900);
  CHECK(price->kind == PriceKind::estimate);
  const Gpu old = card(Availability::discontinued, Segment::datacenter);
  CHECK(choose_price(old, k_all, Condition::any)->kind == PriceKind::used);
  CHECK(choose_price(old, without(PriceKind::used), Condition::any)->kind == PriceKind::estimate);
}

TEST_CASE("the condition asked for is kept") {
  const Gpu current = card(Availability::current);
  const Gpu old = card(Availability::discontinued);
  CHECK(choose_price(old, k_all, Condition::brand_new)->usd == 700);
  CHECK(choose_price(current, k_all, Condition::used)->usd == 300);
  CHECK_FALSE(choose_price(current, without(PriceKind::used), Condition::used).has_value());
  CHECK(choose_price(old, without(PriceKind::used), Condition::used)->kind == PriceKind::launch);
  CHECK_FALSE(choose_price(current, {}, Condition::any).has_value());
}

TEST_CASE("the user's price wins") {
  std::vector<Price> prices = k_all;
  prices.push_back({"card", 123, PriceKind::user, "", ""});
  for (const Condition condition : {Condition::any, Condition::brand_new, Condition::used}) {
    CHECK(choose_price(card(Availability::current), prices, condition)->usd == 123);
  }
}

TEST_CASE("newest is by date; a later row of the same day replaces an earlier one") {
  const Gpu gpu = card(Availability::current);
  const std::vector<Price> prices = {{"card", 1, PriceKind::new_retail, "2026-06", ""},
                                     {"card", 2, PriceKind::new_retail, "2026", ""},
                                     {"card", 3, PriceKind::new_retail, "2026-06-01", ""},
                                     {"card", 4, PriceKind::new_retail, "2025-12-31", ""}};
  CHECK(choose_price(gpu, prices, Condition::any)->usd == 3);
}

TEST_CASE("the launch price of the card's entry serves where no row has one") {
  Gpu gpu = card(Availability::current);
  gpu.launch_price_usd = 249;
  gpu.release_date = "2025-07";
  const auto price = choose_price(gpu, {}, Condition::any);
  REQUIRE(price);
  CHECK(price->usd == 249);
  CHECK(price->kind == PriceKind::launch);
  CHECK(price->as_of == "2025-07");
}
