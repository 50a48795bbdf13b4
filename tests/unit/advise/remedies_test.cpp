#include "advise/remedies.hpp"

#include "advise/burden.hpp"
#include "catch.hpp"
#include "unit/advise/fake_catalog.hpp"

#include <algorithm>
#include <set>

namespace gpuadvise::advise::test {
namespace {

const Remedy* remedy_of(const Advice& advice, std::string_view id) {
  const auto found = std::find_if(advice.remedies.begin(), advice.remedies.end(), [id](const Remedy& each) { return each.id == id; });
  return found == advice.remedies.end() ? nullptr : &*found;
}

bool any_id_has(const Advice& advice, std::string_view word) {
  return std::any_of(advice.remedies.begin(), advice.remedies.end(),
                     [word](const Remedy& each) { return each.id.find(word) != std::string::npos; });
}

std::optional<double> number_setting(const Remedy& remedy, std::string_view key) {
  for (const Setting& setting : remedy.settings) {
    if (setting.key == key && setting.value.number() != nullptr) {
      return *setting.value.number();
    }
  }
  return std::nullopt;
}

bool sets(const Remedy& remedy, std::string_view key, std::string_view text) {
  return std::any_of(remedy.settings.begin(), remedy.settings.end(), [&](const Setting& setting) {
    return setting.key == key && setting.value.text() != nullptr && *setting.value.text() == text;
  });
}

Preferences wanting(std::initializer_list<std::string> cards) {
  Preferences wants;
  wants.candidates = cards;
  return wants;
}

Request one_gpu(Task task) {
  Request request = language_request(task);
  request.origins[WorkloadKey::gpus] = Origin::user;
  return request;
}

}  // namespace

TEST_CASE("what costs nothing comes before time, quality and money", "[advise]") {
  Burden none;
  Burden slow;
  slow.slowness = 1.4;
  Burden risky;
  risky.risk = 0.4;
  Burden paid;
  paid.money_usd = 50.0;
  CHECK(total(none) < total(slow));
  CHECK(total(slow) < total(risky));
  CHECK(total(risky) < total(paid));
  Burden crawling;
  crawling.slowness = 20.0;
  CHECK(total(risky) < total(crawling));  // a job twenty times slower is no cheap remedy
  CHECK(total(crawling) < total(paid));
}

TEST_CASE("a remedy is beaten by one that is as good in everything and better in something", "[advise]") {
  Burden plain;
  plain.need = 10.0;
  Burden worse = plain;
  worse.risk = 0.3;
  CHECK(beats(plain, worse));
  CHECK_FALSE(beats(worse, plain));
  CHECK_FALSE(beats(plain, plain));
  worse.need = 5.0;  // room for a larger batch
  CHECK_FALSE(beats(plain, worse));
  Burden rebuilt = plain;
  rebuilt.rebuilt = true;
  CHECK(beats(plain, rebuilt));
  CHECK(total(plain) < total(rebuilt));
  Burden faster = plain;
  faster.risk = 0.3;
  faster.slowness = 0.5;
  CHECK_FALSE(beats(plain, faster));
}

TEST_CASE("full tuning that fits nowhere names LoRA and QLoRA first, with what each sets", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  Preferences wants;
  wants.budget_usd = 700.0;
  const Advice advice = recommend(language_request(Task::finetune), wants, catalog.view());
  REQUIRE(advice.remedies.size() >= 2);
  CHECK(advice.remedies[0].id == "lora");
  CHECK(advice.remedies[1].id == "qlora");
  CHECK(sets(advice.remedies[0], "method", "lora"));
  CHECK(number_setting(advice.remedies[0], "lora_rank") == 16.0);
  CHECK(sets(advice.remedies[1], "weights", "nf4"));
  CHECK(advice.remedies[1].figures.memory.need.expected < advice.remedies[0].figures.memory.need.expected);
  REQUIRE(advice.remedies[0].speed_ratio.has_value());
}

TEST_CASE("offloading is refused where the host's memory is known to be too small", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  Preferences wants = wanting({"twenty-four"});
  wants.ram_gib = 256.0;
  const Advice roomy = recommend(one_gpu(Task::finetune), wants, catalog.view());
  const Remedy* offload = remedy_of(roomy, "offload_params");
  REQUIRE(offload != nullptr);
  CHECK(offload->figures.memory.host_bytes > 64.0 * k_gib);
  CHECK_THAT(offload->effect, ContainsSubstring("the host must hold"));
  wants.ram_gib = 64.0;
  const Advice cramped = recommend(one_gpu(Task::finetune), wants, catalog.view());
  CHECK(remedy_of(cramped, "offload_params") == nullptr);
  for (const Remedy& remedy : cramped.remedies) {
    CHECK(remedy.figures.memory.host_bytes <= 60.0 * k_gib);
  }
}

TEST_CASE("accumulation keeps the batch", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  Request request = one_gpu(Task::finetune);
  request.workload.method = Method::lora;
  request.workload.lora_targets.q = true;
  request.workload.precision.kind = PrecisionKind::bf16;
  request.workload.batch = 48.0;
  request.origins[WorkloadKey::batch] = Origin::user;
  const Advice advice = recommend(request, wanting({"twenty-four"}), catalog.view());
  const Remedy* remedy = remedy_of(advice, "accumulate");
  REQUIRE(remedy != nullptr);
  const double micro = number_setting(*remedy, "batch").value_or(0.0);
  CHECK(micro >= 1.0);
  CHECK(micro < 48.0);
  CHECK(micro * number_setting(*remedy, "accumulate").value_or(0.0) == 48.0);
  CHECK_THAT(remedy->title, ContainsSubstring("micro-batch"));
}

TEST_CASE("a shorter sequence is a remedy only where the user allows it or named none", "[advise]") {
  Request request = one_gpu(Task::infer);
  request.workload.seq = 4096.0;
  request.workload.prompt_len = 4096.0 - request.workload.gen_len;
  std::size_t allowed = 0;
  std::size_t open = 0;
  for (const double gib : {14.0, 15.0, 15.5, 16.0}) {
    FakeCatalog catalog;
    catalog.add(card("only", gib), 300.0);
    const auto offered = [&](bool allow, Origin origin) {
      request.origins[WorkloadKey::seq] = origin;
      AdviceOptions options;
      options.shorter_input = allow;
      return any_id_has(recommend(request, wanting({"only"}), catalog.view(), options), "shorter_sequence") ? 1U : 0U;
    };
    allowed += offered(true, Origin::user);
    open += offered(false, Origin::fallback);
    CHECK(offered(false, Origin::user) == 0U);
  }
  CHECK(allowed > 0);
  CHECK(open == allowed);
}

TEST_CASE("a job that is held tightly is answered with changes that make it sound", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("only", 17.0), 300.0);
  Request request = one_gpu(Task::infer);
  request.workload.seq = 4096.0;
  request.workload.prompt_len = 4096.0 - request.workload.gen_len;
  const Advice advice = recommend(request, wanting({"only"}), catalog.view());
  REQUIRE(advice.results.size() == 1);
  REQUIRE(advice.results[0].figures.fit->verdict == Verdict::tight);
  REQUIRE_FALSE(advice.remedies.empty());
  for (const Remedy& remedy : advice.remedies) {
    CHECK(remedy.figures.fit->verdict == Verdict::fits);
  }
}

