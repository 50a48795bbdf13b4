#include "software/smallest_change.hpp"

#include "software/compat_words.hpp"

#include <limits>
#include <optional>

namespace gpuadvise::software {
namespace {

// What a change costs its owner: a newer release is installed in a minute, a driver needs its machine, an older version loses features.
constexpr double k_newer_torch = 1.0;
constexpr double k_newer_driver = 1.1;
constexpr double k_other_build = 1.2;
constexpr double k_other_python = 1.3;
constexpr double k_older = 1.6;
// Among equal changes the nearest release.
constexpr double k_per_release = 0.001;

struct Plan {
  double cost = std::numeric_limits<double>::infinity();
  std::vector<VersionChange> changes;
};

void change(Plan& plan, double cost, std::string key, std::string value) {
  plan.cost += cost;
  plan.changes.push_back({std::move(key), std::move(value)});
}

void change_torch(const Question& question, const Candidate& candidate, std::size_t place, std::size_t asked, Plan& plan) {
  if (!question.torch || same_as_far_as_given(*question.torch, candidate.release->number)) {
    return;
  }
  const bool newer = candidate.release->number > *question.torch;
  const double steps = static_cast<double>(place > asked ? place - asked : asked - place);
  change(plan, (newer ? k_newer_torch : k_older) + k_per_release * steps, "torch", candidate.release->version);
}

// The newest branch that every card still has, where the driver is too new for one of them.
std::optional<Version> last_branch(const Facts& facts, const Question& question) {
  std::optional<Version> last;
  for (const Card& card : question.cards) {
    const ArchitectureSpan* span = card.capability ? span_of(facts, *card.capability) : nullptr;
    if (span != nullptr && span->last_branch && branch_of(facts, *question.driver) > span->last_branch->parts[0] &&
        (!last || *span->last_branch < *last)) {
      last = span->last_branch;
    }
  }
  return last;
}

// False where no driver serves both the build and the cards.
bool change_driver(const Facts& facts, const Question& question, const Candidate& candidate, Plan& plan) {
  if (!question.driver) {
    return true;
  }
  const auto least = parse_version(candidate.driver);
  if (const auto last = last_branch(facts, question)) {
    if (least && !reaches(*last, *least)) {
      return false;
    }
    change(plan, k_older, "driver", last->text());
  } else if (least && !reaches(*question.driver, *least)) {
    change(plan, k_newer_driver, "driver", candidate.driver);
  }
  return true;
}

Plan plan_for(const Facts& facts, const Question& question, const Candidate& candidate, std::size_t place, std::size_t asked) {
  Plan plan{0.0, {}};
  change_torch(question, candidate, place, asked, plan);
  if (!names_build(question.build, candidate)) {
    change(plan, k_other_build, "cuda", candidate.build);
  }
  if (!change_driver(facts, question, candidate, plan)) {
    return {};
  }
  const Release& release = *candidate.release;
  if (question.python && !has_python(release, *question.python)) {
    const bool too_old = *question.python < release.python_from;
    change(plan, k_other_python, "python", (too_old ? release.python_from : release.python_to).text());
  }
  // Of builds that cost the same, the one that a plain install takes, then one without limits.
  plan.cost += (candidate.is_default ? 0.0 : 1e-5) + (candidate.by_ptx || candidate.lacks_cudnn ? 1e-4 : 0.0);
  return plan;
}

std::size_t place_of(const Facts& facts, const Version& version) {
  std::size_t place = 0;
  while (place + 1 < facts.releases.size() && facts.releases[place + 1].number <= version) {
    ++place;
  }
  return place;
}

std::vector<VersionChange> change_of_system(const Facts& facts, const Question& question) {
  const Os own = question.cards.front().vendor == Vendor::apple ? Os::macos : Os::linux;
  Question there = question;
  there.os = own;
  return own != question.os && !platform_obstacle(facts, there) ? std::vector<VersionChange>{{"os", std::string(to_string(own))}}
                                                                : std::vector<VersionChange>{};
}

}  // namespace

std::vector<VersionChange> smallest_change(const Facts& facts, const Question& question) {
  if (question.cards.empty() || facts.releases.empty()) {
    return {};
  }
  std::vector<VersionChange> system;
  Question open = question;
  if (platform_obstacle(facts, question)) {
    system = change_of_system(facts, question);
    if (system.empty()) {
      return {};
    }
    open.os = *parse_os(system.front().value);
  }
  open.driver.reset();
  open.python.reset();
  const std::size_t asked = question.torch ? place_of(facts, *question.torch) : facts.releases.size() - 1;
  Plan best;
  for (const Candidate& candidate : candidates(facts, open)) {
    if (!candidate.works()) {
      continue;
    }
    const auto place = static_cast<std::size_t>(candidate.release - facts.releases.data());
    Plan plan = plan_for(facts, question, candidate, place, asked);
    if (plan.cost < best.cost) {
      best = std::move(plan);
    }
  }
  system.insert(system.end(), best.changes.begin(), best.changes.end());
  return best.cost < std::numeric_limits<double>::infinity() ? system : std::vector<VersionChange>{};
}

}  // namespace gpuadvise::software
