#include "cli/machine_advice.hpp"

#include <gpuadvise/units.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace gpuadvise::cli {
namespace {

// Less is no reason to buy.
constexpr double k_worth_while = 1.2;

std::string times(double count, std::string_view what) {
  return count > 1.0 ? std::to_string(static_cast<int>(count)) + "x " + std::string(what) : std::string(what);
}

std::string printed_words(const host::HostGpu& gpu) {
  const std::string name = gpu.name.empty() ? "a GPU without a name" : gpu.name;
  return gpu.possible.empty() ? name + " (no card of the catalog)" : name + " (one of " + std::to_string(gpu.possible.size()) + " cards)";
}

std::string machine_words(const host::Machine& machine) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const host::HostGpu& gpu : machine.gpus) {
    const std::string name = gpu.card != nullptr ? std::string(gpu.card->id) : printed_words(gpu);
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == name; });
    if (same != kinds.end()) {
      ++same->second;
    } else {
      kinds.emplace_back(name, 1);
    }
  }
  std::string words;
  for (const auto& [name, count] : kinds) {
    words += (words.empty() ? "" : ", ") + times(count, name);
  }
  words += machine.driver.empty() ? "" : "; driver " + machine.driver;
  words += machine.torch.empty() ? "" : "; torch " + machine.torch;
  return words;
}

std::string need_words(const Figures& figures) {
  return format_gib(figures.memory.need.expected) + " of " + format_gib(figures.fit->usable_bytes);
}

std::string speed_words(const Figures& figures) {
  return figures.speed
             ? ", " + format_significant(figures.speed->throughput.expected, 2) + " " + std::string(to_string(figures.speed->unit))
             : std::string();
}

Finding runs(const Advice& own) {
  if (!own.results.empty()) {
    const Recommendation& best = own.results.front();
    const bool sound = best.figures.fit->verdict == Verdict::fits;
    return {"own-machine-runs", Severity::note,
            std::string(sound ? "it runs this job: " : "it may just hold this job: ") + times(best.count, best.gpu->id) + " needs " +
                need_words(best.figures) + speed_words(best.figures)};
  }
  const auto nearest = std::find_if(own.rejected.begin(), own.rejected.end(),
                                    [](const Rejection& rejection) { return rejection.figures && rejection.figures->fit; });
  if (nearest != own.rejected.end()) {
    return {"own-machine-runs", Severity::note,
            "it does not hold this job: " + times(nearest->count, nearest->gpu->id) + " needs " + need_words(*nearest->figures)};
  }
  return {"own-machine-runs", Severity::note,
          "it does not run this job" + (own.rejected.empty() ? std::string() : ": " + own.rejected.front().message)};
}

bool at_hand(const host::Machine& machine, const Gpu* gpu) {
  return std::any_of(machine.gpus.begin(), machine.gpus.end(), [&](const host::HostGpu& own) { return own.card == gpu; });
}

double owned(const host::Machine& machine, const Gpu* gpu) {
  return static_cast<double>(
      std::count_if(machine.gpus.begin(), machine.gpus.end(), [&](const host::HostGpu& own) { return own.card == gpu; }));
}

std::string price_words(const Recommendation& result) {
  return result.cost.purchase_usd ? format_usd(*result.cost.purchase_usd) : std::string("no price is known");
}

bool holds(const Recommendation& result) {
  return result.source == Sourcing::buy && result.figures.fit->verdict == Verdict::fits;
}

// More of a card that is there, in the order of rank.
const Recommendation* twin(const host::Machine& machine, const Advice& all) {
  const auto found = std::find_if(all.results.begin(), all.results.end(), [&](const Recommendation& each) {
    return holds(each) && at_hand(machine, each.gpu) && each.count > owned(machine, each.gpu);
  });
  return found == all.results.end() ? nullptr : &*found;
}

std::optional<double> own_speed(const Advice& own) {
  return !own.results.empty() && own.results.front().figures.speed
             ? std::optional<double>(own.results.front().figures.speed->throughput.expected)
             : std::nullopt;
}

