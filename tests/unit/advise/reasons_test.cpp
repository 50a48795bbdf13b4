#include "advise/reasons.hpp"

#include "advise/candidates.hpp"
#include "catch.hpp"
#include "unit/advise/fake_catalog.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace gpuadvise::advise::test {
namespace {

Recommendation rented_and_sold(const Gpu& gpu, Sourcing source, double usd, double usd_per_hour, double per_hour) {
  Recommendation result;
  result.gpu = &gpu;
  result.source = source;
  result.cost.purchase_usd = usd;
  result.cost.usd_per_million = usd / 1000.0;
  result.cost.rent_usd_per_hour = usd_per_hour;
  result.cost.rent_usd_per_million = usd_per_hour / per_hour * 1e6;
  return result;
}

bool says(const Recommendation& result, std::string_view words) {
  return std::any_of(result.reasons.begin(), result.reasons.end(),
                     [words](const std::string& reason) { return reason.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("superlatives of rented cards go by their rent, not by a price nobody pays", "[advise]") {
  const Gpu dear_to_buy = card("dear-to-buy", 24.0);
  const Gpu dear_to_rent = card("dear-to-rent", 24.0);
  std::vector<Recommendation> results{rented_and_sold(dear_to_buy, Sourcing::rent, 9000.0, 0.2, 1e6),
                                      rented_and_sold(dear_to_rent, Sourcing::rent, 100.0, 2.0, 1e6)};
  CHECK(*paid_per_million(results[0]) == Approx(0.2));
  give_reasons(results);
  CHECK(says(results[0], "cheapest hour of rent"));
  CHECK(says(results[0], "lowest cost of work"));
  CHECK_FALSE(says(results[1], "cheapest that fits"));

  std::vector<Recommendation> sold{rented_and_sold(dear_to_buy, Sourcing::buy, 9000.0, 0.2, 1e6),
                                   rented_and_sold(dear_to_rent, Sourcing::buy, 100.0, 2.0, 1e6)};
  CHECK(*paid_per_million(sold[1]) == Approx(0.1));
  give_reasons(sold);
  CHECK(says(sold[1], "cheapest that fits"));
  CHECK(says(sold[1], "lowest cost of work"));
  CHECK_FALSE(says(sold[0], "cheapest hour of rent"));
}

TEST_CASE("the run's time and cost are said where the amount of work is known", "[advise]") {
  const Gpu gpu = card("gpu", 24.0);
  std::vector<Recommendation> results{rented_and_sold(gpu, Sourcing::rent, 900.0, 0.5, 1e6)};
  give_reasons(results);
  CHECK_FALSE(says(results[0], "the run takes"));
  results[0].cost.run_hours = 30.0;
  results[0].cost.rent_run_usd = 15.0;
  results[0].cost.run_energy_usd = 1.25;
  give_reasons(results);
  CHECK(says(results[0], "the run takes 30 h and costs $15 of rent"));
  results[0].source = Sourcing::buy;
  give_reasons(results);
  CHECK(says(results[0], "and costs $1.25 of electricity"));
}

TEST_CASE("nothing is assumed about the case and the power of rented cards", "[advise]") {
  const RealCatalog catalog;
  const Request request = catalog.resolve(settings({{"model", "resnet50"}, {"batch", "32"}}));
  Preferences wants;
  wants.source = Sourcing::rent;
  const auto mentions = [](const Advice& advice, std::string_view words) {
    return std::any_of(advice.assumptions.begin(), advice.assumptions.end(),
                       [words](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  const Advice rented = recommend(request, wants, catalog.view());
  CHECK_FALSE(mentions(rented, "the card goes into"));
  CHECK_FALSE(mentions(rented, "electricity"));
  wants.source = Sourcing::both;
  const Advice both = recommend(request, wants, catalog.view());
  CHECK(mentions(both, "the card goes into a desktop"));
  CHECK(mentions(both, "electricity"));
}

TEST_CASE("a vendor of whole systems may be asked for by name", "[advise]") {
  const RealCatalog catalog;
  Preferences wants;
  wants.vendors = {Vendor::apple};
  for (const Card& each : cards_in_question(wants, catalog.view())) {
    CHECK(each.named == (each.gpu->vendor == Vendor::apple && each.gpu->availability != Availability::announced));
  }
  const Request request = catalog.resolve(settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "llama.cpp"}}));
  const Advice advice = recommend(request, wants, catalog.view());
  REQUIRE_FALSE(advice.results.empty());
  CHECK(advice.results.front().gpu->vendor == Vendor::apple);
  wants.vendors.clear();
  wants.os = HostSystem::macos;
  const Advice mac = recommend(request, wants, catalog.view());
  REQUIRE_FALSE(mac.results.empty());
  CHECK(std::all_of(mac.results.begin(), mac.results.end(), [](const Recommendation& each) { return each.gpu->vendor == Vendor::apple; }));
  wants.os = HostSystem::linux_;
  // Laptop parts of a maker of cards stay out.
  wants.vendors = {Vendor::amd};
  for (const Card& each : cards_in_question(wants, catalog.view())) {
    CHECK_FALSE(each.named);
  }
}

TEST_CASE("speed counts in the score of jobs that the reference card cannot hold", "[advise]") {
  const RealCatalog catalog;
  for (const char* model : {"sdxl", "flux.1-dev", "wan2.1-t2v-14b", "llama-3.1-70b", "dlrm"}) {
    const Request request = catalog.resolve(settings({{"model", model}, {"task", std::string_view(model) == "dlrm" ? "train" : "infer"}}));
    Preferences wants;
    wants.candidates = {"b300-sxm", "h200-141gb-sxm"};
    for (const Recommendation& each : recommend(request, wants, catalog.view()).results) {
      INFO(model);
      REQUIRE(each.figures.speed);
      CHECK(each.score.parts[static_cast<std::size_t>(Objective::performance)].value > 0.1);
    }
  }
}

TEST_CASE("one card goes before several of nearly the same merit", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("half", 12.0), 300.0);
  catalog.add(card("whole", 24.0), 700.0);
  const Advice advice = recommend(language_request(Task::infer), Preferences{}, catalog.view());
  REQUIRE(advice.results.size() == 2);
  CHECK(advice.results[0].gpu->id == "whole");
  const Recommendation& several = advice.results[1];
  REQUIRE(several.count > 1.0);
  CHECK(std::any_of(several.findings.begin(), several.findings.end(), [](const Finding& each) { return each.rule == "several-boards"; }));
  // Whoever has them already, or asks for them, is not held back.
  Preferences wants;
  wants.have = {"half", "half"};
  for (const Recommendation& each : recommend(language_request(Task::infer), wants, catalog.view()).results) {
    if (each.gpu->id == "half" && each.count == 2.0) {
      CHECK(std::none_of(each.findings.begin(), each.findings.end(), [](const Finding& f) { return f.rule == "several-boards"; }));
    }
  }
}

}  // namespace gpuadvise::advise::test
