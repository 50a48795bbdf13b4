// Order properties of the ranking: what is better in everything never stands behind.
#include "advise/rank.hpp"

#include "catch.hpp"
#include "unit/advise/fake_catalog.hpp"

#include <cmath>
#include <random>

namespace gpuadvise::advise::test {
namespace {

constexpr std::array<Prefer, 5> k_prefer{Prefer::balanced, Prefer::value, Prefer::speed, Prefer::memory, Prefer::efficiency};

// Random cards, each with a copy that is as good or better in price, speed, memory and power.
void add_pairs(FakeCatalog& catalog, unsigned seed) {
  static constexpr std::array<std::string_view, 8> worse{"a", "b", "c", "d", "e", "f", "g", "h"};
  static constexpr std::array<std::string_view, 8> better{"z-a", "z-b", "z-c", "z-d", "z-e", "z-f", "z-g", "z-h"};
  std::mt19937 random(seed);
  const auto between = [&random](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (std::size_t i = 0; i < worse.size(); ++i) {
    const double memory = std::floor(between(16.0, 48.0));
    const double speed = std::exp(between(-1.0, 2.0));
    const double price = std::floor(std::exp(between(5.0, 9.0)));
    Gpu plain = card(worse[i], memory, speed);
    plain.tdp_w = std::floor(between(100.0, 600.0));
    plain.vendor = i % 4 == 3 ? Vendor::amd : Vendor::nvidia;
    Gpu finer = card(better[i], memory + (i % 2 == 0 ? 8.0 : 0.0), speed * (i % 3 == 0 ? 1.5 : 1.0));
    finer.tdp_w = plain.tdp_w;
    finer.vendor = plain.vendor;
    catalog.add(plain, price);
    catalog.add(finer, price * 0.9);
  }
}

int rank_of(const Advice& advice, std::string_view id) {
  for (const Recommendation& result : advice.results) {
    if (result.gpu->id == id) {
      return result.rank;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("a faster, cheaper, larger card never ranks below", "[property]") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    FakeCatalog catalog;
    add_pairs(catalog, seed);
    for (const Prefer prefer : k_prefer) {
      Preferences wants;
      wants.prefer = prefer;
      const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
      REQUIRE(advice.results.size() >= 8);
      for (const std::string_view id : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        const int plain = rank_of(advice, id);
        const int finer = rank_of(advice, "z-" + std::string(id));
        INFO("seed " << seed << " card " << id << " prefer " << to_string(prefer));
        if (plain > 0) {
          CHECK(finer > 0);
          CHECK(finer < plain);
        }
      }
    }
  }
}

TEST_CASE("no dominated card ranks above its dominator under any preset", "[property]") {
  for (unsigned seed = 11; seed <= 20; ++seed) {
    FakeCatalog catalog;
    add_pairs(catalog, seed);
    for (const Prefer prefer : k_prefer) {
      Preferences wants;
      wants.prefer = prefer;
      const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
      for (std::size_t i = 0; i < advice.results.size(); ++i) {
        for (std::size_t j = i + 1; j < advice.results.size(); ++j) {
          CHECK_FALSE(dominates(advice.results[j], advice.results[i]));
        }
      }
    }
  }
}

TEST_CASE("a larger budget never gives a worse best card", "[property]") {
  for (unsigned seed = 21; seed <= 25; ++seed) {
    FakeCatalog catalog;
    add_pairs(catalog, seed);
    double best = 0.0;
    for (const double budget : {300.0, 600.0, 1200.0, 2500.0, 6000.0, 10000.0}) {
      Preferences wants;
      wants.budget_usd = budget;
      wants.reserve_share = 0.01;
      const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
      const double total = advice.results.empty() ? 0.0 : advice.results.front().score.total;
      CHECK(total >= best);
      best = total;
    }
  }
}

TEST_CASE("ties go by score, price, then id, and do not depend on the catalog's order", "[property]") {
  FakeCatalog catalog;
  catalog.add(card("b", 24.0), 500.0);
  catalog.add(card("a", 24.0), 500.0);
  catalog.add(card("c", 24.0), 499.0);
  const Advice advice = recommend(language_request(Task::infer), {}, catalog.view());
  REQUIRE(advice.results.size() == 3);
  CHECK(advice.results[0].gpu->id == "c");
  CHECK(advice.results[1].gpu->id == "a");
  CHECK(advice.results[2].gpu->id == "b");
}

TEST_CASE("a card of unknown price does not lead while another fits, whatever is preferred", "[property]") {
  for (const Prefer prefer : k_prefer) {
    Preferences wants;
    wants.prefer = prefer;
    FakeCatalog alone;
    alone.add(card("unpriced", 48.0, 8.0), std::nullopt);
    CHECK(recommend(language_request(Task::infer), wants, alone.view()).results.front().gpu->id == "unpriced");
    FakeCatalog catalog;
    catalog.add(card("unpriced", 48.0, 8.0), std::nullopt);
    catalog.add(card("slow", 24.0, 1.0), 5000.0);
    catalog.add(card("slower", 24.0, 0.9), 5000.0);
    const Advice advice = recommend(language_request(Task::infer), wants, catalog.view());
    REQUIRE(advice.results.size() == 3);
    INFO(to_string(prefer));
    CHECK(advice.results[0].gpu->id == "slow");
    const Recommendation& unpriced = advice.results[1].gpu->id == "unpriced" ? advice.results[1] : advice.results[2];
    const bool says = unpriced.reasons.back() == "not first: its price is not known";
    CHECK(says == (unpriced.score.total > advice.results[0].score.total));
  }
}

}  // namespace gpuadvise::advise::test
