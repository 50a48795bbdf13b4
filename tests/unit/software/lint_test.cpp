#include "software/lint.hpp"

#include "catch.hpp"
#include "software/releases.hpp"

using namespace gpuadvise;
using namespace gpuadvise::software;

namespace {

std::string first_rule(const std::vector<Finding>& findings) {
  return findings.empty() ? "" : findings.front().rule;
}

// The shipped file with one text exchanged.
std::string with(std::string_view file, const std::string& from, const std::string& to) {
  std::string text(builtin_software_file(file));
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("the shipped software data is good") {
  for (const char* file : {"releases.json", "cuda.json", "platforms.json", "libraries.json", "errors.json"}) {
    const auto findings = lint_software(builtin_software_file(file), file);
    INFO(file << ": " << (findings.empty() ? "" : findings.front().message));
    CHECK(findings.empty());
  }
}

TEST_CASE("faults in software data are found") {
  CHECK(first_rule(lint_software(
            with("releases.json", "\"cuda\": \"9.0\", \"linux\": [35, 50, 60, 70]", "\"cuda\": \"9.0\", \"linux\": [35, 50, 60, 120]"),
            "x")) == "software-toolkit");
  CHECK(first_rule(lint_software(with("releases.json", "\"default_build\": \"cu130\"", "\"default_build\": \"cu999\""), "x")) ==
        "software-default");
  CHECK(first_rule(lint_software(with("releases.json", "\"version\": \"1.2\"", "\"version\": \"1.0\""), "x")) == "software-order");
  CHECK(first_rule(lint_software(with("releases.json", "\"build\": \"cu130\"", "\"build\": \"cu131\""), "x")) == "software-build");
  CHECK(first_rule(lint_software(with("cuda.json", "\"570.26\"", "\"470.26\""), "x")) == "software-driver");
  CHECK(first_rule(lint_software(with("errors.json", "CUDA error: no kernel image", "CUDA error: no image"), "x")) == "software-example");
  CHECK(first_rule(lint_software("{\"libraries\": 3}", "x")) == "software-form");
  CHECK(first_rule(lint_software("{", "x")) == "software-form");
}
