// What the catalog says of a card's support is what the software data says of its capability.
#include "catalog/catalog.hpp"
#include "catch.hpp"
#include "software/compat.hpp"

#include <string>

using namespace gpuadvise;

TEST_CASE("support of the cards and the builds of the newest release agree") {
  const catalog::Catalog catalog({});
  const software::Facts& facts = software::facts();
  int compared = 0;
  for (const Gpu& gpu : catalog.gpus()) {
    const bool jetpack = gpu.support.wheels.starts_with("JetPack");
    if (gpu.vendor != Vendor::nvidia || !gpu.compute_capability || jetpack || gpu.availability == Availability::announced) {
      continue;
    }
    INFO(gpu.id);
    software::Question question;
    question.cards = {software::card_of(gpu, facts)};
    question.torch = facts.releases.back().number;
    question.os = question.cards.front().arm_host ? software::Os::aarch64 : software::Os::linux;
    CHECK((judge(facts, question).verdict == software::Verdict::fails) == gpu.support.end_of_support);
    const software::ArchitectureSpan* span = software::span_of(facts, *question.cards.front().capability);
    REQUIRE(span != nullptr);
    const std::string last = span->last_branch ? "R" + span->last_branch->text() : "ongoing";
    CHECK(gpu.support.last_driver_branch == last);
    ++compared;
  }
  CHECK(compared > 150);
}
