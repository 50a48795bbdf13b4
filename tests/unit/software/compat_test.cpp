#include "software/compat.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace gpuadvise;
using namespace gpuadvise::software;

namespace {

Card nvidia(int capability) {
  Card card;
  card.name = "card";
  card.capability = capability;
  return card;
}

Card amd(const std::string& gfx) {
  Card card;
  card.name = "card";
  card.vendor = Vendor::amd;
  card.gfx = gfx;
  return card;
}

Question about(std::vector<Card> cards, const char* torch = nullptr, const char* build = "", const char* driver = nullptr) {
  Question question;
  question.cards = std::move(cards);
  question.torch = torch == nullptr ? std::nullopt : parse_version(torch);
  question.build = build;
  question.driver = driver == nullptr ? std::nullopt : parse_version(driver);
  return question;
}

Compatibility ask(const Question& question) {
  return judge(facts(), question);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) {
    parts.push_back(part);
  }
  return parts;
}

// The builds of one release that the judge lets a card have.
std::string working(const std::string& torch, Os os, int capability) {
  Question question = about({nvidia(capability)}, torch.c_str());
  question.os = os;
  const Compatibility answer = ask(question);
  std::string builds;
  if (answer.verdict != Verdict::fails) {
    for (const Span& span : answer.working) {
      builds += (builds.empty() ? "" : " ") + span.build;
    }
  }
  return builds;
}

int tenths(const std::string& capability) {
  const auto version = parse_version(capability);
  return version->parts[0] * 10 + version->parts[1];
}

