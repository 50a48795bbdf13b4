#include <gpuadvise/advice.hpp>
#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/assess.hpp"
#include "advise/checkpoint_finding.hpp"
#include "advise/rank.hpp"
#include "advise/reasons.hpp"
#include "advise/remedies.hpp"
#include "advise/smallest_change.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpuadvise {
namespace {

constexpr std::size_t k_nearest = 5;
constexpr double k_out_of_reach = std::numeric_limits<double>::infinity();

bool decided_by_memory(const Rejection& rejection) {
  return rejection.figures && rejection.figures->fit && rejection.rule == "does-not-fit";
}

std::vector<std::size_t> nearest_misses(const std::vector<Rejection>& rejected) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rejected.size(); ++i) {
    if (rejected[i].distance < k_out_of_reach) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&rejected](std::size_t a, std::size_t b) {
    const double price_a = rejected[a].cost.purchase_usd.value_or(k_out_of_reach);
    const double price_b = rejected[b].cost.purchase_usd.value_or(k_out_of_reach);
    return rejected[a].distance != rejected[b].distance ? rejected[a].distance < rejected[b].distance
           : price_a != price_b                         ? price_a < price_b
                                                        : rejected[a].gpu->id < rejected[b].gpu->id;
  });
  order.resize(std::min(order.size(), k_nearest));
  return order;
}

// The searches cost dozens of estimates each, so only what will be shown first gets one; the others keep the rule's own words.
void name_smallest_changes(const advise::Assessor& assessor, const Request& request, bool named, Advice& advice) {
  const auto describe = [&](Rejection& rejection) {
    if (!decided_by_memory(rejection)) {
      return;
    }
    const Workload workload = advise::spread_over(request.workload, {request.workload.gpus, request.workload.strategy},
                                                  advise::needs_fp16(request, *rejection.gpu));
    rejection.smallest_change = advise::smallest_change(assessor, workload, *rejection.gpu, *rejection.figures);
  };
  if (named) {
    std::for_each(advice.rejected.begin(), advice.rejected.end(), describe);
    return;
  }
  for (const std::size_t index : advice.nearest) {
    describe(advice.rejected[index]);
  }
}

std::vector<std::string> assumptions_of(const Preferences& preferences) {
  std::vector<std::string> out;
  const auto assume = [&](PreferenceKey key, std::string words) {
    if (preferences.origin(key) < Origin::file) {
      out.push_back(std::move(words));
    }
  };
  assume(PreferenceKey::form, "the card goes into a " + std::string(to_string(preferences.form)) + " (form)");
  assume(PreferenceKey::prefer, "weights of prefer " + std::string(to_string(preferences.prefer)));
  assume(PreferenceKey::hours_per_day, format_significant(preferences.hours_per_day) + " hours of use a day");
  assume(PreferenceKey::years, format_significant(preferences.years) + " years of use");
  assume(PreferenceKey::electricity_usd_per_kwh, "electricity at " + format_significant(preferences.electricity_usd_per_kwh) + " USD/kWh");
  return out;
}

std::string whole(double count) {
  return std::to_string(static_cast<long>(count));
}

// Said before every other reason: it decides what is to be bought.
void mark_owned(std::vector<Recommendation>& results, const Preferences& preferences, const CatalogView& catalog) {
  for (Recommendation& result : results) {
    const double owned = result.source == Sourcing::buy ? advise::owned_boards(*result.gpu, preferences, catalog) : 0.0;
    if (owned <= 0.0) {
      continue;
    }
    const double more = result.cost.boards - owned;
    const std::string words =
        more <= 0.0 ? "you have it: nothing to buy" : "you have " + whole(owned) + " of it: " + whole(more) + " more to buy";
    result.reasons.insert(result.reasons.begin(), words);
  }
}

bool only_tight(const std::vector<Recommendation>& results) {
  return std::all_of(results.begin(), results.end(),
                     [](const Recommendation& each) { return each.figures.fit && each.figures.fit->verdict != Verdict::fits; });
}

}  // namespace

Advice recommend(const Request& request, const Preferences& preferences, const CatalogView& catalog, AdviceOptions options) {
  if (catalog.rules == nullptr || catalog.objectives == nullptr || !catalog.find) {
    throw Error(ErrorCode::internal, "recommend was given a catalog without rules");
  }
  Advice advice;
  advise::Assessor assessor(request, preferences, catalog);
  const std::vector<advise::Card> cards = advise::cards_in_question(preferences, catalog);
  for (const advise::Card& card : cards) {
    assessor.assess(card, advice.results, advice.rejected);
  }
  advise::rank(advice.results);
  advise::mark_pareto(advice.results);
  advise::give_reasons(advice.results);
  mark_owned(advice.results, preferences, catalog);
  advice.nearest = nearest_misses(advice.rejected);
  const bool named = !preferences.candidates.empty();
  if (advice.results.empty() || named) {
    name_smallest_changes(assessor, request, named, advice);
  }
  advice.findings = request.findings;
  if (auto finding = advise::checkpoint_finding(request.workload, request.model)) {
    advice.findings.push_back(std::move(*finding));
  }
  const std::vector<Finding> about = assessor.about_request();
  advice.findings.insert(advice.findings.end(), about.begin(), about.end());
  advice.assumptions = assumptions_of(preferences);
  if (options.force_remedies || (options.remedies && only_tight(advice.results))) {
    advice.remedies = advise::remedies(assessor, request, preferences, catalog, advice);
  }
  return advice;
}

}  // namespace gpuadvise
