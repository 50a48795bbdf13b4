#include "software/install.hpp"

#include "catch.hpp"

#include <algorithm>

using namespace gpuadvise;
using namespace gpuadvise::software;

namespace {

Question about(int capability, const char* torch = nullptr, const char* build = "") {
  Question question;
  Card card;
  card.name = "card";
  card.capability = capability;
  question.cards = {card};
  question.torch = torch == nullptr ? std::nullopt : parse_version(torch);
  question.build = build;
  return question;
}

InstallPlan plan_of(const Question& question, Manager manager = Manager::pip) {
  const Compatibility answer = judge(facts(), question);
  REQUIRE(answer.install);
  return plan_install(facts(), question, *answer.install, manager);
}

bool has_text(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("pip commands by the time of the release") {
  CHECK(plan_of(about(86, "2.7", "cu128")).install.front() ==
        "python -m pip install torch==2.7.1 torchvision==0.22.1 torchaudio==2.7.1 --index-url https://download.pytorch.org/whl/cu128");
  CHECK(plan_of(about(86, "1.13", "cu117")).install.front() ==
        "python -m pip install torch==1.13.0+cu117 torchvision==0.14.0+cu117 torchaudio==0.13.0+cu117 --extra-index-url "
        "https://download.pytorch.org/whl/cu117");
  CHECK(plan_of(about(70, "1.8", "cu111")).install.front() ==
        "python -m pip install torch==1.8.0+cu111 torchvision==0.9.0+cu111 torchaudio==0.8.0 -f "
        "https://download.pytorch.org/whl/torch_stable.html");
  CHECK(has_text(plan_of(about(86, "2.13", "cu130")).install, "torch==2.13.0 torchvision==0.28.0 torchaudio==2.11.0"));
  CHECK(has_text(plan_of(about(86, "2.5.0", "cu124")).install, "torch==2.5.0 torchvision==0.20.0 torchaudio==2.5.0"));
  CHECK(has_text(plan_of(about(86, "2.1", "cu121")).install, "numpy<2"));
}

TEST_CASE("uv and conda") {
  const InstallPlan uv = plan_of(about(61), Manager::uv);
  CHECK_THAT(uv.install.front(), ContainsSubstring("uv pip install torch=="));
  CHECK_THAT(uv.install.front(), ContainsSubstring("/whl/cu126"));
  CHECK(has_text(uv.environment, "uv venv"));
  CHECK(plan_of(about(86, "2.5", "cu121"), Manager::conda).install.front() ==
        "conda install pytorch==2.5.1 torchvision==0.20.1 torchaudio==2.5.1 pytorch-cuda=12.1 -c pytorch -c nvidia");
  CHECK(plan_of(about(75, "1.12", "cu113"), Manager::conda).install.front() ==
        "conda install pytorch==1.12.0 torchvision==0.13.0 torchaudio==0.12.0 cudatoolkit=11.3 -c pytorch -c conda-forge");
  CHECK(has_text(plan_of(about(61), Manager::conda).install, "conda-forge pytorch-gpu torchvision cuda-version=12.9"));
}

TEST_CASE("the driver step says what is missing") {
  Question question = about(89);
  CHECK(has_text(plan_of(question).driver, "nvidia-driver-580"));
  question.driver = parse_version("580.82.07");
  CHECK(has_text(plan_of(question).driver, "is right"));
  question = about(61);
  question.driver = parse_version("595");
  CHECK(has_text(plan_of(question).driver, "R580"));
  CHECK(has_text(plan_of(about(37)).driver, "R470"));
  CHECK(has_text(plan_of(about(120)).driver, "-open"));
  question = about(86);
  question.os = Os::wsl2;
  CHECK(has_text(plan_of(question).driver, "none inside WSL 2"));
}

TEST_CASE("tuning follows the oldest card") {
  CHECK(has_text(plan_of(about(86)).tuning, "bfloat16"));
  CHECK(has_text(plan_of(about(75)).tuning, "GradScaler"));
  CHECK(has_text(plan_of(about(61)).tuning, "compute in fp32"));
  CHECK(has_text(plan_of(about(61)).tuning, "leave torch.compile out"));
}

TEST_CASE("the verification program holds 13 checks and what to expect") {
  const Question question = about(61);
  const Compatibility answer = judge(facts(), question);
  const std::string script = verify_script(question, *answer.install, plan_of(question));
  CHECK(script.starts_with("#!/usr/bin/env python3\n"));
  CHECK_THAT(script, ContainsSubstring("\"build\": \"cu126\""));
  for (int number = 1; number <= 13; ++number) {
    CHECK_THAT(script, ContainsSubstring("good(" + std::to_string(number) + ","));
    CHECK_THAT(script, ContainsSubstring("fail(" + std::to_string(number) + ",") || ContainsSubstring("skip(7,"));
  }
}