bool has_text(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("compat agrees with every cell of the matrix of wheels") {
  std::ifstream file(GPUADVISE_SOURCE_DIR "/tests/unit/software/torch_matrix.csv");
  std::string line;
  REQUIRE(std::getline(file, line));
  const auto capabilities = split(line, ',');
  int cells = 0;
  while (std::getline(file, line)) {
    auto cell = split(line, ',');
    cell.resize(capabilities.size());  // empty cells at the end of the line
    const Os os = *parse_os(cell[1]);
    for (std::size_t i = 2; i < capabilities.size(); ++i) {
      INFO("torch " << cell[0] << " " << cell[1] << " capability " << capabilities[i]);
      CHECK(working(cell[0], os, tenths(capabilities[i])) == cell[i]);
      ++cells;
    }
  }
  CHECK(cells == 928);
}

TEST_CASE("an RTX 5090 needs 2.7 and CUDA 12.8") {
  const Compatibility answer = ask(about({nvidia(120)}, "2.5"));
  CHECK(answer.verdict == Verdict::fails);
  CHECK(answer.obstacle == "architecture");
  CHECK_THAT(answer.deciding, ContainsSubstring("sm_120"));
  REQUIRE(answer.oldest);
  CHECK(answer.oldest->torch == "2.7");
  CHECK(answer.oldest->build == "cu128");
  CHECK(has_text({answer.working[1].build}, "cu129"));
  CHECK(std::any_of(answer.working.begin(), answer.working.end(), [](const Span& span) { return span.build == "cu130"; }));
  CHECK(std::none_of(answer.working.begin(), answer.working.end(), [](const Span& span) { return span.build == "cu126"; }));
}

TEST_CASE("a GTX 1080 Ti is left out of the default build from 2.8 on") {
  for (const char* torch : {"2.8", "2.9", "2.10", "2.11", "2.14"}) {
    const Compatibility answer = ask(about({nvidia(61)}, torch));
    INFO(torch);
    CHECK(answer.verdict == Verdict::limited);
    CHECK(has_text(answer.limits, "plain pip install"));
    REQUIRE(answer.install);
    CHECK(answer.install->build == "cu126");
    CHECK(answer.install->needs_index);
  }
  CHECK(ask(about({nvidia(61)}, "2.8", "cu128")).verdict == Verdict::fails);
}

TEST_CASE("a V100 beside an RTX 5090 has no build of 2.11") {
  const Compatibility answer = ask(about({nvidia(70), nvidia(120)}, "2.11"));
  CHECK(answer.verdict == Verdict::fails);
  REQUIRE(answer.oldest);
  CHECK(answer.oldest->torch == "2.8");
  CHECK(answer.newest->torch == "2.10");
  CHECK(has_text(answer.notes, "conda-forge"));
  CHECK(ask(about({nvidia(70), nvidia(120)}, "2.10")).verdict != Verdict::fails);
  CHECK(ask(about({nvidia(61), nvidia(120)})).verdict == Verdict::fails);
}

TEST_CASE("a Tesla K80 is told its last build") {
  const Compatibility answer = ask(about({nvidia(37)}));
  CHECK(answer.verdict == Verdict::limited);
  REQUIRE(answer.newest);
  CHECK(answer.newest->torch == "2.7");
  CHECK(answer.newest->build == "cu118");
  // cuDNN 9 leaves it out from 2.4 on, so the one to take is older.
  CHECK(answer.install->torch == "2.3");
  CHECK_THAT(ask(about({nvidia(37)}, "2.8")).deciding, ContainsSubstring("last: torch 2.7 cu118"));
}

TEST_CASE("drivers bound builds from below and cards from above") {
  const Compatibility old = ask(about({nvidia(89)}, nullptr, "cu130", "525"));
  CHECK(old.verdict == Verdict::fails);
  CHECK(old.obstacle == "driver");
  CHECK_THAT(old.deciding, ContainsSubstring("580"));
  REQUIRE(old.install);
  CHECK(old.install->build == "cu126");
  CHECK(ask(about({nvidia(89)}, "2.1", "cu121", "525.60.13")).verdict == Verdict::works);
  CHECK(ask(about({nvidia(89)}, "2.1", "cu121", "525.60.11")).verdict == Verdict::fails);
  const Compatibility dropped = ask(about({nvidia(61)}, nullptr, "", "595"));
  CHECK(dropped.verdict == Verdict::fails);
  CHECK_THAT(dropped.deciding, ContainsSubstring("R580"));
  CHECK_THAT(dropped.condition, ContainsSubstring("R580"));
  CHECK(ask(about({nvidia(61)}, nullptr, "", "581.42")).verdict != Verdict::fails);
  CHECK(ask(about({nvidia(120)}, nullptr, "", "535")).obstacle == "driver");
  CHECK(ask(about({nvidia(37)}, "1.8", "cu102", "418")).verdict == Verdict::fails);
}

TEST_CASE("Python bounds releases") {
  Question question = about({nvidia(86)}, "2.0");
  question.python = parse_version("3.12");
  const Compatibility answer = ask(question);
  CHECK(answer.obstacle == "python");
  REQUIRE(answer.oldest);
  CHECK(answer.oldest->torch == "2.4");
  question.python = parse_version("3.11.4");
  CHECK(ask(question).verdict == Verdict::works);
}

TEST_CASE("needs decide by capability, release and system") {
  Question question = about({nvidia(75)});
  question.needs = {find_library(facts(), "flash-attn")};
  CHECK(ask(question).obstacle == "needs");
  CHECK_THAT(ask(question).deciding, ContainsSubstring("8.0"));
  question.cards = {nvidia(89)};
  question.needs = {find_library(facts(), "fp8"), find_library(facts(), "bnb")};
  const Compatibility answer = ask(question);
  CHECK(answer.verdict == Verdict::works);
  CHECK(answer.oldest->torch == "2.4");
  question.torch = parse_version("2.0");
  CHECK(ask(question).obstacle == "needs");
  question = about({nvidia(86)});
  question.os = Os::windows;
  question.needs = {find_library(facts(), "vllm")};
  CHECK(ask(question).verdict == Verdict::fails);
}

TEST_CASE("AMD: the wheel lists the chip, or a sister chip under Linux") {
  CHECK(ask(about({amd("gfx1100")}, "2.9")).verdict == Verdict::works);
  CHECK(ask(about({amd("gfx1100")}, "2.0")).verdict == Verdict::fails);
  const Compatibility sister = ask(about({amd("gfx1031")}));
  CHECK(sister.verdict == Verdict::limited);
  CHECK(has_text(sister.limits, "HSA_OVERRIDE_GFX_VERSION=10.3.0"));
  Question windows = about({amd("gfx1100")});
  windows.os = Os::windows;
  CHECK(ask(windows).obstacle == "system");
  CHECK(ask(about({amd("gfx803")})).verdict == Verdict::fails);
  CHECK(ask(about({amd("gfx1100"), nvidia(86)})).obstacle == "vendor");
}

TEST_CASE("Intel and Apple") {
  Card arc;
  arc.vendor = Vendor::intel;
  arc.family = Architecture::xe_hpg;
  CHECK(ask(about({arc}, "2.7")).verdict == Verdict::works);
  CHECK(ask(about({arc}, "2.4")).verdict == Verdict::fails);
  Card apple;
  apple.vendor = Vendor::apple;
  Question question = about({apple}, "2.5");
  CHECK(ask(question).obstacle == "system");
  question.os = Os::macos;
  CHECK(ask(question).verdict == Verdict::limited);
}

TEST_CASE("unknown releases and builds are named") {
  CHECK(ask(about({nvidia(86)}, "3.0")).obstacle == "release");
  CHECK(ask(about({nvidia(86)}, "2.12", "cu128")).obstacle == "build");
  CHECK(ask(about({nvidia(107)})).obstacle == "unknown");
  CHECK(ask(about({nvidia(86)}, "2.12", "cu12")).install->build == "cu126");
}

TEST_CASE("claims of buyers' guides that are wrong") {
  // "PyTorch needs capability 3.5": it depends on the release and the build.
  CHECK(ask(about({nvidia(35)}, "1.3")).verdict != Verdict::fails);
  CHECK(ask(about({nvidia(35)}, "1.4")).verdict == Verdict::fails);
  CHECK(ask(about({nvidia(50)}, "2.14", "cu126")).verdict != Verdict::fails);
  CHECK(ask(about({nvidia(70)}, "2.14", "cu130")).verdict == Verdict::fails);
  // "CUDA 12 is not stably supported": it is what pip installs since 2.1.
  const auto release = std::find_if(facts().releases.begin(), facts().releases.end(), [](const Release& r) { return r.version == "2.1"; });
  REQUIRE(release != facts().releases.end());
  CHECK(release->default_build == "cu121");
}

TEST_CASE("versions") {
  CHECK(parse_version("2.8.0+cu128")->text() == "2.8.0");
  CHECK(parse_version("R580")->text() == "580");
  CHECK(*parse_version("2.10") > *parse_version("2.9.1"));
  CHECK_FALSE(parse_version("latest"));
  CHECK_FALSE(parse_version("99999999999"));
  CHECK(reaches(*parse_version("525"), *parse_version("525.60.13")));
  CHECK_FALSE(reaches(*parse_version("524.99"), *parse_version("525.60.13")));
}

TEST_CASE("broken software data is refused") {
  CHECK_THROWS_AS(read_facts({"{}", "{}", "{}", "{}"}), Error);
  CHECK_THROWS_AS(read_facts({R"({"torch_releases": [{"version": 2.8}]})", "{}", "{}", "{}"}), Error);
}
