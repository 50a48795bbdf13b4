#include "advise/compare.hpp"

#include "advise/compare_lineage.hpp"
#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>

namespace gpuadvise::advise::test {
namespace {

Comparison compared(const RealCatalog& catalog, std::initializer_list<std::string_view> ids, const std::vector<Setting>& request,
                    const Preferences& preferences = {}) {
  std::vector<const Gpu*> cards;
  for (const std::string_view id : ids) {
    cards.push_back(&catalog.gpu(id));
  }
  return compare(cards, request, preferences, catalog.view(), [&catalog](std::span<const Setting> all) { return catalog.resolve(all); });
}

}  // namespace

TEST_CASE("ratios are ranges around the ratio of the estimates, and near cards tie", "[advise][compare]") {
  const RealCatalog catalog;
  const Comparison comparison = compared(catalog, {"rtx-3060-12gb", "rtx-3060-12gb", "rtx-4060-ti-16gb", "h100-80gb-pcie"},
                                         settings({{"model", "resnet50"}, {"batch", "32"}}));
  REQUIRE(comparison.cards.size() == 4);
  CHECK(comparison.cards[0].relation == Relation::base);
  CHECK_FALSE(comparison.cards[0].speed_ratio);
  REQUIRE(comparison.cards[1].speed_ratio);
  CHECK(comparison.cards[1].speed_ratio->expected == Approx(1.0));
  CHECK(comparison.cards[1].relation == Relation::tie);
  CHECK(comparison.cards[3].relation == Relation::faster);
  for (std::size_t i = 1; i < comparison.cards.size(); ++i) {
    const Interval& ratio = *comparison.cards[i].speed_ratio;
    CHECK(ratio.low < ratio.expected);
    CHECK(ratio.expected < ratio.high);
    CHECK(ratio.expected ==
          Approx(comparison.cards[i].figures.speed->throughput.expected / comparison.cards[0].figures.speed->throughput.expected));
  }
}

TEST_CASE("the other way round, the ratio turns over", "[advise][compare]") {
  const RealCatalog catalog;
  const auto job = settings({{"model", "llama-3.1-8b"}, {"task", "infer"}});
  const Comparison there = compared(catalog, {"rtx-3090", "h100-80gb-pcie"}, job);
  const Comparison back = compared(catalog, {"h100-80gb-pcie", "rtx-3090"}, job);
  CHECK(there.cards[1].speed_ratio->expected == Approx(1.0 / back.cards[1].speed_ratio->expected));
  CHECK(there.cards[1].speed_ratio->low == Approx(1.0 / back.cards[1].speed_ratio->high));
}

TEST_CASE("a card that does not hold the job has no ratio", "[advise][compare]") {
  const RealCatalog catalog;
  const Comparison comparison = compared(catalog, {"rtx-4090", "rtx-3060-12gb"}, settings({{"model", "llama-3.1-8b"}, {"task", "infer"}}));
  CHECK(comparison.cards[1].figures.fit->verdict == Verdict::no);
  CHECK(comparison.cards[1].relation == Relation::unknown);
  CHECK_FALSE(comparison.cards[1].speed_ratio);
  CHECK_FALSE(comparison.cards[1].speed_per_1000_usd);
}

TEST_CASE("values for a dollar follow the stated price", "[advise][compare]") {
  const RealCatalog catalog;
  Preferences preferences;
  preferences.price_overrides = {{"rtx-3090", 500.0}};
  const Comparison comparison = compared(catalog, {"rtx-3090", "rtx-4090"}, settings({{"model", "resnet50"}}), preferences);
  const Compared& card = comparison.cards.front();
  REQUIRE(card.cost.price);
  CHECK(card.cost.price->usd == 500.0);
  CHECK(*card.gib_per_1000_usd == Approx(48.0));
  CHECK(*card.bandwidth_per_1000_usd == Approx(card.gpu->memory_bandwidth_gb_s * 2.0));
  CHECK(*card.speed_per_1000_usd == Approx(card.figures.speed->throughput.expected * 2.0));
  CHECK(*card.bandwidth_per_gib == Approx(card.gpu->memory_bandwidth_gb_s / card.gpu->memory_gib));
}

TEST_CASE("stretches cover the batches once, and name only cards that hold the job", "[advise][compare]") {
  const RealCatalog catalog;
  const Comparison comparison = compared(catalog, {"rtx-4070-ti", "rtx-3090"}, settings({{"model", "resnet50"}, {"precision", "fp32"}}));
  REQUIRE_FALSE(comparison.stretches.empty());
  double next = 1.0;
  for (const Stretch& stretch : comparison.stretches) {
    CHECK(stretch.from == next);
    next = stretch.to * 2.0;
  }
  CHECK(comparison.stretches.back().fastest == nullptr);  // 1024 images fit neither
  const bool large_batches_need_memory = std::any_of(comparison.stretches.begin(), comparison.stretches.end(), [](const Stretch& s) {
    return s.fastest != nullptr && s.fastest->id == "rtx-3090" && s.tied == nullptr;
  });
  CHECK(large_batches_need_memory);
}

TEST_CASE("gain is over the same class", "[advise][compare]") {
  const RealCatalog catalog;
  const Comparison comparison = compared(catalog, {"rtx-4090", "l4"}, settings({{"model", "resnet50"}, {"batch", "32"}}));
  REQUIRE(comparison.cards[0].gain);
  CHECK(comparison.cards[0].gain->over->id == "rtx-3090");
  CHECK(comparison.cards[0].gain->memory == Approx(1.0));
  CHECK(*comparison.cards[0].gain->speed > 1.0);
  CHECK(comparison.cards[1].gain->over->id == "t4");
}

TEST_CASE("lineages name cards of the catalog, each newer than the one before", "[advise][compare]") {
  const RealCatalog catalog;
  for (const auto line : lineages()) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      INFO(line[i]);
      const Gpu& gpu = catalog.gpu(line[i]);
      CHECK(gpu.id == line[i]);
      if (i > 0) {
        CHECK(catalog.gpu(line[i - 1]).release_date < gpu.release_date);
        CHECK(predecessor_of(line[i]) == line[i - 1]);
      }
    }
    CHECK(predecessor_of(line.front()).empty());
  }
  CHECK(predecessor_of("no-such-card").empty());
}