// What is not there and does the job, in the order of rank.
std::vector<const Recommendation*> others(const host::Machine& machine, const Advice& all) {
  std::vector<const Recommendation*> found;
  for (const Recommendation& each : all.results) {
    if (holds(each) && !at_hand(machine, each.gpu)) {
      found.push_back(&each);
    }
  }
  return found;
}

const Recommendation* clearly_faster(const std::vector<const Recommendation*>& candidates, const std::optional<double>& speed) {
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Recommendation* each) {
    return speed && each->figures.speed && each->figures.speed->throughput.expected > k_worth_while * *speed;
  });
  return found == candidates.end() ? nullptr : *found;
}

const Recommendation* cheapest(const std::vector<const Recommendation*>& candidates) {
  const auto price = [](const Recommendation* each) { return each->cost.purchase_usd.value_or(std::numeric_limits<double>::infinity()); };
  const auto found = std::min_element(candidates.begin(), candidates.end(),
                                      [&](const Recommendation* a, const Recommendation* b) { return price(a) < price(b); });
  return found == candidates.end() ? nullptr : *found;
}

std::string gain_words(const Recommendation& result, const std::optional<double>& speed) {
  return speed && result.figures.speed && *speed > 0.0
             ? ", " + format_significant(result.figures.speed->throughput.expected / *speed, 2) + "x as fast as now"
             : speed_words(result.figures);
}

std::string candidate_words(const Recommendation& result, const std::optional<double>& speed) {
  return times(result.count, result.gpu->id) + " (" + price_words(result) + "): needs " + need_words(result.figures) +
         gain_words(result, speed);
}

// The machine does the job: only speed is a reason to buy.
Finding for_more_speed(const Recommendation* faster, const std::optional<double>& speed) {
  return {"replacement", Severity::advice,
          faster != nullptr ? "nothing has to be added; for more speed " + candidate_words(*faster, speed)
                            : std::string("nothing has to be added, and no card of this ranking is clearly faster")};
}

void add_what_is_missing(const host::Machine& machine, const Advice& all, const std::optional<double>& speed,
                         std::vector<Finding>& findings) {
  const Recommendation* more = twin(machine, all);
  if (more != nullptr) {
    const double missing = more->count - owned(machine, more->gpu);
    findings.push_back({"add-a-twin", Severity::advice,
                        (missing > 1.0 ? "add " + times(missing, more->gpu->id) : "add another " + std::string(more->gpu->id)) + " (" +
                            price_words(*more) + "): together they need " + need_words(more->figures) + " each" +
                            gain_words(*more, speed)});
  }
  const std::vector<const Recommendation*> rest = others(machine, all);
  if (rest.empty()) {
    if (more == nullptr) {
      findings.push_back({"replacement", Severity::note, "no card of this ranking, and no more of its own, would hold it"});
    }
    return;
  }
  const Recommendation* least = cheapest(rest);
  std::string words = "in its place, the cheapest that holds it: " + candidate_words(*least, speed);
  if (least != rest.front()) {
    words += "; the best by score: " + candidate_words(*rest.front(), speed);
  }
  findings.push_back({"replacement", Severity::advice, words});
}

}  // namespace

std::vector<Finding> advise_machine(const host::Machine& machine, const OwnAnswer& own, const Advice& all) {
  std::vector<Finding> findings{{"own-machine", Severity::note, "this machine: " + machine_words(machine)}, runs(own.advice)};
  const auto speed = own_speed(own.advice);
  const bool sound = !own.advice.results.empty() && own.advice.results.front().figures.fit->verdict == Verdict::fits;
  if (sound) {
    findings.push_back(for_more_speed(clearly_faster(others(machine, all), speed), speed));
  } else {
    add_what_is_missing(machine, all, speed, findings);
  }
  return findings;
}

}  // namespace gpuadvise::cli
