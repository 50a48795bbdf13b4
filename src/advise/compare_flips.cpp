#include "advise/compare_flips.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::advise {
namespace {

constexpr double k_dearest_electricity = 2.0;  // USD/kWh: no grid is dearer
constexpr double k_hours_of_a_day = 24.0;
constexpr double k_days_of_a_year = 365.0;

// The accepted cards under some wishes, in the order of the cards; nullptr where one is not accepted.
struct Judged {
  Advice advice;
  std::vector<const Recommendation*> of_card;
};

Judged judged(std::span<const Gpu* const> cards, const Request& request, Preferences preferences, const CatalogView& catalog) {
  preferences.source = Sourcing::buy;
  preferences.budget_usd.reset();
  preferences.budget_per_run_usd.reset();
  AdviceOptions options;
  options.remedies = false;
  Judged out{recommend(request, preferences, catalog, options), {}};
  for (const Gpu* gpu : cards) {
    const auto found =
        std::find_if(out.advice.results.begin(), out.advice.results.end(), [gpu](const Recommendation& each) { return each.gpu == gpu; });
    out.of_card.push_back(found == out.advice.results.end() ? nullptr : &*found);
  }
  return out;
}

std::optional<double> cost_of_work(const Judged& judged, std::size_t card) {
  return judged.of_card[card] != nullptr ? judged.of_card[card]->cost.usd_per_million : std::nullopt;
}

std::vector<BudgetStretch> by_budget(const Judged& all, const Preferences& preferences) {
  std::vector<const Recommendation*> bought;
  for (const Recommendation& result : all.advice.results) {
    if (result.cost.purchase_usd) {
      bought.push_back(&result);
    }
  }
  std::stable_sort(bought.begin(), bought.end(),
                   [](const Recommendation* a, const Recommendation* b) { return *a->cost.purchase_usd < *b->cost.purchase_usd; });
  std::vector<BudgetStretch> out;
  const Recommendation* best = nullptr;
  for (const Recommendation* result : bought) {
    if (best != nullptr && result->rank > best->rank) {
      continue;  // dearer and no better
    }
    const double from = std::ceil(*result->cost.purchase_usd / (1.0 - preferences.reserve_share) - 1e-9);
    if (!out.empty() && out.back().from_usd == from) {
      out.pop_back();
    } else if (!out.empty()) {
      out.back().to_usd = from;
    }
    out.push_back({from, std::nullopt, result->gpu, result->count});
    best = result;
  }
  return out;
}

// Costs are linear in the price of electricity, and in the inverse of the hours of use: two points give the line.
struct Line {
  double base = 0.0;
  double slope = 0.0;
};

std::optional<Line> by_electricity(const Judged& free, const Judged& at_one_dollar, std::size_t card) {
  const auto base = cost_of_work(free, card);
  const auto one = cost_of_work(at_one_dollar, card);
  return base && one ? std::optional<Line>({*base, *one - *base}) : std::nullopt;
}

std::optional<Line> by_hours(const Judged& one_hour, const Judged& two_hours, std::size_t card) {
  const auto one = cost_of_work(one_hour, card);
  const auto two = cost_of_work(two_hours, card);
  if (!one || !two) {
    return std::nullopt;
  }
  const double shared = 2.0 * (*one - *two);  // what the hours share between them
  return Line{*one - shared, shared};
}

void add_flips(std::span<const Gpu* const> cards, const std::vector<std::optional<Line>>& lines, FlipBy by, std::vector<Flip>& out) {
  for (std::size_t i = 0; i < cards.size(); ++i) {
    for (std::size_t j = i + 1; j < cards.size(); ++j) {
      if (!lines[i] || !lines[j]) {
        continue;
      }
      const bool hours = by == FlipBy::hours_per_day;
      // In hours the line is over 1/h: a crossing at least a 24th is one within the day.
      const double most = hours ? 1e6 : k_dearest_electricity;
      const auto at = crossing(lines[i]->base, lines[i]->slope, lines[j]->base, lines[j]->slope, most);
      if (!at || (hours && 1.0 / *at >= k_hours_of_a_day)) {
        continue;
      }
      const bool i_first = lines[i]->base < lines[j]->base;  // at 0: free electricity, or endless hours
      const Gpu* at_zero = i_first ? cards[i] : cards[j];
      const Gpu* beyond = i_first ? cards[j] : cards[i];
      out.push_back(hours ? Flip{FlipOf::cost_of_work, by, 1.0 / *at, beyond, at_zero}
                          : Flip{FlipOf::cost_of_work, by, *at, at_zero, beyond});
    }
  }
}

void add_rent_or_buy(const Judged& now, const Preferences& preferences, std::vector<Flip>& out) {
  for (const Recommendation* result : now.of_card) {
    const bool both = result != nullptr && result->cost.break_even_hours && preferences.years > 0.0;
    const double hours = both ? *result->cost.break_even_hours / (preferences.years * k_days_of_a_year) : 0.0;
    if (hours > 0.0 && hours < k_hours_of_a_day) {
      out.push_back({FlipOf::rent_or_buy, FlipBy::hours_per_day, hours, result->gpu, result->gpu});
    }
  }
}

}  // namespace

std::string_view to_string(FlipOf of) {
  return of == FlipOf::cost_of_work ? "cost-of-work" : "rent-or-buy";
}

std::string_view to_string(FlipBy by) {
  return by == FlipBy::electricity ? "electricity_usd_per_kwh" : "hours_per_day";
}

std::optional<double> crossing(double a, double b, double c, double d, double most) {
  if (b == d) {
    return std::nullopt;
  }
  const double x = (c - a) / (b - d);
  return x > 0.0 && x < most ? std::optional<double>(x) : std::nullopt;
}

MoneyFlips money_flips(std::span<const Gpu* const> cards, const Request& request, const Preferences& preferences,
                       const CatalogView& catalog) {
  const auto under = [&](double Preferences::*key, double value) {
    Preferences changed = preferences;
    changed.*key = value;
    return judged(cards, request, std::move(changed), catalog);
  };
  const Judged now = judged(cards, request, preferences, catalog);
  const Judged free = under(&Preferences::electricity_usd_per_kwh, 0.0);
  const Judged at_one_dollar = under(&Preferences::electricity_usd_per_kwh, 1.0);
  const Judged one_hour = under(&Preferences::hours_per_day, 1.0);
  const Judged two_hours = under(&Preferences::hours_per_day, 2.0);
  std::vector<std::optional<Line>> electricity;
  std::vector<std::optional<Line>> hours;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    electricity.push_back(by_electricity(free, at_one_dollar, i));
    hours.push_back(by_hours(one_hour, two_hours, i));
  }
  MoneyFlips out;
  if (preferences.source == Sourcing::rent) {
    add_rent_or_buy(now, preferences, out.flips);  // who rents pays neither for boards nor for their electricity
    return out;
  }
  out.by_budget = by_budget(now, preferences);
  add_flips(cards, electricity, FlipBy::electricity, out.flips);
  add_flips(cards, hours, FlipBy::hours_per_day, out.flips);
  add_rent_or_buy(now, preferences, out.flips);
  return out;
}

}  // namespace gpuadvise::advise
