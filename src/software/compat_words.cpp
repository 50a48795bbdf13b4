#include "software/compat_words.hpp"

#include "units/joined.hpp"

#include <algorithm>

namespace gpuadvise::software {
namespace {

std::string card_words(const Card& card) {
  if (card.capability) {
    return card.name + " (compute capability " + capability_text(*card.capability) + ")";
  }
  return card.gfx.empty() ? card.name : card.name + " (" + card.gfx + ")";
}

std::string cards_words(const Question& question) {
  std::vector<std::string> names;
  for (const Card& card : question.cards) {
    names.push_back(card_words(card));
  }
  return joined(names, " and ");
}

std::string sm_words(const Kernels& kernels) {
  std::vector<std::string> names;
  for (const int code : kernels.code) {
    names.push_back("sm_" + std::to_string(code));
  }
  return joined(names, " ");
}

std::string asked_words(const Question& question) {
  std::string out = question.torch ? "torch " + question.torch->text() : std::string("PyTorch");
  return question.build.empty() ? out : out + " " + question.build;
}

bool in_scope(const Question& question, const Candidate& candidate) {
  return (!question.torch || same_as_far_as_given(*question.torch, candidate.release->number)) && names_build(question.build, candidate);
}

std::vector<const Candidate*> scope_of(const Question& question, const std::vector<Candidate>& all) {
  std::vector<const Candidate*> scope;
  for (const Candidate& candidate : all) {
    if (in_scope(question, candidate)) {
      scope.push_back(&candidate);
    }
  }
  return scope;
}

// The last build with code for the cards, whatever the driver: what an owner of an old card wants to know.
std::string last_words(const std::vector<Candidate>& all) {
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (!it->blocked_by(Obstacle::architecture)) {
      return "torch " + it->release->version + " " + it->build;
    }
  }
  return {};
}

std::string first_words(const std::vector<Candidate>& all) {
  for (const Candidate& candidate : all) {
    if (!candidate.blocked_by(Obstacle::architecture)) {
      return "torch " + candidate.release->version + " " + candidate.build;
    }
  }
  return {};
}

std::string held_words(const Question& question, const std::vector<const Candidate*>& scope) {
  if (scope.size() == 1 && scope.front()->cuda != nullptr) {
    return ": it holds " + sm_words(kernels_of(*scope.front()->cuda, question.os));
  }
  std::vector<std::string> names;
  for (const Candidate* candidate : scope) {
    if (std::find(names.begin(), names.end(), candidate->build) == names.end()) {
      names.push_back(candidate->build);
    }
  }
  return names.size() > 6 ? "" : " (" + joined(names) + ")";
}

std::string architecture_words(const Question& question, const std::vector<Candidate>& all, const std::vector<const Candidate*>& scope) {
  const Card& card = question.cards.front();
  const std::string first = first_words(all);
  const std::string last = last_words(all);
  if (question.cards.size() > 1) {
    return "no single build of " + asked_words(question) + " holds code for " + cards_words(question) +
           (last.empty() ? "; no release does" : "; " + (first == last ? first + " does" : first + " to " + last + " do"));
  }
  const std::string wanted = card.capability ? "sm_" + std::to_string(*card.capability) : card.gfx;
  std::string words = (scope.size() == 1 ? scope.front()->build + " of torch " + scope.front()->release->version + " has no code for "
                                         : "no wheel of " + asked_words(question) + held_words(question, scope) + " has code for ") +
                      wanted + ", which " + card_words(card) + " needs";
  words += scope.size() == 1 ? held_words(question, scope) : std::string();
  return words + (last.empty() ? "; no release has it" : "; first: " + first + ", last: " + last);
}

}  // namespace

std::string card_driver_words(const Facts& facts, const Question& question) {
  if (!question.driver) {
    return {};
  }
  for (const Card& card : question.cards) {
    if (!driver_drops(facts, card, *question.driver)) {
      continue;
    }
    const ArchitectureSpan* span = span_of(facts, *card.capability);
    const std::string driver = "driver " + question.driver->text();
    if (span->last_branch && branch_of(facts, *question.driver) > span->last_branch->parts[0]) {
      return driver + " no longer drives " + card_words(card) + ": the last branch that does is R" + span->last_branch->text();
    }
    return driver + " does not know " + card_words(card) + " yet: it needs " + span->first_driver->text() + " or newer";
  }
  return {};
}

