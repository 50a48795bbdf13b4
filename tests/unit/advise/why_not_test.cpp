#include "advise/assess.hpp"
#include "advise/preferences.hpp"
#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>

namespace gpuadvise::advise::test {
namespace {

// Settings of a request and a way to ask with others in their place, as a command line does.
struct Asked {
  const RealCatalog& real;
  std::vector<Setting> workload;

  [[nodiscard]] Advice about(std::vector<std::string> cards, const std::vector<Setting>& wishes = {}) const {
    AdviceOptions options;
    options.remedies = false;
    options.why_not = std::move(cards);
    options.with_settings = [this](std::span<const Setting> changes) {
      std::vector<Setting> all = workload;
      for (const Setting& change : changes) {
        all.erase(std::remove_if(all.begin(), all.end(), [&](const Setting& each) { return each.key == change.key; }), all.end());
        all.push_back(change);
      }
      return real.resolve(all);
    };
    return recommend(real.resolve(workload), read_preferences(wishes), real.view(), options);
  }
};

std::optional<Setting> setting(const Rejection& rejection, std::string_view key) {
  const auto found = std::find_if(rejection.change.begin(), rejection.change.end(), [key](const Setting& s) { return s.key == key; });
  return found == rejection.change.end() ? std::nullopt : std::optional<Setting>(*found);
}

Rejection only_rejection(const Advice& advice) {
  REQUIRE(advice.why_not.size() == 1);
  REQUIRE(advice.why_not[0].state == WhyNot::State::rejected);
  return advice.rejected[advice.why_not[0].index];
}

}  // namespace

TEST_CASE("a card too dear is admitted by the least budget that leaves the reserve", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "resnet50"}, {"batch", "32"}})};
  const Advice advice = asked.about(
      {"rtx-4090"}, {{"budget", 500.0, Origin::user}, {"reserve_share", 0.2, Origin::user}, {"price", "rtx-4090=1500", Origin::user}});
  const Rejection rejection = only_rejection(advice);
  CHECK(rejection.rule == "over-budget");
  REQUIRE(rejection.change.size() == 1);
  CHECK(rejection.change[0].key == "budget");
  // 1500 / 0.8; a dollar less leaves too little.
  const double budget =
      rejection.change[0].value.number() != nullptr ? *rejection.change[0].value.number() : std::stod(*rejection.change[0].value.text());
  CHECK(budget == 1875.0);
}

TEST_CASE("a card too small is admitted by the largest batch that fits", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "resnet50"}, {"batch", "512"}})};
  const Rejection rejection = only_rejection(asked.about({"rtx-3060-12gb"}));
  CHECK(rejection.rule == "does-not-fit");
  REQUIRE(setting(rejection, "batch"));
  const double batch = *setting(rejection, "batch")->value.number();
  const auto verdict_at = [&](double value) {
    const Request request = real.resolve(std::vector<Setting>{{"model", "resnet50", Origin::user}, {"batch", value, Origin::user}});
    const Preferences none;
    const CatalogView view = real.view();
    return Assessor(request, none, view).figures_of(request.workload, real.gpu("rtx-3060-12gb")).fit->verdict;
  };
  CHECK(verdict_at(batch) != Verdict::no);
  CHECK(verdict_at(batch + 1.0) == Verdict::no);
  CHECK_THAT(rejection.smallest_change, ContainsSubstring("instead of 512"));
}

TEST_CASE("where a second rule stands behind the first, both changes are told", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "resnet50"}, {"batch", "32"}})};
  const Rejection rejection = only_rejection(
      asked.about({"rtx-4090"}, {{"budget", 500.0, Origin::user}, {"psu_w", 550.0, Origin::user}, {"source", "buy", Origin::user}}));
  CHECK(setting(rejection, "budget"));
  REQUIRE(setting(rejection, "psu_w"));
  CHECK(*setting(rejection, "psu_w")->value.number() >= 650.0);
  CHECK_THAT(rejection.smallest_change, ContainsSubstring(" and "));
}