TEST_CASE("two lines cross once, in the range asked for", "[advise][compare]") {
  CHECK(*crossing(1.0, 2.0, 3.0, 1.0, 10.0) == Approx(2.0));
  CHECK_FALSE(crossing(1.0, 2.0, 3.0, 1.0, 1.5));
  CHECK_FALSE(crossing(1.0, 1.0, 3.0, 1.0, 10.0));
  CHECK_FALSE(crossing(3.0, 2.0, 1.0, 1.0, 10.0));
}

namespace {

// Cost of a million units of work of a card under these wishes.
double cost_of(const RealCatalog& catalog, const Gpu* gpu, const std::vector<Setting>& job, Preferences preferences) {
  preferences.candidates = {std::string(gpu->id)};
  const Advice advice = recommend(catalog.resolve(job), preferences, catalog.view());
  REQUIRE(advice.results.size() == 1);
  return *advice.results[0].cost.usd_per_million;
}

}  // namespace

TEST_CASE("the cost of work is equal where its order turns, and ordered on both sides", "[advise][compare]") {
  const RealCatalog catalog;
  const auto job = settings({{"model", "resnet50"}, {"batch", "32"}});
  Preferences preferences;
  preferences.price_overrides = {{"rtx-3090", 800.0}, {"rtx-4090", 1600.0}, {"rtx-4060-ti-16gb", 450.0}};
  const Comparison comparison = compared(catalog, {"rtx-3090", "rtx-4090", "rtx-4060-ti-16gb"}, job, preferences);
  std::size_t seen = 0;
  for (const Flip& flip : comparison.money.flips) {
    if (flip.of != FlipOf::cost_of_work) {
      continue;
    }
    ++seen;
    const auto at = [&](const Gpu* gpu, double factor) {
      Preferences moved = preferences;
      (flip.by == FlipBy::electricity ? moved.electricity_usd_per_kwh : moved.hours_per_day) = flip.at * factor;
      return cost_of(catalog, gpu, job, moved);
    };
    CHECK(at(flip.below, 1.0) == Approx(at(flip.above, 1.0)).epsilon(1e-9));
    CHECK(at(flip.below, 0.9) < at(flip.above, 0.9));
    CHECK(at(flip.below, 1.1) > at(flip.above, 1.1));
  }
  CHECK(seen > 0);
}

