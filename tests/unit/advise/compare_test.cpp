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

}  // namespace gpuadvise::advise::test
