#include "advise/admission.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/change.hpp"
#include "advise/preferences.hpp"
#include "advise/smallest_change.hpp"
#include "workload/describe.hpp"
#include "workload/fault.hpp"
#include "workload/keys.hpp"
#include "workload/setting_text.hpp"

#include <algorithm>

namespace gpuadvise::advise {
namespace {

constexpr int k_most_changes = 3;
// Ways to go on with where one change was not enough; more of them find nothing new and cost time.
constexpr std::size_t k_most_paths = 3;

std::string key_of(const Settings& settings) {
  std::string out;
  for (const Setting& setting : settings) {
    out += setting.key + "=" + workload::text_of(setting.value) + ";";
  }
  return out;
}

bool shortens_job(const Setting& setting) {
  return setting.key == "seq" || setting.key == "prompt_len" || setting.key == "batch" || setting.key == "concurrency";
}

bool is_workload_key(const Setting& setting) {
  return workload::find_key(setting.key) != nullptr;
}

}  // namespace

Admission::Admission(const Request& request, const Preferences& preferences, const CatalogView& catalog, const AdviceOptions& options,
                     const Assessor& assessor)
    : request_(request), preferences_(preferences), catalog_(catalog), options_(options), assessor_(assessor) {}

bool Admission::Trial::sets(std::string_view key) const {
  return std::any_of(settings.begin(), settings.end(), [key](const Setting& each) { return each.key == key; });
}

std::unique_ptr<Admission::Trial> Admission::read(const Settings& settings) const {
  Settings of_workload;
  Settings of_wishes;
  for (const Setting& setting : settings) {
    (is_workload_key(setting) ? of_workload : of_wishes).push_back(setting);
  }
  auto trial = std::make_unique<Trial>();
  trial->settings = settings;
  try {
    if (!of_workload.empty()) {
      if (!options_.with_settings) {
        return nullptr;
      }
      trial->changed_request = options_.with_settings(of_workload);
    }
    trial->preferences = with_settings(preferences_, of_wishes);
    trial->names_candidates = trial->sets("candidates");
    const Request& request = trial->changed_request ? *trial->changed_request : request_;
    trial->assessor.emplace(request, trial->preferences, catalog_);
  } catch (const Error&) {
    return nullptr;
  }
  return trial;
}

Admission::Trial* Admission::trial_of(const Settings& settings) {
  const std::string key = key_of(settings);
  auto known = trials_.find(key);
  if (known == trials_.end()) {
    known = trials_.emplace(key, read(settings)).first;
  }
  return known->second.get();
}

Admission::Outcome Admission::judge(Trial& trial, const Candidate& candidate) {
  std::vector<Recommendation> results;
  std::vector<Rejection> rejected;
  trial.assessor->assess({candidate.gpu, candidate.named || trial.names_candidates}, results, rejected);
  const bool any_source = trial.sets("source");
  const auto counts = [&](const auto& each) { return any_source || each.source == candidate.source; };
  const Recommendation* fewest = nullptr;
  for (const Recommendation& each : results) {
    if (counts(each) && (fewest == nullptr || each.count < fewest->count)) {
      fewest = &each;
    }
  }
  if (fewest != nullptr) {
    const Request& asked = trial.changed_request ? *trial.changed_request : request_;
    const bool as_many = fewest->count <= asked.workload.all_gpus();
    return {fewest->count, as_many, as_many ? Settings{} : spread_settings(asked, fewest->workload), std::nullopt};
  }
  const auto rejection = std::find_if(rejected.begin(), rejected.end(), counts);
  return {0.0, false, {}, rejection == rejected.end() ? std::nullopt : std::optional<Rejection>(std::move(*rejection))};
}

std::vector<Settings> Admission::levers(const Rejection& rejection, const Trial* trial) const {
  const Request& request = trial != nullptr && trial->changed_request ? *trial->changed_request : request_;
  const Situation situation{rejection, request, trial != nullptr ? trial->preferences : preferences_,
                            trial != nullptr ? *trial->assessor : assessor_};
  std::vector<Settings> out;
  // Memory is first sought in the workload: its rules can only say how much is missing, or what pools it.
  if (Settings own = settings_in(rejection.smallest_change); !own.empty() && !situation.by_memory()) {
    out.push_back(std::move(own));
  }
  for (Settings& wish : wish_levers(situation)) {
    out.push_back(std::move(wish));
  }
  std::vector<Settings> workload = options_.with_settings ? workload_levers(situation) : std::vector<Settings>{};
  // A budget for several cards is the larger change where a smaller job fits one.
  out.insert(situation.by_memory() ? out.begin() : out.end(), workload.begin(), workload.end());
  return out;
}

std::optional<Settings> Admission::search(const Rejection& rejection, const Settings& base, const Candidate& candidate, int depth,
                                          bool thorough, OverMore& over_more) {
  struct Path {
    Settings settings;
    Rejection rejection;
    bool by_memory;  // the same reason, only less of it
  };
  std::vector<Path> paths;
  const Trial* before = base.empty() ? nullptr : trial_of(base);
  for (const Settings& lever : levers(rejection, before)) {
    const bool again = std::any_of(lever.begin(), lever.end(), [&](const Setting& s) { return before != nullptr && before->sets(s.key); });
    Trial* trial = again ? nullptr : trial_of(replaced(base, lever));
    if (trial == nullptr) {
      continue;
    }
    Outcome outcome = judge(*trial, candidate);
    if (admits_over_more(*trial, outcome, candidate, over_more)) {
      continue;
    }
    if (outcome.accepted) {
      return trial->settings;
    }
    if (!outcome.rejection) {
      continue;
    }
    const bool another = outcome.rejection->rule != rejection.rule;
    const bool less = thorough && outcome.rejection->distance < rejection.distance && outcome.rejection->rule == rejection.rule;
    if (another || less) {
      paths.push_back({trial->settings, std::move(*outcome.rejection), !another});
    }
  }
  if (depth <= 1) {
    return std::nullopt;
  }
  std::stable_sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) { return !a.by_memory && b.by_memory; });
  std::size_t tried = 0;
  for (const Path& path : paths) {
    if (!path.by_memory && ++tried > k_most_paths) {
      continue;
    }
    if (auto found =
            search(path.rejection, path.settings, candidate, path.by_memory ? 1 : depth - 1, thorough && !path.by_memory, over_more)) {
      return found;
    }
  }
  return std::nullopt;
}