TEST_CASE("DDP that does not hold the job is answered with sharding over the same cards", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("forty-eight", 48.0), 3000.0);
  Request request = one_gpu(Task::train);
  request.workload.gpus = 8.0;
  request.workload.strategy = Strategy::ddp;
  request.origins[WorkloadKey::strategy] = Origin::user;
  const Advice advice = recommend(request, wanting({"forty-eight"}), catalog.view());
  CHECK(advice.results.empty());
  const Remedy* shard = remedy_of(advice, "shard");
  REQUIRE(shard != nullptr);
  CHECK(shard->count == 8.0);
  CHECK_FALSE(shard->extra_usd.has_value());
  CHECK(sets(*shard, "strategy", "fsdp"));
}

TEST_CASE("a speed is a multiple only of the same cards' speed", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  const Request request = one_gpu(Task::train);
  const Advice advice = recommend(request, wanting({"twenty-four"}), catalog.view());
  std::size_t spread = 0;
  for (const Remedy& remedy : advice.remedies) {
    if (remedy.count > request.workload.all_gpus()) {
      ++spread;
      CHECK_FALSE(remedy.speed_ratio.has_value());
      CHECK(remedy.figures.speed.has_value());
    }
  }
  CHECK(spread > 0);
}

TEST_CASE("who trains adapters gives up little with a base of four bits, and less than with DeepSpeed around it", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twelve", 12.0), 300.0);
  Request request = one_gpu(Task::finetune);
  request.workload.method = Method::lora;
  request.workload.lora_targets.q = true;
  request.workload.precision.kind = PrecisionKind::bf16;
  const Advice advice = recommend(request, wanting({"twelve"}), catalog.view());
  REQUIRE_FALSE(advice.remedies.empty());
  CHECK(advice.remedies[0].id == "qlora");
  CHECK_THAT(advice.remedies[0].effect, ContainsSubstring("base of slightly lower quality"));
  CHECK(any_id_has(advice, "offload_params"));
}

