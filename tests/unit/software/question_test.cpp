// Versions as people write them, and the fewest to change.
#include "software/question.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/catalog.hpp"
#include "catch.hpp"
#include "software/compat.hpp"
#include "software/smallest_change.hpp"

#include <algorithm>

using namespace gpuadvise;
using namespace gpuadvise::software;

namespace {

std::vector<std::string> faulty_keys(const VersionTexts& texts) {
  Question question;
  std::vector<std::string> keys;
  for (const VersionFault& fault : read_versions(facts(), texts, question)) {
    CHECK_FALSE(fault.hint.empty());
    keys.push_back(fault.key);
  }
  return keys;
}

Question read(const VersionTexts& texts) {
  Question question;
  CHECK(read_versions(facts(), texts, question).empty());
  return question;
}

Card nvidia(int capability) {
  Card card;
  card.name = "card";
  card.capability = capability;
  return card;
}

std::string change_of(const VersionTexts& texts, const std::vector<Card>& cards, std::optional<Os> os = std::nullopt) {
  Question question = read(texts);
  question.cards = cards;
  question.os = os.value_or(default_os(cards));
  std::string text;
  for (const VersionChange& change : smallest_change(facts(), question)) {
    text += (text.empty() ? "" : " ") + change.key + "=" + change.value;
  }
  return text;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("versions as they are written") {
  CHECK(read({"2.8.0+cu128", "", "", ""}).torch->text() == "2.8.0");
  CHECK(read({"", "12.8", "", ""}).build == "cu128");
  CHECK(read({"", "CU118", "", ""}).build == "cu118");
  CHECK(read({"", "12", "", ""}).build == "cu12");
  CHECK(read({"", "rocm6.4", "", ""}).build == "rocm6.4");
  CHECK(read({"", "", "R580", ""}).driver->text() == "580");
  CHECK(read({"", "", "31.0.15.5222", ""}).driver->text() == "552.22");
  CHECK(read({"", "", "", "3.12.1"}).python->text() == "3.12.1");
}

TEST_CASE("texts that are no versions, or name nothing known") {
  CHECK(faulty_keys({"99", "", "", ""}) == Keys{"torch"});
  CHECK(faulty_keys({"latest", "", "", ""}) == Keys{"torch"});
  CHECK(faulty_keys({"", "12.2", "", ""}) == Keys{"cuda"});
  CHECK(faulty_keys({"", "fast", "", ""}) == Keys{"cuda"});
  CHECK(faulty_keys({"", "rocm9.9", "", ""}) == Keys{"cuda"});
  CHECK(faulty_keys({"", "", "abc", ""}) == Keys{"driver"});
  CHECK(faulty_keys({"", "", "12.8", ""}) == Keys{"driver"});
  CHECK(faulty_keys({"", "", "99999", ""}) == Keys{"driver"});
  CHECK(faulty_keys({"", "", "", "2.7"}) == Keys{"python"});
  CHECK(faulty_keys({"", "", "", "3.99"}) == Keys{"python"});
  CHECK(faulty_keys({"99", "99", "abc", "x"}) == Keys{"torch", "cuda", "driver", "python"});
  CHECK(faulty_keys({"2.1", "12.1", "535", "3.11"}).empty());
}

TEST_CASE("versions that exclude each other on any card") {
  CHECK(contradictions(facts(), read({"2.1", "12.8", "", ""})).at(0).key == "cuda");
  CHECK(contradictions(facts(), read({"2.14", "", "", "3.8"})).at(0).key == "python");
  CHECK(contradictions(facts(), read({"2.1", "12.1", "", "3.11"})).empty());
  CHECK(contradictions(facts(), read({"2.9", "rocm6.4", "", ""})).empty());
  CHECK(contradictions(facts(), read({"", "12.8", "", "3.8"})).empty());
}

TEST_CASE("the fewest versions to change, newer before older") {
  CHECK(change_of({"2.1", "", "535", ""}, {nvidia(120)}) == "torch=2.7 driver=570");
  CHECK(change_of({"2.1", "12.1", "", ""}, {nvidia(120)}) == "torch=2.7 cuda=cu128");
  CHECK(change_of({"", "13.0", "525", ""}, {nvidia(86)}) == "driver=580.65.06");
  CHECK(change_of({"2.8", "", "", ""}, {nvidia(37)}) == "torch=2.7");
  CHECK(change_of({"", "", "595", ""}, {nvidia(61)}) == "driver=580");
  CHECK(change_of({"2.9", "", "", "3.9"}, {nvidia(86)}) == "python=3.10");
  CHECK(change_of({"2.9", "", "", ""}, {nvidia(86)}).empty());
  CHECK(change_of({}, {nvidia(86)}, Os::macos) == "os=linux");
  CHECK(change_of({"2.11", "", "", ""}, {nvidia(70), nvidia(120)}) == "torch=2.10");
  CHECK(change_of({}, {}).empty());
}

// The promise of the word: with the changes applied it works; that on every card of the catalog and many questions.
TEST_CASE("what a change promises holds on every card") {
  const catalog::Catalog catalog({});
  const std::vector<VersionTexts> asked{{"2.1", "", "535", ""}, {"1.7", "", "", "3.8"},   {"2.14", "", "470", ""}, {"", "12.8", "", ""},
                                        {"", "", "595", ""},    {"2.6", "cu118", "", ""}, {"", "", "", "3.6"},     {"", "rocm7.2", "", ""}};
  std::vector<Card> seen;
  int changed = 0;
  for (const Gpu& gpu : catalog.gpus()) {
    const Card card = card_of(gpu, facts());
    if (std::any_of(seen.begin(), seen.end(), [&](const Card& other) {
          return other.vendor == card.vendor && other.capability == card.capability && other.gfx == card.gfx && other.family == card.family;
        })) {
      continue;
    }
    seen.push_back(card);
    for (const VersionTexts& texts : asked) {
      Question question = read(texts);
      question.cards = {card};
      question.os = default_os(question.cards);
      const bool fails = judge(facts(), question).verdict == Verdict::fails;
      const auto changes = smallest_change(facts(), question);
      INFO(gpu.id << " torch " << texts.torch << " cuda " << texts.cuda << " driver " << texts.driver << " python " << texts.python);
      if (!fails) {
        CHECK(changes.empty());
        continue;
      }
      VersionTexts better = texts;
      for (const VersionChange& change : changes) {
        std::string& text = change.key == "torch"    ? better.torch
                            : change.key == "cuda"   ? better.cuda
                            : change.key == "driver" ? better.driver
                                                     : better.python;
        CHECK_FALSE(text.empty());  // only what was given is changed
        text = change.value;
      }
      if (!changes.empty()) {
        Question mended = read(better);
        mended.cards = {card};
        mended.os = question.os;
        CHECK(judge(facts(), mended).verdict != Verdict::fails);
        ++changed;
      }
    }
  }
  CHECK(changed > 100);
}

TEST_CASE("rows laid over the facts replace, join and stay in order") {
  Facts base = facts();
  const std::size_t releases = base.releases.size();
  Facts extra = read_rows(R"({"schema": 1, "sources": {"me": "release notes"}, "torch_releases": [
      {"version": "2.15", "python_from": "3.11", "python_to": "3.15", "default_build": "cu140", "builds": [
        {"build": "cu140", "cuda": "14.0", "linux": [80, 90, 100, 120], "source": "me"}]},
      {"version": "2.14", "python_from": "3.10", "python_to": "3.14", "builds": []}],
      "majors": [{"cuda": 14, "driver_linux": "640", "driver_windows": "640", "source": "x"}]})",
                          "mine.json");
  CHECK(lay_over(base, std::move(extra)) == "2 PyTorch releases, 1 CUDA major");
  CHECK(base.releases.size() == releases + 1);
  CHECK(base.releases.back().version == "2.15");
  CHECK(base.releases[releases - 1].builds.empty());
  Question question;
  question.cards = {nvidia(90)};
  question.torch = parse_version("2.15");
  question.driver = parse_version("640");
  CHECK(judge(base, question).verdict == Verdict::works);
  question.driver = parse_version("610");
  CHECK(judge(base, question).verdict == Verdict::fails);
  CHECK(lay_over(base, read_rows("{}", "x")).empty());
  CHECK_THROWS_AS(read_rows(R"({"torch_releases": [3]})", "x"), Error);
  CHECK_THROWS_AS(read_rows(R"({"torch_releases": [{"version": "new", "builds": []}]})", "x"), Error);
  CHECK_THROWS_AS(read_rows("[]", "x"), Error);
}
