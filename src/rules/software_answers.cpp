#include "rules/software_answers.hpp"

#include "software/compat_words.hpp"
#include "software/question.hpp"
#include "software/smallest_change.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::rules {
namespace {

using software::Question;
using software::Verdict;

std::optional<software::Os> os_of(const Preferences& wants) {
  if (wants.origin(PreferenceKey::os) < Origin::file) {
    return std::nullopt;
  }
  static constexpr std::array<software::Os, 4> systems{software::Os::linux, software::Os::windows, software::Os::macos, software::Os::wsl2};
  return systems[static_cast<std::size_t>(wants.os)];
}

std::string flags_text(const std::vector<software::VersionChange>& changes) {
  std::string text;
  for (const software::VersionChange& change : changes) {
    text += (text.empty() ? "--" : " --") + change.key + " " + change.value;
  }
  return text;
}

bool alike(const software::Card& a, const software::Card& b) {
  return a.vendor == b.vendor && a.family == b.family && a.capability == b.capability && a.gfx == b.gfx && a.arm_host == b.arm_host &&
         a.jetpack_only == b.jetpack_only;
}

// The newest build whose cuDNN serves the card, as far as it is not the one asked for.
std::string cudnn_change(const software::Facts& facts, const Question& question) {
  Question open = question;
  open.torch.reset();
  open.build.clear();
  std::string change;
  for (const software::Candidate& candidate : software::candidates(facts, open)) {
    if (candidate.works() && !candidate.lacks_cudnn) {
      const bool other_build = !software::names_build(question.build, candidate);
      change = "--torch " + candidate.release->version + (other_build ? " --cuda " + candidate.build : "");
    }
  }
  return change;
}

// AMD serves chips from its own index that the public one leaves out.
std::string own_wheels(const software::Facts& facts, const Question& question, const software::Card& card) {
  const bool windows = question.os == software::Os::windows;
  const bool linux = question.os == software::Os::linux || question.os == software::Os::wsl2;
  if (card.vendor != Vendor::amd || card.gfx.empty() || !(windows || linux)) {
    return {};
  }
  const auto& list = windows ? facts.amd_windows : facts.amd_linux;
  return std::find(list.begin(), list.end(), card.gfx) != list.end() ? facts.amd_index : std::string();
}

software::VersionTexts texts_of(const Preferences& wants) {
  return {wants.torch, wants.cuda, wants.driver, wants.python};
}

void add_faults(std::vector<software::VersionFault>&& found, ErrorCode code, workload::Faults& faults) {
  for (software::VersionFault& fault : found) {
    faults.push_back({code, std::move(fault.key), std::move(fault.message), std::move(fault.hint)});
  }
}

workload::Faults read(const software::Facts& facts, const Preferences& wants, Question& question) {
  workload::Faults faults;
  add_faults(software::read_versions(facts, texts_of(wants), question), ErrorCode::invalid_value, faults);
  if (faults.empty()) {
    add_faults(software::contradictions(facts, question), ErrorCode::conflict, faults);
  }
  return faults;
}

}  // namespace

workload::Faults version_faults(const Preferences& wants, const SoftwareAnswers::Source& facts) {
  Question question;
  return texts_of(wants).any() ? read(facts(), wants, question) : workload::Faults{};
}

SoftwareAnswers::SoftwareAnswers(const Preferences& wants, const Source& facts) : os_(os_of(wants)) {
  if (!texts_of(wants).any() && !os_) {
    return;
  }
  facts_ = facts ? &facts() : &software::facts();
  if (workload::Faults faults = read(*facts_, wants, question_); !faults.empty()) {
    throw workload::RequestError(std::move(faults));
  }
}

const SoftwareAnswer* SoftwareAnswers::of(const Gpu& gpu, Sourcing source) const {
  if (facts_ == nullptr) {
    return nullptr;
  }
  software::Card card = software::card_of(gpu, *facts_);
  card.name = "this card";
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.source == source && alike(kept.card, card); });
  if (known != kept_.end()) {
    return &known->answer;
  }
  SoftwareAnswer answer = judge(card, source);
  return &kept_.emplace_back(Kept{std::move(card), source, std::move(answer)}).answer;
}

SoftwareAnswer SoftwareAnswers::judge(const software::Card& card, Sourcing source) const {
  Question question = question_;
  question.cards = {card};
  const bool own_machine = source == Sourcing::buy;
  question.os = own_machine && os_ ? software::os_for(*os_, question.cards) : software::default_os(question.cards);
  if (!own_machine) {
    question.driver.reset();
  }
  SoftwareAnswer answer;
  answer.found = software::judge(*facts_, question);
  if (const auto& install = answer.found.install) {
    answer.take = "torch " + install->torch + " " + install->build;
  }
  const std::string ending = software::end_of_support_words(*facts_, question);
  for (const std::string& words : answer.found.limits) {
    if (words != ending) {
      answer.limit += (answer.limit.empty() ? "" : "; ") + words;
    }
  }
  if (answer.found.verdict == Verdict::fails) {
    answer.change = flags_text(software::smallest_change(*facts_, question));
    answer.own_wheels = own_wheels(*facts_, question, card);
  }
  if (answer.found.convolutions_fail) {
    answer.cudnn_change = cudnn_change(*facts_, question);
  }
  answer.driver_fault = software::card_driver_words(*facts_, question);
  if (!answer.driver_fault.empty()) {
    Question driver_only = question;
    driver_only.torch.reset();
    driver_only.build.clear();
    driver_only.python.reset();
    answer.driver_change = flags_text(software::smallest_change(*facts_, driver_only));
  }
  return answer;
}

}  // namespace gpuadvise::rules
