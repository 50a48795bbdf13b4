#include "advise/explain.hpp"

#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace gpuadvise::advise::test {
namespace {

Explanation explained(const RealCatalog& catalog, std::string_view gpu, const std::vector<Setting>& request) {
  const Preferences preferences;
  return explain(catalog.gpu(gpu), request, preferences, catalog.view(),
                 [&catalog](std::span<const Setting> all) { return catalog.resolve(all); });
}

const Sensitivity* row_of(const Explanation& explanation, std::string_view key, std::string_view to) {
  for (const Sensitivity& row : explanation.sensitivity) {
    if (row.key == key && row.to == to) {
      return &row;
    }
  }
  return nullptr;
}

const std::vector<std::vector<Setting>>& jobs() {
  static const std::vector<std::vector<Setting>> all{
      settings({{"model", "resnet50"}, {"batch", "32"}}),
      settings({{"model", "mask-rcnn-r50-fpn"}}),
      settings({{"model", "bert-base"}, {"batch", "16"}}),
      settings({{"model", "llama-2-7b"}, {"task", "finetune"}, {"method", "qlora"}}),
      settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "vllm"}, {"concurrency", "4"}}),
      settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "llama.cpp"}}),
      settings({{"model", "sdxl"}, {"task", "infer"}}),
      settings({{"model", "resnet50"}, {"task", "infer"}}),
      settings({{"model", "sd-1.5"}, {"task", "finetune"}}),
  };
  return all;
}

}  // namespace

TEST_CASE("terms sum to the figures and each has a formula", "[advise][explain]") {
  const RealCatalog catalog;
  for (const auto& job : jobs()) {
    const Explanation explanation = explained(catalog, "rtx-4090", job);
    INFO(*job.front().value.text());
    double bytes = 0.0;
    for (const MemoryTerm& term : explanation.memory) {
      CHECK_FALSE(term.formula.empty());
      bytes += term.bytes;
    }
    CHECK(bytes == Approx(explanation.figures.memory.device.expected).epsilon(1e-6));
    REQUIRE(explanation.figures.speed);
    double seconds = 0.0;
    for (const SpeedTerm& term : explanation.speed) {
      CHECK_FALSE(term.formula.empty());
      seconds += term.seconds;
    }
    CHECK(seconds == Approx(explanation.figures.speed->step_seconds.expected).epsilon(1e-6));
    REQUIRE(explanation.memory_basis != nullptr);
    CHECK_FALSE(explanation.memory_basis->words.empty());
  }
}

TEST_CASE("each term says how sure it is, and what it was held to", "[advise][explain]") {
  const RealCatalog catalog;
  for (const auto& job : jobs()) {
    const Explanation explanation = explained(catalog, "rtx-4090", job);
    const auto says = [](const TermSource& source) {
      CHECK_FALSE(source.words.empty());
      CHECK(source.median_error.has_value() == (source.certainty == Certainty::fitted));
      CHECK(source.median_error.value_or(0.1) > 0.0);
      CHECK(source.median_error.value_or(0.1) < 0.5);
    };
    for (const MemoryTerm& term : explanation.memory) {
      INFO(term.name);
      says(term.source);
    }
    for (const SpeedTerm& term : explanation.speed) {
      INFO(term.name);
      says(term.source);
    }
  }
  const Explanation image = explained(catalog, "rtx-4090", settings({{"model", "resnet50"}, {"batch", "32"}}));
  const auto weights =
      std::find_if(image.memory.begin(), image.memory.end(), [](const MemoryTerm& term) { return term.name == "weights"; });
  REQUIRE(weights != image.memory.end());
  CHECK(weights->source.certainty == Certainty::counted);
}

TEST_CASE("the smallest change of a card that does not fit is a setting that admits it", "[advise][explain]") {
  const RealCatalog catalog;
  const Explanation explanation = explained(catalog, "rtx-3060-12gb", settings({{"model", "resnet50"}, {"batch", "512"}}));
  REQUIRE(explanation.rejected);
  REQUIRE(explanation.rejected->change.size() == 1);
  CHECK(explanation.rejected->change[0].key == "batch");
}

TEST_CASE("contributions sum to the score", "[advise][explain]") {
  const RealCatalog catalog;
  const Explanation explanation = explained(catalog, "rtx-3090", jobs().front());
  REQUIRE(explanation.accepted);
  double sum = 0.0;
  for (const ScorePart& part : explanation.accepted->score.parts) {
    sum += part.contribution;
  }
  CHECK(std::abs(sum - explanation.accepted->score.total) < 1e-9);
}

