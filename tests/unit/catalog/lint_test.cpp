#include "catalog/lint.hpp"

#include "catch.hpp"

#include <array>
#include <string>
#include <vector>

using namespace gpuadvise;
using namespace gpuadvise::catalog;

namespace {

std::string only(std::string_view text, const LintContext& context = {}) {
  const auto findings = lint_text(text, "file.json", context);
  std::string all;
  for (const Finding& finding : findings) {
    all += (all.empty() ? "" : "\n") + finding.message;
  }
  return all;
}

constexpr std::string_view k_card = R"({"schema": 1, "gpus": [{"id": "my-card", "vendor": "amd", "memory_gib": 16,
    "memory_bandwidth_gb_s": 640, "memory_bus_bits": 256, "memory_data_rate_gbps": 20}]})";

std::vector<Finding> lint_recipes(std::string_view, std::string_view file) {
  return {{"recipe", Severity::note, "seen in " + std::string(file)}};
}

}  // namespace

TEST_CASE("a sound file gives nothing") {
  CHECK(lint_text(k_card, "file.json").empty());
  CHECK(
      lint_text(R"({"schema": 1, "prices": [{"gpu_id": "x", "usd": 5.5, "kind": "used", "as_of": "2026", "source": "s"}]})", "f").empty());
}

TEST_CASE("what is no JSON of ours is said in one line") {
  CHECK_THAT(only(""), ContainsSubstring("empty"));
  CHECK_THAT(only("{\"gpus\": ["), ContainsSubstring("not valid JSON"));
  CHECK_THAT(only("[]"), ContainsSubstring("expected an object"));
  CHECK_THAT(only("{\"cards\": []}"), ContainsSubstring("no known kind of data"));
  CHECK_THAT(only("{\"gpus\": 3}"), ContainsSubstring("expected a list at gpus"));
  CHECK_THAT(only(R"({"gpus": [], "gpus": []})"), ContainsSubstring("duplicate key 'gpus'"));
}

TEST_CASE("wrong keys, types and words are named with their path, all of them") {
  const std::string text = R"({"schema": 1, "gpus": [
      {"id": "a", "memory_gib": 16, "memory_bandwidth_gb_s": 640, "bandwith": 3},
      {"id": "b", "memory_gib": "16", "memory_bandwidth_gb_s": 640},
      {"id": "c", "memory_gib": 16, "memory_bandwidth_gb_s": 640, "vendor": "nvidea"},
      {"id": "d", "memory_gib": 16, "memory_bandwidth_gb_s": 640, "tflops": {"fp16": 3}}]})";
  const std::string all = only(text);
  CHECK_THAT(all, ContainsSubstring("unknown key 'bandwith' at gpus[0]"));
  CHECK_THAT(all, ContainsSubstring("expected a number at gpus[1].memory_gib"));
  CHECK_THAT(all, ContainsSubstring("unknown word 'nvidea'"));
  CHECK_THAT(all, ContainsSubstring("gpus[2].vendor"));
  CHECK_THAT(all, ContainsSubstring("unknown key 'fp16' at gpus[3].tflops"));
}

TEST_CASE("the head of a file is checked") {
  CHECK_THAT(only(R"({"schema": 2, "gpus": []})"), ContainsSubstring("must be 1"));
  CHECK_THAT(only(R"({"schema": 1, "gpus": [], "gpu": []})"), ContainsSubstring("unknown key 'gpu'"));
  const auto unmarked = lint_text(R"({"gpus": []})", "file.json");
  REQUIRE(unmarked.size() == 1);
  CHECK(unmarked[0].severity == Severity::warn);
}

TEST_CASE("plausibility follows the form") {
  std::string text(k_card);
  text.replace(text.find("640"), 3, "320");
  CHECK_THAT(only(text), ContainsSubstring("my-card: memory_bandwidth_gb_s 320 is not 256 bits x 20"));
  CHECK_THAT(only(R"({"schema": 1, "prices": [{"gpu_id": "x", "usd": 0, "kind": "used", "as_of": "2026", "source": "s"}]})"),
             ContainsSubstring("usd must be above 0 at prices[0]"));
  CHECK_THAT(only(R"({"schema": 1, "offers": [{"gpu_id": "x", "provider": "p", "gpus": 8, "usd_per_gpu_hour": 2, "kind": "spot",
                      "as_of": "2026", "source": "s", "usd_per_hour": 2}]})"),
             ContainsSubstring("usd_per_hour is not gpus x usd_per_gpu_hour at offers[0]"));
}

TEST_CASE("prices may name the known cards and those of the same file") {
  const std::array<std::string_view, 1> known = {"rtx-4090"};
  const LintContext context{known, {}};
  const std::string price = R"("prices": [{"gpu_id": "my-card", "usd": 5, "kind": "used", "as_of": "2026", "source": "s"}])";
  CHECK_THAT(only("{\"schema\": 1, " + price + "}", context), ContainsSubstring("no card has this id"));
  std::string both(k_card);
  both.insert(both.size() - 1, ", " + price);
  CHECK(only(both, context).empty());
}

TEST_CASE("models go to the lint of models") {
  const std::string model = R"({"id": "m", "field": "vision", "image": {"params": 5, "image": 224}})";
  CHECK_THAT(only(R"({"schema": 1, "models": [)" + model + ", " + model + "]}"), ContainsSubstring("m: the id is given twice"));
}

TEST_CASE("discounts are shares with a date") {
  const auto row = [](std::string_view fields) {
    return R"({"schema": 1, "discounts": [{"provider": "p", "gpu": "general", "kind": "spot", "source": "s", )" + std::string(fields) +
           "}]}";
  };
  CHECK(only(row(R"("off_min": 0.2, "off_max": 0.4, "as_of": "2026")")).empty());
  CHECK_THAT(only(row(R"("off_min": 0.5, "off_max": 0.4, "as_of": "2026")")), ContainsSubstring("must be shares"));
  CHECK_THAT(only(row(R"("off_min": 20, "off_max": 40, "as_of": "2026")")), ContainsSubstring("must be shares"));
  CHECK_THAT(only(row(R"("off_min": 0.2, "off_max": 0.4, "as_of": "soon")")), ContainsSubstring("at discounts[0]"));
  CHECK_THAT(only(row(R"("off_min": 0.2, "off_max": 0.4, "as_of": "2026", "off": 1)")), ContainsSubstring("unknown key 'off'"));
}

TEST_CASE("other kinds of files go to their own lint") {
  const std::array<LintHook, 1> hooks = {LintHook{"recipes", &lint_recipes}};
  CHECK(only(R"({"recipes": []})", {{}, hooks}) == "seen in file.json");
}