TEST_CASE("renting and buying cost the same at the hours where they turn", "[advise][compare]") {
  const RealCatalog catalog;
  Preferences preferences;
  preferences.years = 3.0;
  const Comparison comparison = compared(catalog, {"rtx-3090", "rtx-4090"}, settings({{"model", "resnet50"}}), preferences);
  std::size_t seen = 0;
  for (const Flip& flip : comparison.money.flips) {
    if (flip.of == FlipOf::rent_or_buy) {
      ++seen;
      CHECK(flip.below == flip.above);
      const auto card =
          std::find_if(comparison.cards.begin(), comparison.cards.end(), [&flip](const Compared& each) { return each.gpu == flip.below; });
      const double hours = flip.at * 365.0 * preferences.years;
      const double power_kw = *card->cost.power_w / 1000.0 * 0.8;
      CHECK(hours * *card->cost.rent_usd_per_hour ==
            Approx(*card->cost.purchase_usd + hours * power_kw * preferences.electricity_usd_per_kwh).epsilon(1e-6));
    }
  }
  CHECK(seen == 2);
}

TEST_CASE("each budget has the card that ranks first of those it buys", "[advise][compare]") {
  const RealCatalog catalog;
  const auto job = settings({{"model", "resnet50"}, {"batch", "32"}});
  Preferences preferences;
  preferences.prefer = Prefer::speed;
  preferences.reserve_share = 0.2;
  preferences.price_overrides = {{"rtx-3060-12gb", 300.0}, {"rtx-4070", 500.0}, {"rtx-4090", 1600.0}};
  const Comparison comparison = compared(catalog, {"rtx-4090", "rtx-3060-12gb", "rtx-4070"}, job, preferences);
  const auto& stretches = comparison.money.by_budget;
  REQUIRE(stretches.size() >= 2);
  CHECK(stretches.front().from_usd == 375.0);
  CHECK_FALSE(stretches.back().to_usd);
  for (const BudgetStretch& stretch : stretches) {
    Preferences asked = preferences;
    asked.candidates = {"rtx-4090", "rtx-3060-12gb", "rtx-4070"};
    asked.budget_usd = stretch.from_usd;
    CHECK(recommend(catalog.resolve(job), asked, catalog.view()).results.front().gpu == stretch.best);
    asked.budget_usd = stretch.from_usd - 1.0;
    const Advice less = recommend(catalog.resolve(job), asked, catalog.view());
    CHECK((less.results.empty() || less.results.front().gpu != stretch.best));
  }
}

TEST_CASE("models with a sequence are compared over it up to their context", "[advise][compare]") {
  const RealCatalog catalog;
  const Comparison language = compared(catalog, {"rtx-4090", "rtx-3090"}, settings({{"model", "llama-3.1-8b"}, {"task", "infer"}}));
  REQUIRE_FALSE(language.by_sequence.empty());
  CHECK(language.by_sequence.front().from == 256.0);
  CHECK(language.by_sequence.back().to == 131072.0);
  CHECK(compared(catalog, {"rtx-4090", "rtx-3090"}, settings({{"model", "resnet50"}})).by_sequence.empty());
}

TEST_CASE("where renting is compared, what an owner pays decides nothing", "[advise][compare]") {
  const RealCatalog catalog;
  const auto job = settings({{"model", "llama-3.1-8b"}, {"task", "infer"}});
  Preferences rent;
  rent.source = Sourcing::rent;
  const Comparison bought = compared(catalog, {"a100-80gb-sxm", "h100-80gb-sxm"}, job);
  const Comparison rented = compared(catalog, {"a100-80gb-sxm", "h100-80gb-sxm"}, job, rent);
  CHECK(bought.source == Sourcing::buy);
  CHECK(rented.source == Sourcing::rent);
  CHECK_FALSE(bought.money.by_budget.empty());
  CHECK(rented.money.by_budget.empty());
  CHECK(std::all_of(rented.money.flips.begin(), rented.money.flips.end(), [](const Flip& flip) { return flip.of == FlipOf::rent_or_buy; }));
  for (const Compared& card : rented.cards) {
    CHECK(card.cost.rent_usd_per_hour.has_value());
    CHECK(card.cost.rent_usd_per_million.has_value());
  }
}

}  // namespace gpuadvise::advise::test