TEST_CASE("a step is what the changed request gives", "[advise][explain]") {
  const RealCatalog catalog;
  const Explanation now = explained(catalog, "rtx-3090", settings({{"model", "resnet50"}, {"batch", "32"}}));
  const Explanation then = explained(catalog, "rtx-3090", settings({{"model", "resnet50"}, {"batch", "64"}}));
  const Sensitivity* row = row_of(now, "batch", "64");
  REQUIRE(row != nullptr);
  CHECK(row->from == "32");
  CHECK_FALSE(row->assumed);
  CHECK(row->need_ratio == Approx(then.figures.memory.need.expected / now.figures.memory.need.expected).epsilon(1e-9));
  REQUIRE(row->speed_ratio);
  CHECK(*row->speed_ratio == Approx(then.figures.speed->throughput.expected / now.figures.speed->throughput.expected).epsilon(1e-9));
  REQUIRE(row_of(now, "batch", "16") != nullptr);
  CHECK(row_of(now, "batch", "16")->need_ratio < 1.0);
  CHECK(
      std::any_of(now.sensitivity.begin(), now.sensitivity.end(), [](const Sensitivity& s) { return s.key == "precision" && s.assumed; }));
}

TEST_CASE("a dearer card scores less, a cheaper one more", "[advise][explain]") {
  const RealCatalog catalog;
  const Explanation explanation = explained(catalog, "rtx-3090", jobs().front());
  std::vector<double> changes;
  for (const Sensitivity& row : explanation.sensitivity) {
    if (row.key == "price") {
      REQUIRE(row.score_change);
      changes.push_back(*row.score_change);
      CHECK(row.need_ratio == 1.0);
    }
  }
  REQUIRE(changes.size() == 2);
  CHECK(changes[0] > 0.0);
  CHECK(changes[1] < 0.0);
}

TEST_CASE("a card that does not fit says which rule decided", "[advise][explain]") {
  const RealCatalog catalog;
  const Explanation explanation = explained(catalog, "rtx-3060-12gb", settings({{"model", "resnet50"}, {"batch", "512"}}));
  CHECK_FALSE(explanation.accepted);
  REQUIRE(explanation.rejected);
  CHECK(explanation.rejected->rule == "does-not-fit");
  CHECK(explanation.figures.fit->verdict == Verdict::no);
}

TEST_CASE("the errors named are those that the accuracy tests hold", "[advise][explain]") {
  std::ifstream stream(std::string(GPUADVISE_SOURCE_DIR) + "/tests/accuracy/gates.json");
  const auto gates = nlohmann::json::parse(stream);
  for (const Basis& basis : basis_rows()) {
    if (basis.median_error) {
      INFO(basis.class_name);
      REQUIRE(gates.contains(std::string(basis.class_name)));
      CHECK(gates[std::string(basis.class_name)]["median"].get<double>() == Approx(*basis.median_error));
    }
  }
}

TEST_CASE("a server's cache is shown as its pool, with what the requests need of it", "[advise][explain]") {
  const RealCatalog catalog;
  const auto cache_of = [&catalog](const char* engine, const char* concurrency) {
    auto job = settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"seq", "8192"}, {"engine", engine}});
    if (concurrency != nullptr) {
      job.push_back({"concurrency", Value(std::string(concurrency)), Origin::user});
    }
    const Explanation explanation = explained(catalog, "h200-141gb-sxm", job);
    const auto term =
        std::find_if(explanation.memory.begin(), explanation.memory.end(), [](const MemoryTerm& each) { return each.name == "kv_cache"; });
    REQUIRE(term != explanation.memory.end());
    return *term;
  };
  const MemoryTerm one = cache_of("vllm", nullptr);
  CHECK(one.bytes > 50.0 * k_gib);
  // 2 x 32 layers x 8 heads x 128 x 2 bytes x 8192 tokens = 1 GiB.
  CHECK_THAT(one.inputs, ContainsSubstring("one request of 8192 tokens needs 1.00 GiB"));
  CHECK_THAT(one.inputs, ContainsSubstring("pool"));
  CHECK_THAT(std::string(one.formula), ContainsSubstring("share of the card"));
  CHECK_THAT(cache_of("sglang", "4").inputs, ContainsSubstring("4 requests of 8192 tokens need 4.00 GiB"));
  CHECK(cache_of("transformers", nullptr).inputs == "batch 1, seq 8192");
}

}  // namespace gpuadvise::advise::test
