// Where the order of compared cards changes with money: the budget, the price of electricity, the hours of use. Crossings are solved
// from the cost formulas, not sampled.
#pragma once

#include <gpuadvise/advice.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

// A range of budgets over which the same card ranks first of those it buys.
struct BudgetStretch {
  double from_usd = 0.0;
  std::optional<double> to_usd;  // unset: without end
  const Gpu* best = nullptr;
  double count = 1.0;
};

enum class FlipOf : std::uint8_t { cost_of_work, rent_or_buy };
enum class FlipBy : std::uint8_t { electricity, hours_per_day };
[[nodiscard]] std::string_view to_string(FlipOf of);
[[nodiscard]] std::string_view to_string(FlipBy by);

// Below `at` the first is cheaper, above it the second. Of rent or buy: one card, cheaper to rent below and to buy above.
struct Flip {
  FlipOf of = FlipOf::cost_of_work;
  FlipBy by = FlipBy::electricity;
  double at = 0.0;
  const Gpu* below = nullptr;
  const Gpu* above = nullptr;
};

struct MoneyFlips {
  std::vector<BudgetStretch> by_budget;
  std::vector<Flip> flips;
};

// The cards are asked again under other prices and hours; preferences name them as candidates.
[[nodiscard]] MoneyFlips money_flips(std::span<const Gpu* const> cards, const Request& request, const Preferences& preferences,
                                     const CatalogView& catalog);

// Where a + b x crosses c + d x, for x in (0, most); nullopt where it does not.
[[nodiscard]] std::optional<double> crossing(double a, double b, double c, double d, double most);

}  // namespace gpuadvise::advise
