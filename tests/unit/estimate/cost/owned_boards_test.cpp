#include "catch.hpp"
#include "estimate/cost/cost.hpp"

namespace gpuadvise::estimate {
namespace {

TEST_CASE("boards the user has cost nothing") {
  Gpu gpu;
  const Price price{"card", 700.0, PriceKind::used, "2026-01", "test"};
  const CostTerms terms{0.2, 8.0, 2.0, 0.0};
  CHECK(ownership_costs(gpu, 2.0, price, {}, terms).purchase_usd == 1400.0);
  CHECK(ownership_costs(gpu, 2.0, price, {}, terms, 1.0).purchase_usd == 700.0);
  CHECK(ownership_costs(gpu, 2.0, price, {}, terms, 2.0).purchase_usd == 0.0);
  CHECK(ownership_costs(gpu, 1.0, price, {}, terms, 4.0).purchase_usd == 0.0);
}

TEST_CASE("a card that is there needs no known price; its twin does") {
  Gpu gpu;
  CHECK(ownership_costs(gpu, 1.0, std::nullopt, {}, {}, 1.0).purchase_usd == 0.0);
  CHECK_FALSE(ownership_costs(gpu, 2.0, std::nullopt, {}, {}, 1.0).purchase_usd.has_value());
}

}  // namespace
}  // namespace gpuadvise::estimate