TEST_CASE("a limit of power, time or software is raised just as far as needed", "[advise]") {
  const RealCatalog real;
  const Asked image{real, settings({{"model", "resnet50"}, {"batch", "32"}, {"dataset_size", "1281167"}, {"epochs", "90"}})};
  const Gpu& gpu = real.gpu("rtx-4090");
  CHECK(*setting(only_rejection(image.about({"rtx-4090"}, {{"max_power_w", 300.0, Origin::user}})), "max_power_w")->value.number() ==
        *gpu.tdp_w);
  const Advice late = image.about({"rtx-4090"}, {{"deadline_hours", 1.0, Origin::user}});
  CHECK(only_rejection(late).rule == "past-deadline");
  CHECK(setting(only_rejection(late), "deadline_hours"));
  const Asked served{real, settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "vllm"}, {"precision", "int4-awq"}})};
  const Rejection old = only_rejection(served.about({"gtx-1080-ti"}));
  CHECK(old.rule == "vllm-capability");
  CHECK(setting(old, "engine"));
}

TEST_CASE("what no setting changes is said to be missing", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "llama-3.1-405b"}, {"task", "infer"}, {"gpus", "1"}})};
  const Rejection rejection = only_rejection(asked.about({"gtx-1060-6gb"}));
  CHECK(rejection.change.empty());
  CHECK_THAT(rejection.smallest_change, ContainsSubstring("more memory"));
  const Rejection laptop = only_rejection(asked.about({"gtx-1060-laptop"}));
  CHECK(laptop.change.empty());
  CHECK(laptop.smallest_change == "nothing that was tried; --form laptop is not enough, as then does-not-fit rejects it");
}

TEST_CASE("a change that needs more cards says how many, and one that needs no more goes first", "[advise]") {
  const RealCatalog real;
  const Asked large{real, settings({{"model", "llama-3.1-70b"}, {"task", "infer"}, {"precision", "fp16"}})};
  const Rejection served = only_rejection(large.about({"rtx-4090"}));
  REQUIRE(setting(served, "precision"));
  REQUIRE(setting(served, "gpus"));
  CHECK(*setting(served, "gpus")->value.number() == 2.0);
  CHECK_THAT(served.smallest_change, ContainsSubstring("--gpus 2"));

  // More cards are a lesser change than a job cut short.
  const Asked tuned{real, settings({{"model", "llama-3.1-70b"}, {"task", "finetune"}, {"method", "qlora"}, {"gpus", "1"}})};
  const Rejection whole = only_rejection(tuned.about({"arc-pro-b70"}));
  CHECK(setting(whole, "gpus"));
  CHECK_FALSE(setting(whole, "seq"));

  const Asked adapters{real, settings({{"model", "flux.1-dev"}, {"task", "finetune"}, {"method", "lora"}})};
  for (const char* card : {"rtx-a6000", "rtx-3090"}) {
    const Rejection trained = only_rejection(adapters.about({card}, {{"budget", 2000.0, Origin::user}}));
    INFO(card << ": " << trained.smallest_change);
    CHECK(setting(trained, "grad_checkpointing"));
    CHECK_FALSE(setting(trained, "gpus"));
  }
}

TEST_CASE("fewer bits are those of the library that the engine comes with", "[advise]") {
  const RealCatalog real;
  const auto format = [&](const char* model, const char* engine, const char* card) {
    const Asked asked{real, settings({{"model", model}, {"task", "infer"}, {"engine", engine}, {"gpus", "1"}})};
    const auto precision = setting(only_rejection(asked.about({card})), "precision");
    return precision ? *precision->value.text() : std::string();
  };
  CHECK(format("flux.1-dev", "diffusers", "rtx-3090") == "nf4");
  CHECK(format("qwen2.5-32b", "transformers", "rtx-5090") == "nf4");
  CHECK(format("qwen2.5-32b", "vllm", "rtx-3090") == "int4-awq");
}