// Settings that name too few cards are completed by the number that they need, and by how the job is divided over those.
bool Admission::admits_over_more(const Trial& trial, const Outcome& outcome, const Candidate& candidate, OverMore& over_more) {
  if (outcome.cards <= request_.workload.all_gpus()) {
    return false;
  }
  const bool cuts = std::any_of(trial.settings.begin(), trial.settings.end(), shortens_job);
  if (over_more.settings && std::pair(over_more.cuts, over_more.cards) <= std::pair(cuts, outcome.cards)) {
    return true;
  }
  Settings named = replaced(trial.settings, outcome.over);
  // Where nothing can be read again, as the cards were judged.
  Trial* again = outcome.accepted || !options_.with_settings ? nullptr : trial_of(named);
  if (outcome.accepted || !options_.with_settings || (again != nullptr && judge(*again, candidate).accepted)) {
    over_more = {std::move(named), outcome.cards, cuts};
  }
  return true;
}

Settings Admission::without_needless(Settings settings, const Candidate& candidate) {
  for (std::size_t i = 0; i < settings.size() && settings.size() > 1;) {
    if (settings[i].key == "gpus") {  // it may follow from a degree, but the number of cards is what has to be said
      ++i;
      continue;
    }
    Settings fewer = settings;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    Trial* trial = trial_of(fewer);
    if (trial != nullptr && judge(*trial, candidate).accepted) {
      settings = std::move(fewer);
    } else {
      ++i;
    }
  }
  return settings;
}

std::string Admission::words_of(const Settings& settings, const Rejection& rejection) const {
  if (key_of(settings) == key_of(settings_in(rejection.smallest_change))) {
    return rejection.smallest_change;  // the rule says the same, with its reason
  }
  std::string out;
  for (const Setting& setting : settings) {
    out += out.empty() ? "" : " and ";
    const workload::KeySpec* spec = workload::find_key(setting.key);
    const std::string old = spec != nullptr ? workload::value_text(request_, spec->key) : "";
    const bool number = setting.value.number() != nullptr;
    // More cards are bought: a number to give, not one that is a little off.
    if (number && !old.empty() && setting.key != "gpus") {
      out += setting.key + " " + workload::text_of(setting.value) + " instead of " + old;
    } else {
      out += workload::flag_text(setting);
    }
  }
  return out;
}

void Admission::name_change(Rejection& rejection, bool named, bool thorough) {
  const Candidate candidate{rejection.gpu, rejection.source, named};
  OverMore over_more;
  std::optional<Settings> found = search(rejection, {}, candidate, k_most_changes, thorough, over_more);
  if (!found) {
    found = std::move(over_more.settings);
  }
  if (found) {
    rejection.change = without_needless(*found, candidate);
    rejection.smallest_change = words_of(rejection.change, rejection);
    return;
  }
  rejection.smallest_change = words_without_change(rejection, candidate);
}

// Where nothing that was tried admits the card: how much memory is missing, or which rule stands behind the first.
std::string Admission::words_without_change(const Rejection& rejection, const Candidate& candidate) {
  const bool by_memory = rejection.figures && rejection.figures->fit && !assessor_.acceptable(*rejection.figures);
  if (by_memory && !options_.with_settings) {
    const Workload workload =
        spread_over(request_.workload, {request_.workload.gpus, request_.workload.strategy}, needs_fp16(request_, *rejection.gpu));
    return smallest_change(assessor_, workload, *rejection.gpu, *rejection.figures);
  }
  if (by_memory) {
    const double missing = rejection.figures->memory.need.expected - rejection.figures->fit->usable_bytes;
    return missing > 0.0 ? format_gib(missing) + " more memory" : "a card with more memory to spare";
  }
  const Settings own = settings_in(rejection.smallest_change);
  Trial* trial = own.empty() ? nullptr : trial_of(own);
  if (trial == nullptr) {
    return rejection.smallest_change;  // in words that set nothing
  }
  const Outcome outcome = judge(*trial, candidate);
  const std::string behind = outcome.rejection ? ", as then " + outcome.rejection->rule + " rejects it" : "";
  return "nothing that was tried; " + rejection.smallest_change + " is not enough" + behind;
}

}  // namespace gpuadvise::advise
