#include "advise/why_not.hpp"

#include <algorithm>
#include <string>

namespace gpuadvise {

std::string_view to_string(WhyNot::State state) {
  switch (state) {
    case WhyNot::State::recommended:
      return "recommended";
    case WhyNot::State::rejected:
      return "rejected";
    case WhyNot::State::not_in_question:
      break;
  }
  return "not-in-question";
}

namespace advise {
namespace {

template <class T>
void add_all(const std::vector<T>& outcomes, const Gpu* gpu, WhyNot::State state, std::vector<WhyNot>& out) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].gpu == gpu) {
      out.push_back({gpu, state, i, {}, std::nullopt});
    }
  }
}

bool excluded(const Gpu* gpu, const Preferences& preferences, const CatalogView& catalog) {
  return std::any_of(preferences.exclude.begin(), preferences.exclude.end(), [&](const std::string& name) {
    const std::vector<const Gpu*> meant = catalog.find(name);
    return std::find(meant.begin(), meant.end(), gpu) != meant.end();
  });
}

WhyNot left_out(const Gpu* gpu, const Preferences& preferences, const CatalogView& catalog, Assessor& assessor, Admission& admission) {
  WhyNot entry;
  entry.gpu = gpu;
  entry.reason = excluded(gpu, preferences, catalog) ? "left out by exclude" : "not among the candidates";
  std::vector<Recommendation> results;
  std::vector<Rejection> rejected;
  assessor.assess({gpu, true}, results, rejected);
  if (results.empty() && !rejected.empty()) {
    entry.outcome = std::move(rejected.front());
    admission.name_change(*entry.outcome, true, true);
  }
  return entry;
}

}  // namespace

std::vector<const Gpu*> cards_asked_about(const AdviceOptions& options, const CatalogView& catalog) {
  std::vector<const Gpu*> cards;
  for (const std::string& name : options.why_not) {
    for (const Gpu* gpu : catalog.find(name)) {
      if (std::find(cards.begin(), cards.end(), gpu) == cards.end()) {
        cards.push_back(gpu);
      }
    }
  }
  return cards;
}

std::vector<WhyNot> explain_absence(const std::vector<const Gpu*>& cards, const Advice& advice, const Preferences& preferences,
                                    const CatalogView& catalog, Assessor& assessor, Admission& admission) {
  std::vector<WhyNot> out;
  for (const Gpu* gpu : cards) {
    const std::size_t before = out.size();
    add_all(advice.results, gpu, WhyNot::State::recommended, out);
    add_all(advice.rejected, gpu, WhyNot::State::rejected, out);
    if (out.size() == before) {
      out.push_back(left_out(gpu, preferences, catalog, assessor, admission));
    }
  }
  return out;
}

}  // namespace advise
}  // namespace gpuadvise
