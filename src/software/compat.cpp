#include "software/compat.hpp"

#include "software/compat_words.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace gpuadvise::software {
namespace {

using Chosen = std::vector<const Candidate*>;

bool asked_for(const Question& question, const Candidate& candidate) {
  return (!question.torch || same_as_far_as_given(*question.torch, candidate.release->number)) && names_build(question.build, candidate);
}

Choice choice_of(const Candidate& candidate) {
  const Release& release = *candidate.release;
  return {release.version,          candidate.build,        candidate.driver,      release.python_from.text(),
          release.python_to.text(), candidate.gfx_override, !candidate.is_default, &release};
}

// Newest CUDA, ROCm last in the list; what pip takes without an index is simpler than any.
bool better(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& c) {
    const Version build =
        parse_version(std::string_view(c.build).substr(
                          c.build.find_first_of("0123456789") == std::string::npos ? c.build.size() : c.build.find_first_of("0123456789")))
            .value_or(Version{});
    // A build with a limit comes after any without.
    const int whole = (c.lacks_cudnn || !c.gfx_override.empty() || c.by_ptx) ? 0 : 1;
    return std::make_tuple(whole, c.release->number, c.is_default, build);
  };
  return rank(a) > rank(b);
}

const Candidate* best_of(const Chosen& chosen) {
  const auto found = std::min_element(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) { return better(*a, *b); });
  return found == chosen.end() ? nullptr : *found;
}

// Of one release the same preference as for the best; by release first.
const Candidate* of_release(const Chosen& chosen, const Release* release) {
  Chosen same;
  std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(same), [&](const Candidate* c) { return c->release == release; });
  return best_of(same);
}

std::vector<Span> spans_of(const Chosen& chosen) {
  std::vector<Span> spans;
  for (const Candidate* candidate : chosen) {
    const auto same = std::find_if(spans.begin(), spans.end(), [&](const Span& span) { return span.build == candidate->build; });
    if (same != spans.end()) {
      same->torch_to = candidate->release->version;
    } else {
      spans.push_back({candidate->build, candidate->release->version, candidate->release->version, candidate->driver});
    }
  }
  return spans;
}

void offer(const Chosen& chosen, Compatibility& answer) {
  if (chosen.empty()) {
    return;
  }
  answer.working = spans_of(chosen);
  answer.oldest = choice_of(*of_release(chosen, chosen.front()->release));
  answer.newest = choice_of(*of_release(chosen, chosen.back()->release));
  answer.install = choice_of(*best_of(chosen));
  for (const Candidate* candidate : {chosen.front(), chosen.back()}) {
    if (candidate->cuda != nullptr &&
        std::find(answer.sources.begin(), answer.sources.end(), candidate->cuda->source) == answer.sources.end()) {
      answer.sources.push_back(candidate->cuda->source);
    }
  }
}

bool needed_release(const Question& question, const Candidate& candidate) {
  return std::all_of(question.needs.begin(), question.needs.end(),
                     [&](const Library* library) { return !library->torch_from || candidate.release->number >= *library->torch_from; });
}

Chosen select(const std::vector<Candidate>& all, const Question& question, bool asked_only) {
  Chosen chosen;
  for (const Candidate& candidate : all) {
    if (candidate.works() && needed_release(question, candidate) && (!asked_only || asked_for(question, candidate))) {
      chosen.push_back(&candidate);
    }
  }
  return chosen;
}

// What was asked does not work: first other versions on the same machine, then with another driver, then with another Python.
void offer_instead(const Facts& facts, const Question& question, const std::vector<Candidate>& all, Compatibility& answer) {
  Chosen chosen = select(all, question, false);
  if (!chosen.empty()) {
    offer(chosen, answer);
    return;
  }
  for (int step = 1; step <= 3; ++step) {
    Question relaxed = question;
    relaxed.driver = (step & 1) != 0 ? std::nullopt : question.driver;
    relaxed.python = (step & 2) != 0 ? std::nullopt : question.python;
    const std::vector<Candidate> others = candidates(facts, relaxed);
    // Keeping the versions that were asked is the smaller change.
    chosen = select(others, relaxed, true);
    chosen = chosen.empty() ? select(others, relaxed, false) : chosen;
    if (!chosen.empty()) {
      offer(chosen, answer);
      answer.condition = step == 1 ? driver_condition(facts, question, *best_of(chosen))
                                   : (step == 2 ? "with another Python" : "with another driver and Python");
      return;
    }
  }
}

void add_limits(const Facts& facts, const Question& question, const Chosen& chosen, Compatibility& answer) {
  const Candidate& best = *best_of(chosen);
  const auto default_of = [&](const Candidate* c) { return c->release == best.release && c->is_default; };
  if (question.build.empty() && !best.release->default_build.empty() && best.cuda != nullptr &&
      (question.os == Os::linux || question.os == Os::wsl2) && std::none_of(chosen.begin(), chosen.end(), default_of)) {
    answer.limits.push_back(default_build_words(question, best));
  }
  for (const std::string& words : limit_words(facts, question, best)) {
    answer.limits.push_back(words);
  }
  for (const std::string& words : note_words(facts, question, best)) {
    answer.notes.push_back(words);
  }
}

// Needs that no version can satisfy decide before anything else.
bool judge_needs(const Question& question, Compatibility& answer) {
  bool possible = true;
  for (const Library* library : question.needs) {
    answer.needs.push_back(need_answer(question, *library));
    const NeedAnswer& need = answer.needs.back();
    if (need.verdict == Verdict::fails && possible) {
      answer.deciding = need.why;
      answer.obstacle = "needs";
      possible = false;
    } else if (need.verdict == Verdict::limited) {
      answer.limits.push_back(need.why);
    }
    answer.sources.push_back(library->source);
  }
  return possible;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> names{"works", "works-with-limits", "does-not-work"};
  return names[static_cast<std::size_t>(verdict)];
}

Compatibility judge(const Facts& facts, const Question& question) {
  Compatibility answer;
  if (const auto blocked = platform_obstacle(facts, question)) {
    answer.obstacle = blocked->first;
    answer.deciding = blocked->second;
    answer.notes = alternative_words(facts, question);
    return answer;
  }
  const std::vector<Candidate> all = candidates(facts, question);
  const bool possible = judge_needs(question, answer);
  const Chosen chosen = select(all, question, true);
  if (chosen.empty() || !possible) {
    if (possible) {
      std::tie(answer.obstacle, answer.deciding) = deciding_words(facts, question, all);
    }
    answer.limits.clear();
    if (possible) {
      offer_instead(facts, question, all, answer);
    } else {
      offer(select(all, question, false), answer);
    }
    if (answer.install && answer.install->release != nullptr) {
      answer.install->needs_index = true;
    }
    for (const std::string& words : alternative_words(facts, question)) {
      answer.notes.push_back(words);
    }
    return answer;
  }
  offer(chosen, answer);
  add_limits(facts, question, chosen, answer);
  answer.convolutions_fail = best_of(chosen)->lacks_cudnn;
  answer.verdict = answer.limits.empty() ? Verdict::works : Verdict::limited;
  answer.deciding = works_words(facts, question, *best_of(chosen));
  return answer;
}

}  // namespace gpuadvise::software