TEST_CASE("tables too large for a card are trained in plain SGD where no optimizer was chosen", "[advise]") {
  const RealCatalog real;
  const Rejection open = only_rejection(Asked{real, settings({{"model", "dlrm"}})}.about({"rtx-a6000"}));
  REQUIRE(setting(open, "optimizer"));
  CHECK(*setting(open, "optimizer")->value.text() == "sgd");
  const Rejection chosen = only_rejection(Asked{real, settings({{"model", "dlrm"}, {"optimizer", "adam"}})}.about({"rtx-a6000"}));
  CHECK((!setting(chosen, "optimizer") || *setting(chosen, "optimizer")->value.text() != "sgd"));
}

TEST_CASE("an accepted card says its rank, one never asked about what left it out", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "resnet50"}, {"batch", "32"}})};
  const Advice open = asked.about({"rtx-3060-12gb"});
  REQUIRE(open.why_not.size() == 1);
  CHECK(open.why_not[0].state == WhyNot::State::recommended);
  CHECK(open.results[open.why_not[0].index].gpu->id == "rtx-3060-12gb");

  const Advice listed = asked.about({"rtx-4090", "gtx-1650-gddr6"}, {{"candidates", "rtx-3060-12gb", Origin::user}});
  REQUIRE(listed.why_not.size() == 2);
  CHECK(listed.why_not[0].state == WhyNot::State::not_in_question);
  CHECK_THAT(listed.why_not[0].reason, ContainsSubstring("candidates"));
  CHECK_FALSE(listed.why_not[0].outcome.has_value());
  REQUIRE(listed.why_not[1].outcome.has_value());
  CHECK(listed.why_not[1].outcome->rule == "does-not-fit");

  const Advice excluded = asked.about({"rtx-4090"}, {{"exclude", "rtx-4090", Origin::user}});
  CHECK_THAT(excluded.why_not[0].reason, ContainsSubstring("exclude"));
  CHECK_THROWS_AS(asked.about({"rtx-308"}), Error);
}

TEST_CASE("a name with several variants is told of each", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "resnet50"}, {"batch", "32"}})};
  CHECK(asked.about({"rtx-4060-ti"}).why_not.size() == real.view().find("rtx-4060-ti").size());
  CHECK(asked.about({"rtx-4090", "rtx 4090"}).why_not.size() == 1);
}

TEST_CASE("a small cut of the batch is the smallest change, a large one is not", "[advise]") {
  const RealCatalog real;
  const Asked close{real, settings({{"model", "resnet50"}, {"batch", "128"}})};
  CHECK(setting(only_rejection(close.about({"rtx-3070"})), "batch"));
  const Asked far{real, settings({{"model", "bert-large"}, {"batch", "32"}})};
  const Rejection rejection = only_rejection(far.about({"rtx-3070"}));
  CHECK_FALSE(setting(rejection, "batch"));
  CHECK_FALSE(rejection.change.empty());
}

TEST_CASE("a rejected card that was asked about shows its warnings all the same", "[advise]") {
  const RealCatalog real;
  const Asked asked{real, settings({{"model", "llama-3.1-70b"}, {"task", "infer"}, {"precision", "fp16"}, {"gpus", "1"}})};
  const auto says = [](const Advice& advice, std::string_view words) {
    return std::any_of(advice.findings.begin(), advice.findings.end(),
                       [words](const Finding& finding) { return finding.message.find(words) != std::string::npos; });
  };
  CHECK(says(asked.about({"titan-rtx"}), "titan-rtx: no FlashAttention 2"));
  CHECK(says(asked.about({}, {{"candidates", "titan-rtx", Origin::user}}), "titan-rtx: no FlashAttention 2"));
  CHECK_FALSE(says(asked.about({}), "no FlashAttention 2"));
}

}  // namespace gpuadvise::advise::test