TEST_CASE("money: the cheapest card that runs the job as it is, and the cheapest hour", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("small", 2.0), 200.0);
  catalog.add(card("larger", 48.0), 3000.0);
  catalog.add(card("dearest", 48.0), 9000.0);
  CatalogView view = catalog.view();
  static const std::vector<CloudOffer> offers{{"larger", "somewhere", "", 1.0, 0.9, "on-demand", "2026-06", ""}};
  view.offers = [](const Gpu& gpu) { return gpu.id == "larger" ? std::span<const CloudOffer>(offers) : std::span<const CloudOffer>(); };
  const Advice advice = recommend(one_gpu(Task::infer), wanting({"small"}), view);
  const Remedy* next = remedy_of(advice, "next_card_up");
  REQUIRE(next != nullptr);
  CHECK(next->gpu->id == "larger");
  CHECK(*next->extra_usd == Approx(2800.0));
  CHECK(sets(*next, "candidates", "larger"));
  const Remedy* rent = remedy_of(advice, "rent");
  REQUIRE(rent != nullptr);
  CHECK(rent->source == Sourcing::rent);
  CHECK(*rent->rent_usd_per_hour == Approx(0.9));
  CHECK(sets(*rent, "source", "rent"));
  Preferences poor = wanting({"small"});
  poor.budget_per_hour_usd = 0.5;
  CHECK(remedy_of(recommend(one_gpu(Task::infer), poor, view), "rent") == nullptr);
}

TEST_CASE("changes on rented cards say so, and only cards that are offered are rented", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("offered", 24.0), std::nullopt);
  catalog.add(card("not-offered", 40.0), std::nullopt);
  CatalogView view = catalog.view();
  static const std::vector<CloudOffer> offers{{"offered", "somewhere", "", 1.0, 0.4, "on-demand", "2026-06", ""}};
  view.offers = [](const Gpu& gpu) { return gpu.id == "offered" ? std::span<const CloudOffer>(offers) : std::span<const CloudOffer>(); };
  Preferences wants = wanting({"offered", "not-offered"});
  wants.source = Sourcing::rent;
  const Advice advice = recommend(one_gpu(Task::finetune), wants, view);
  REQUIRE_FALSE(advice.remedies.empty());
  for (const Remedy& remedy : advice.remedies) {
    CHECK(remedy.gpu->id == "offered");
    CHECK(remedy.source == Sourcing::rent);
    CHECK(*remedy.rent_usd_per_hour == Approx(0.4 * remedy.count));
  }
}

TEST_CASE("strict wants no remedy that fits tightly", "[advise]") {
  FakeCatalog catalog;
  for (const double gib : {6.0, 8.0, 10.0, 12.0, 16.0}) {
    static std::set<std::string> names;
    catalog.add(card(*names.insert("card-" + std::to_string(static_cast<int>(gib))).first, gib), 20.0 * gib);
  }
  Preferences wants;
  wants.strict = true;
  wants.budget_usd = 400.0;
  const Advice advice = recommend(one_gpu(Task::finetune), wants, catalog.view());
  REQUIRE_FALSE(advice.remedies.empty());
  for (const Remedy& remedy : advice.remedies) {
    CHECK(remedy.figures.fit->verdict == Verdict::fits);
  }
}

TEST_CASE("a remedy whose settings cannot be read is none", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  AdviceOptions options;
  std::size_t asked = 0;
  options.with_settings = [&asked](std::span<const Setting>) -> Request {
    ++asked;
    throw Error(ErrorCode::conflict, "these exclude each other");
  };
  const Advice advice = recommend(one_gpu(Task::finetune), wanting({"twenty-four"}), catalog.view(), options);
  CHECK(asked > 0);
  CHECK(advice.remedies.empty());
}

TEST_CASE("a job that fits needs no remedy, and snippets are written only when asked for", "[advise]") {
  FakeCatalog catalog;
  catalog.add(card("twenty-four", 24.0), 600.0);
  AdviceOptions options;
  options.force_remedies = true;
  CHECK(recommend(one_gpu(Task::infer), wanting({"twenty-four"}), catalog.view(), options).remedies.empty());
  const Advice silent = recommend(one_gpu(Task::finetune), wanting({"twenty-four"}), catalog.view(), options);
  REQUIRE_FALSE(silent.remedies.empty());
  CHECK(silent.remedies[0].snippet.empty());
  options.snippets = true;
  const Advice written = recommend(one_gpu(Task::finetune), wanting({"twenty-four"}), catalog.view(), options);
  CHECK_THAT(written.remedies[0].snippet, ContainsSubstring("LoraConfig(r=16"));
}

}  // namespace gpuadvise::advise::test
