#include "advise/money_remedies.hpp"

#include "catch.hpp"
#include "unit/advise/fake_catalog.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::advise::test {

TEST_CASE("the rented card is the cheapest hour among those whose work is not dear", "[advise][remedies]") {
  FakeCatalog catalog;
  catalog.add(card("small", 6.0), 200.0);
  catalog.add(card("slow", 24.0, 0.05), std::nullopt);
  catalog.add(card("steady", 24.0, 1.0), std::nullopt);
  catalog.add(card("hasty", 24.0, 1.5), std::nullopt);
  std::array<CloudOffer, 3> offers{};
  offers[0].gpu_id = "slow";
  offers[0].usd_per_gpu_hour = 0.1;
  offers[1].gpu_id = "steady";
  offers[1].usd_per_gpu_hour = 0.3;
  offers[2].gpu_id = "hasty";
  offers[2].usd_per_gpu_hour = 0.4;
  CatalogView view = catalog.view();
  view.offers = [&offers](const Gpu& gpu) {
    const auto found = std::find_if(offers.begin(), offers.end(), [&gpu](const CloudOffer& offer) { return offer.gpu_id == gpu.id; });
    return found == offers.end() ? std::span<const CloudOffer>{} : std::span<const CloudOffer>(&*found, 1);
  };
  Preferences wants;
  wants.candidates = {"small"};
  Request request = language_request(Task::infer);
  request.origins[WorkloadKey::gpus] = Origin::user;
  const Assessor assessor(request, wants, view);
  const std::optional<Remedy> remedy = by_the_hour(assessor, request, wants, view);
  REQUIRE(remedy);
  CHECK(remedy->gpu->id == "steady");
  CHECK(*remedy->rent_usd_per_hour == Approx(0.3));
  CHECK(remedy->title == "rent by the hour, job unchanged");
}

TEST_CASE("a card that runs the job otherwise than asked says in what", "[advise][remedies]") {
  FakeCatalog catalog;
  catalog.add(card("small", 6.0), 200.0);
  catalog.add(card("half", 10.0), 500.0);
  Preferences wants;
  wants.candidates = {"small"};
  const CatalogView view = catalog.view();
  const Request open = language_request(Task::infer);
  const std::optional<Remedy> divided = next_card_up(Assessor(open, wants, view), open, wants, view);
  REQUIRE(divided);
  REQUIRE(divided->count == 2.0);
  CHECK(divided->title == "the next card up, job divided over 2 GPUs (layer-split)");

  FakeCatalog older;
  older.add(card("small", 6.0), 200.0);
  older.add(card("turing", 24.0), 500.0).compute_capability = 7.5;
  const CatalogView old_view = older.view();
  const std::optional<Remedy> in_fp16 = next_card_up(Assessor(open, wants, old_view), open, wants, old_view);
  REQUIRE(in_fp16);
  CHECK(in_fp16->title == "the next card up, job in fp16");
}

}  // namespace gpuadvise::advise::test
