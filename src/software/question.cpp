#include "software/question.hpp"

#include "units/lower_case.hpp"

#include <algorithm>

namespace gpuadvise::software {
namespace {

using Faults = std::vector<VersionFault>;

// Drivers of cards that PyTorch ever served; a CUDA version in their place is far below.
constexpr int k_oldest_branch = 300;
constexpr int k_newest_branch = 1999;

std::optional<Version> version_of(const char* key, const std::string& text, const char* example, Faults& faults) {
  const auto version = parse_version(text);
  if (!version) {
    faults.push_back({key, std::string(key) + " '" + text + "' is not a version", std::string("for example ") + example});
  }
  return version;
}

void read_torch(const Facts& facts, const std::string& text, Question& question, Faults& faults) {
  question.torch = version_of("torch", text, "2.8", faults);
  const bool known = !question.torch || facts.releases.empty() ||
                     std::any_of(facts.releases.begin(), facts.releases.end(),
                                 [&](const Release& release) { return same_as_far_as_given(*question.torch, release.number); });
  if (!known) {
    faults.push_back({"torch", "torch '" + text + "' is no release that is known here",
                      "known are " + facts.releases.front().version + " to " + facts.releases.back().version +
                          "; a file with another one can be laid over the data with --catalog"});
  }
}

bool known_build(const Facts& facts, const std::string& name) {
  if (name == "xpu" || name == "mps" || name == "rocm" || name == "cu11" || name == "cu12" || name == "cu13") {
    return true;
  }
  const auto has = [&](const Release& release) {
    return std::any_of(release.builds.begin(), release.builds.end(), [&](const Build& build) { return build.name == name; });
  };
  return std::any_of(facts.releases.begin(), facts.releases.end(), has) ||
         std::any_of(facts.rocm.begin(), facts.rocm.end(), [&](const RocmWheel& wheel) { return "rocm" + wheel.rocm_text == name; });
}

std::string build_names(const Facts& facts, std::string_view prefix) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (name.starts_with(prefix) && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const Release& release : facts.releases) {
    for (const Build& build : release.builds) {
      add(build.name);
    }
  }
  for (const RocmWheel& wheel : facts.rocm) {
    add("rocm" + wheel.rocm_text);
  }
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

// 12.8, 12, cu128, rocm6.4, xpu, mps.
void read_build(const Facts& facts, const std::string& text, Question& question, Faults& faults) {
  const std::string name = lower_case(text);
  const bool spelled = name.starts_with("cu") || name.starts_with("rocm") || name == "xpu" || name == "mps";
  const auto version = spelled ? std::nullopt : parse_version(name);
  if (!spelled && !version) {
    faults.push_back({"cuda", "cuda '" + text + "' is neither a CUDA version nor a build", "for example 12.8, cu128, rocm6.4, xpu"});
    return;
  }
  question.build =
      spelled ? name : "cu" + std::to_string(version->parts[0]) + (version->count > 1 ? std::to_string(version->parts[1]) : "");
  if (!known_build(facts, question.build)) {
    const bool rocm = question.build.starts_with("rocm");
    faults.push_back({"cuda", "cuda '" + text + "': no PyTorch is built as " + question.build,
                      "known are " + build_names(facts, rocm ? "rocm" : "cu") +
                          (rocm ? "" : "; the CUDA version that nvidia-smi shows is the driver's: give driver instead")});
  }
}

// Windows shows 31.0.15.5222 for driver 552.22: the last five digits.
Version plain_driver(const Version& version) {
  if (version.count != 4 || version.parts[0] < 20 || version.parts[0] >= 40) {
    return version;
  }
  const int digits = version.parts[2] % 10 * 10000 + version.parts[3] % 10000;
  return {{digits / 100, digits % 100, 0, 0}, 2};
}

void read_driver(const std::string& text, Question& question, Faults& faults) {
  question.driver = version_of("driver", text, "535.104.05", faults);
  if (!question.driver) {
    return;
  }
  question.driver = plain_driver(*question.driver);
  if (question.driver->parts[0] < k_oldest_branch || question.driver->parts[0] > k_newest_branch) {
    const bool like_cuda = question.driver->parts[0] >= 8 && question.driver->parts[0] < 20;
    faults.push_back({"driver", "driver '" + text + "' is no NVIDIA driver",
                      like_cuda ? "that looks like a CUDA version: give it as cuda" : "for example 535 or 535.104.05"});
  }
}

void read_python(const Facts& facts, const std::string& text, Question& question, Faults& faults) {
  question.python = version_of("python", text, "3.12", faults);
  if (!question.python || facts.releases.empty()) {
    return;
  }
  const Version& oldest = facts.releases.front().python_from;
  const Version& newest = facts.releases.back().python_to;
  const bool above = *question.python > newest && !same_as_far_as_given(*question.python, newest);
  const bool below = *question.python < oldest && !same_as_far_as_given(*question.python, oldest);
  if (above || below) {
    faults.push_back({"python", "python '" + text + "': no release of PyTorch that is known here has wheels for it",
                      "known are " + oldest.text() + " to " + newest.text()});
  }
}

std::string builds_of(const Facts& facts, const Release& release) {
  std::string list;
  for (const Build& build : release.builds) {
    list += (list.empty() ? "" : ", ") + build.name;
  }
  for (const RocmWheel& wheel : facts.rocm) {
    if (release.number >= wheel.torch_from && release.number <= wheel.torch_to) {
      list += (list.empty() ? "" : ", ") + ("rocm" + wheel.rocm_text);
    }
  }
  return list + (release.xpu ? ", xpu" : "") + (release.mps ? ", mps" : "");
}

bool has_build(const Facts& facts, const Release& release, const std::string& asked) {
  const auto names = [&](const std::string& name) {
    Candidate candidate;
    candidate.build = name;
    return names_build(asked, candidate);
  };
  return (release.xpu && names("xpu")) || (release.mps && names("mps")) ||
         std::any_of(release.builds.begin(), release.builds.end(), [&](const Build& build) { return names(build.name); }) ||
         std::any_of(facts.rocm.begin(), facts.rocm.end(), [&](const RocmWheel& wheel) {
           return release.number >= wheel.torch_from && release.number <= wheel.torch_to && names("rocm" + wheel.rocm_text);
         });
}

}  // namespace

std::vector<VersionFault> read_versions(const Facts& facts, const VersionTexts& texts, Question& question) {
  Faults faults;
  if (!texts.torch.empty()) {
    read_torch(facts, texts.torch, question, faults);
  }
  if (!texts.cuda.empty()) {
    read_build(facts, texts.cuda, question, faults);
  }
  if (!texts.driver.empty()) {
    read_driver(texts.driver, question, faults);
  }
  if (!texts.python.empty()) {
    read_python(facts, texts.python, question, faults);
  }
  return faults;
}

std::vector<VersionFault> contradictions(const Facts& facts, const Question& question) {
  Faults faults;
  std::vector<const Release*> asked;
  for (const Release& release : facts.releases) {
    if (question.torch && same_as_far_as_given(*question.torch, release.number)) {
      asked.push_back(&release);
    }
  }
  if (asked.empty()) {
    return faults;
  }
  const Release& newest = *asked.back();
  const auto none = [&](auto&& test) { return std::none_of(asked.begin(), asked.end(), test); };
  if (!question.build.empty() && none([&](const Release* release) { return has_build(facts, *release, question.build); })) {
    faults.push_back({"cuda",
                      "torch " + question.torch->text() + " and cuda " + question.build + " exclude each other: there is no such build",
                      "torch " + newest.version + " has " + builds_of(facts, newest)});
  }
  if (question.python && none([&](const Release* release) { return has_python(*release, *question.python); })) {
    faults.push_back(
        {"python",
         "torch " + question.torch->text() + " and python " + question.python->text() + " exclude each other: there is no such wheel",
         "torch " + newest.version + " has Python " + newest.python_from.text() + " to " + newest.python_to.text()});
  }
  return faults;
}

Os default_os(std::span<const Card> cards) {
  if (!cards.empty() && cards.front().vendor == Vendor::apple) {
    return Os::macos;
  }
  return os_for(Os::linux, cards);
}

Os os_for(Os asked, std::span<const Card> cards) {
  const bool arm = std::any_of(cards.begin(), cards.end(), [](const Card& card) { return card.arm_host; });
  return asked == Os::linux && arm ? Os::aarch64 : asked;
}

}  // namespace gpuadvise::software