namespace {

std::string build_driver_words(const Facts& facts, const Question& question, const Candidate& candidate) {
  std::string cuda;
  for (const DriverBranch& row : facts.branches) {
    cuda = row.branch == branch_of(facts, *question.driver) ? row.cuda : cuda;
  }
  return "driver " + question.driver->text() + (cuda.empty() ? "" : " (CUDA " + cuda + ")") + " is too old for " + candidate.build +
         ": CUDA " + candidate.cuda->cuda.text() + " wheels need driver " + candidate.driver + " or newer";
}

std::string python_words(const Question& question, const Candidate& candidate) {
  const Release& release = *candidate.release;
  return "torch " + release.version + " has no wheel for Python " + question.python->text() + ": it has " + release.python_from.text() +
         " to " + release.python_to.text() + (release.python_note.empty() ? "" : " (" + release.python_note + ")");
}

ObstacleWords empty_scope_words(const Question& question, const std::vector<Candidate>& all) {
  if (question.torch) {
    std::vector<std::string> builds;
    for (const Candidate& candidate : all) {
      if (same_as_far_as_given(*question.torch, candidate.release->number)) {
        builds.push_back(candidate.build);
      }
    }
    if (!builds.empty()) {
      return {"build", "torch " + question.torch->text() + " has no " + question.build + " build for " +
                           std::string(to_string(question.os)) + ": it has " + joined(builds)};
    }
    if (!all.empty()) {
      return {"release", "no release " + question.torch->text() + " for this maker and system: known are " + all.front().release->version +
                             " to " + all.back().release->version};
    }
  }
  return {"build", "there is no build " + question.build + " of PyTorch for " + std::string(to_string(question.os))};
}

bool has_other_maker(const Question& question) {
  return std::any_of(question.cards.begin(), question.cards.end(),
                     [&](const Card& card) { return card.vendor != question.cards.front().vendor; });
}

// Of a card that no toolkit of the data knows, the rule of majors would promise what nobody has seen.
std::optional<ObstacleWords> unknown_capability(const Facts& facts, const Question& question) {
  for (const Card& card : question.cards) {
    if (!card.capability) {
      return ObstacleWords{"unknown", "the compute capability of " + card.name + " is not known"};
    }
    if (span_of(facts, *card.capability) == nullptr) {
      return ObstacleWords{"unknown", "no driver or toolkit that is known here serves " + card_words(card) + " yet"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ObstacleWords> platform_obstacle(const Facts& facts, const Question& question) {
  const Card& card = question.cards.front();
  if (has_other_maker(question)) {
    return ObstacleWords{"vendor", "one installation of PyTorch serves one maker's cards: use an environment for each"};
  }
  for (const Card& each : question.cards) {
    if (each.jetpack_only) {
      return ObstacleWords{"platform", each.name + " takes PyTorch from NVIDIA's JetPack, not from the public index"};
    }
  }
  switch (card.vendor) {
    case Vendor::nvidia:
      if (question.os == Os::macos) {
        return ObstacleWords{"system", "there is no CUDA on macOS since 10.13, and no such wheel of PyTorch"};
      }
      return unknown_capability(facts, question);
    case Vendor::amd:
      if (card.gfx.empty()) {
        return ObstacleWords{"unknown", "the gfx target of " + card.name + " is not known"};
      }
      return question.os == Os::linux || question.os == Os::wsl2
                 ? std::nullopt
                 : std::optional<ObstacleWords>({"system", "the ROCm wheels of the public index are for Linux on x86 only"});
    case Vendor::intel:
      if (card.family == Architecture::gaudi) {
        return ObstacleWords{"platform", card.name + " runs on Intel Gaudi's own software, not on a wheel of the public index"};
      }
      return question.os == Os::linux || question.os == Os::windows
                 ? std::nullopt
                 : std::optional<ObstacleWords>({"system", "the XPU wheels are for Linux and Windows"});
    case Vendor::apple:
      return question.os == Os::macos ? std::nullopt
                                      : std::optional<ObstacleWords>({"system", "Apple's GPUs are served under macOS only (device mps)"});
    case Vendor::moore_threads:
    case Vendor::huawei:
      break;
  }
  return ObstacleWords{"platform", card.name + " needs its maker's own build of PyTorch; the public index has none"};
}

ObstacleWords deciding_words(const Facts& facts, const Question& question, const std::vector<Candidate>& all) {
  const auto scope = scope_of(question, all);
  if (scope.empty()) {
    return empty_scope_words(question, all);
  }
  // The candidate with the fewest obstacles is the nearest to working: its obstacle is what decides.
  const auto nearest = *std::min_element(scope.begin(), scope.end(), [](const Candidate* a, const Candidate* b) {
    const auto rank = [](const Candidate* c) { return std::make_pair(c->blocked_by(Obstacle::architecture), c->obstacles.size()); };
    return rank(a) < rank(b);
  });
  if (nearest->blocked_by(Obstacle::architecture)) {
    return {"architecture", architecture_words(question, all, scope)};
  }
  if (nearest->blocked_by(Obstacle::card_driver)) {
    return {"driver", card_driver_words(facts, question)};
  }
  if (nearest->blocked_by(Obstacle::build_driver)) {
    return {"driver", build_driver_words(facts, question, *nearest)};
  }
  if (nearest->blocked_by(Obstacle::python)) {
    return {"python", python_words(question, *nearest)};
  }
  std::vector<std::string> names;
  for (const Library* library : question.needs) {
    if (library->torch_from && nearest->release->number < *library->torch_from) {
      names.push_back(library->name + " needs torch " + library->torch_from->text() + " or newer");
    }
  }
  return {"needs", joined(names, "; ")};
}

std::string works_words(const Facts&, const Question& question, const Candidate& best) {
  const std::string build = "torch " + best.release->version + " " + best.build;
  if (best.cuda != nullptr) {
    const std::string how = best.by_ptx ? " can be compiled at the first start for " : " holds code for ";
    return build + how + cards_words(question) + ": " + sm_words(kernels_of(*best.cuda, question.os));
  }
  if (!best.gfx_override.empty()) {
    return build + " has no code for " + cards_words(question) + ", but code for a sister chip that it can run";
  }
  return build + " serves " + cards_words(question);
}

std::string default_build_words(const Question& question, const Candidate& best) {
  for (const Build& build : best.release->builds) {
    if (build.name == best.release->default_build) {
      const Kernels& kernels = kernels_of(build, question.os);
      const bool lacks = std::any_of(question.cards.begin(), question.cards.end(),
                                     [&](const Card& card) { return !card.capability || !runs_code(kernels, *card.capability); });
      return "a plain pip install of torch " + best.release->version + " takes " + build.name +
             (lacks ? ", which has no code for " + cards_words(question) : ", which this driver or Python does not serve") +
             ": name the index " + best.build;
    }
  }
  return "name the index " + best.build;
}

std::string end_of_support_words(const Facts& facts, const Question& question) {
  for (const Card& card : question.cards) {
    const ArchitectureSpan* span = card.capability ? span_of(facts, *card.capability) : nullptr;
    if (span != nullptr && span->last_branch) {
      return "near the end of support: R" + span->last_branch->text() + " is the last driver branch and CUDA " + span->last_toolkit +
             " the last toolkit for " + card_words(card);
    }
  }
  return {};
}

std::vector<std::string> limit_words(const Facts& facts, const Question& question, const Candidate& best) {
  std::vector<std::string> limits;
  if (best.lacks_cudnn) {
    limits.push_back("torch " + best.release->version + " ships cuDNN 9, which needs compute capability 5.0: convolutions fail");
  }
  if (best.by_ptx) {
    limits.emplace_back("no machine code for the card: kernels are compiled at the first start, which takes minutes");
  }
  if (!best.gfx_override.empty()) {
    limits.push_back("only with HSA_OVERRIDE_GFX_VERSION=" + best.gfx_override + ": AMD promises nothing");
  }
  if (std::string ending = end_of_support_words(facts, question); !ending.empty()) {
    limits.push_back(std::move(ending));
  }
  if (best.release != &facts.releases.back() && !question.torch && question.build.empty() && !question.driver && !question.python) {
    limits.push_back("newer releases than torch " + best.release->version + " do not serve it in full");
  }
  if (best.build == "mps") {
    limits.emplace_back("the device is mps: no float64, one GPU, no CUDA libraries");
  }
  return limits;
}

std::vector<std::string> note_words(const Facts&, const Question& question, const Candidate& best) {
  std::vector<std::string> notes;
  if (best.confidence == "medium" || best.confidence == "low") {
    notes.push_back("the list of cards of this build is of " + best.confidence + " confidence");
  }
  if (best.cuda != nullptr && !best.cuda->note.empty()) {
    notes.push_back(best.build + " of torch " + best.release->version + ": " + best.cuda->note);
  }
  if (question.os == Os::windows && best.cuda != nullptr) {
    notes.emplace_back("on Windows a plain pip install gives a CPU build: always name the index");
  }
  if (question.os == Os::wsl2) {
    notes.emplace_back("WSL 2 uses the driver of Windows: install none inside");
  }
  if (best.build == "xpu") {
    notes.emplace_back("the device is xpu; Intel's GPU driver must be installed first");
  }
  return notes;
}

std::vector<std::string> alternative_words(const Facts& facts, const Question& question) {
  std::vector<std::string> words;
  const Card& card = question.cards.front();
  const bool conda_serves = std::all_of(question.cards.begin(), question.cards.end(), [&](const Card& each) {
    return each.vendor == Vendor::nvidia && each.capability && !each.jetpack_only && runs_code(facts.conda_forge, *each.capability);
  });
  if (conda_serves && question.cards.size() > 1 && question.os != Os::macos) {
    words.push_back("conda-forge's CUDA 12 package of PyTorch (up to " + facts.conda_forge_to + ") holds code for all of these cards");
  }
  if (card.vendor == Vendor::amd && !card.gfx.empty()) {
    const bool windows = question.os == Os::windows;
    const auto& list = windows ? facts.amd_windows : facts.amd_linux;
    if (std::find(list.begin(), list.end(), card.gfx) != list.end()) {
      words.push_back("AMD's own wheels serve " + card.gfx + (windows ? " on Windows" : "") + ": pip install --index-url " +
                      facts.amd_index + " \"torch[device-" + card.gfx + "]\"");
    }
    if (windows) {
      words.emplace_back("WSL 2 with ROCm is another way");
    }
  }
  return words;
}

NeedAnswer need_answer(const Question& question, const Library& library) {
  NeedAnswer answer;
  answer.library = library.id;
  for (const Card& card : question.cards) {
    const std::string maker_note = library.note.empty() ? "" : " (" + library.note + ")";
    const bool listed =
        card.vendor == Vendor::nvidia || std::find(library.vendors.begin(), library.vendors.end(), "amd") != library.vendors.end();
    if (!listed || !card.capability) {
      answer.verdict = std::max(answer.verdict, card.vendor == Vendor::nvidia ? Verdict::fails : Verdict::limited);
      answer.why = card.vendor == Vendor::nvidia ? library.name + " needs a known compute capability"
                                                 : library.name + ": no ready package is known for " + card.name;
    } else if (*card.capability < library.capability_from || (library.capability_to && *card.capability > *library.capability_to)) {
      answer.verdict = Verdict::fails;
      answer.why = library.name + " needs compute capability " + capability_text(library.capability_from) +
                   (library.capability_to ? " to " + capability_text(*library.capability_to) : " or newer") + ", " + card.name + " has " +
                   capability_text(*card.capability) + maker_note;
      return answer;
    }
  }
  const std::string os(to_string(question.os));
  const bool linux_like = question.os == Os::aarch64;
  if (!library.os.empty() && !linux_like && std::find(library.os.begin(), library.os.end(), os) == library.os.end()) {
    answer.verdict = Verdict::fails;
    answer.why = library.name + " has ready packages for " + joined(library.os, " and ") + " only";
  }
  if (answer.why.empty()) {
    answer.why = library.name + ": from compute capability " + capability_text(library.capability_from) +
                 (library.torch_from ? ", torch " + library.torch_from->text() : "") + (library.note.empty() ? "" : "; " + library.note);
  }
  return answer;
}

std::string driver_condition(const Facts& facts, const Question& question, const Candidate& best) {
  for (const Card& card : question.cards) {
    const ArchitectureSpan* span = card.capability ? span_of(facts, *card.capability) : nullptr;
    if (span != nullptr && span->last_branch && question.driver && branch_of(facts, *question.driver) > span->last_branch->parts[0]) {
      return "with a driver of branch R" + span->last_branch->text();
    }
  }
  return "with driver " + best.driver + " or newer";
}

}  // namespace gpuadvise::software
