#include <gpuadvise/advice.hpp>
#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/admission.hpp"
#include "advise/assess.hpp"
#include "advise/checkpoint_finding.hpp"
#include "advise/mixed.hpp"
#include "advise/rank.hpp"
#include "advise/reasons.hpp"
#include "advise/remedies.hpp"
#include "advise/tiers.hpp"
#include "advise/why_not.hpp"
#include "units/whole_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpuadvise {
namespace {

constexpr std::size_t k_nearest = 5;
constexpr std::size_t k_remarked_cards = 4;  // rejected cards of a short list
constexpr double k_out_of_reach = std::numeric_limits<double>::infinity();

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

// A search costs dozens of estimates, so only what will be shown gets one; the others keep the rule's own words.
void name_smallest_changes(advise::Admission& admission, const std::vector<advise::Card>& cards, const std::vector<const Gpu*>& asked,
                           const AdviceOptions& options, bool every, Advice& advice) {
  const auto named = [&cards](const Gpu* gpu) {
    return std::any_of(cards.begin(), cards.end(), [gpu](const advise::Card& card) { return card.gpu == gpu && card.named; });
  };
  for (std::size_t i = 0; i < advice.rejected.size(); ++i) {
    Rejection& rejection = advice.rejected[i];
    const bool is_asked = std::find(asked.begin(), asked.end(), rejection.gpu) != asked.end();
    const bool near = std::find(advice.nearest.begin(), advice.nearest.end(), i) != advice.nearest.end();
    const bool shown = is_asked || every || (near && advice.results.empty());
    if (shown || options.every_change) {
      // Pairs of changes take a hundred times as long; a short list is worth them.
      const bool thorough = is_asked || (every && advice.rejected.size() <= k_remarked_cards);
      admission.name_change(rejection, named(rejection.gpu), thorough);
    }
  }
}

// A card that was asked about by name is worth its warnings although it is rejected: what else stands against it.
void add_remarks(advise::Assessor& assessor, const std::vector<const Gpu*>& asked, const Preferences& preferences, Advice& advice) {
  for (const Rejection& rejection : advice.rejected) {
    const bool named = std::find(asked.begin(), asked.end(), rejection.gpu) != asked.end() ||
                       (!preferences.candidates.empty() && advice.rejected.size() <= k_remarked_cards);
    if (!named) {
      continue;
    }
    for (Finding& finding : assessor.remarks_on({rejection.gpu, true}, rejection.source)) {
      finding.message = std::string(rejection.gpu->id) + ": " + finding.message;
      advice.findings.push_back(std::move(finding));
    }
  }
}

// A GPU that is part of its computer goes into nothing.
bool goes_into_a_case(const Gpu& gpu) {
  return gpu.form_factor != FormFactor::soc && gpu.form_factor != FormFactor::mxm;
}

// Whether the answer is about cards at all: what it recommends, else what was named.
bool about_cards(const Advice& advice, const std::vector<advise::Card>& cards) {
  if (!advice.results.empty()) {
    return std::any_of(advice.results.begin(), advice.results.end(),
                       [](const Recommendation& result) { return goes_into_a_case(*result.gpu); });
  }
  return std::any_of(cards.begin(), cards.end(), [](const advise::Card& card) { return goes_into_a_case(*card.gpu); });
}

std::vector<std::string> assumptions_of(const Preferences& preferences, bool cards_in_question) {
  std::vector<std::string> out;
  const auto assume = [&](PreferenceKey key, std::string words) {
    if (preferences.origin(key) < Origin::preset) {
      out.push_back(std::move(words));
    }
  };
  if (std::string tier = advise::tier_text(preferences); !tier.empty()) {
    out.push_back(std::move(tier));
  }
  const bool buys = preferences.source != Sourcing::rent;  // a rented card goes into nobody's case and draws nobody's power
  if (buys && cards_in_question) {
    assume(PreferenceKey::form, "the card goes into a " + std::string(to_string(preferences.form)) + " (form)");
  }
  assume(PreferenceKey::prefer, "weights of prefer " + std::string(to_string(preferences.prefer)));
  assume(PreferenceKey::hours_per_day, format_significant(preferences.hours_per_day) + " hours of use a day");
  assume(PreferenceKey::years, format_significant(preferences.years) + " years of use");
  if (buys) {
    assume(PreferenceKey::electricity_usd_per_kwh,
           "electricity at " + format_significant(preferences.electricity_usd_per_kwh) + " USD/kWh");
  }
  return out;
}

// Said before every other reason: it decides what is to be bought.
void mark_owned(std::vector<Recommendation>& results, const Preferences& preferences, const CatalogView& catalog) {
  for (Recommendation& result : results) {
    if (!result.mixed.empty()) {
      continue;  // its own reason says so
    }
    const double owned = result.source == Sourcing::buy ? advise::owned_boards(*result.gpu, preferences, catalog) : 0.0;
    if (owned <= 0.0) {
      continue;
    }
    const double more = result.cost.boards - owned;
    const std::string words =
        more <= 0.0 ? "you have it: nothing to buy" : "you have " + whole_text(owned) + " of it: " + whole_text(more) + " more to buy";
    result.reasons.insert(result.reasons.begin(), words);
  }
}

// Nothing holds the job soundly with as many GPUs as were asked for.
bool wants_remedies(const std::vector<Recommendation>& results, const Request& request) {
  return std::all_of(results.begin(), results.end(), [&request](const Recommendation& each) {
    const bool more = each.count > request.workload.all_gpus();
    return more || (each.figures.fit && each.figures.fit->verdict != Verdict::fits);
  });
}

}  // namespace

Advice recommend(const Request& request, const Preferences& preferences, const CatalogView& catalog, const AdviceOptions& options) {
  if (catalog.rules == nullptr || catalog.objectives == nullptr || !catalog.find) {
    throw Error(ErrorCode::internal, "recommend was given a catalog without rules");
  }
  Advice advice;
  advise::Assessor assessor(request, preferences, catalog);
  const std::vector<advise::Card> cards = advise::cards_in_question(preferences, catalog);
  const std::vector<const Gpu*> asked = advise::cards_asked_about(options, catalog);
  for (const advise::Card& card : cards) {
    assessor.assess(card, advice.results, advice.rejected);
  }
  const std::vector<const Gpu*> machine = advise::machine_in_question(request, preferences, catalog);
  if (!machine.empty()) {
    assessor.assess_machine(machine, advice.results);
  }
  advise::rank(advice.results);
  advise::mark_pareto(advice.results);
  advise::give_reasons(advice.results);
  mark_owned(advice.results, preferences, catalog);
  advice.nearest = nearest_misses(advice.rejected);
  advise::Admission admission(request, preferences, catalog, options, assessor);
  name_smallest_changes(admission, cards, asked, options, !preferences.candidates.empty(), advice);
  advice.why_not = advise::explain_absence(asked, advice, preferences, catalog, assessor, admission);
  advice.findings = request.findings;
  if (auto finding = advise::checkpoint_finding(request.workload, request.model)) {
    advice.findings.push_back(std::move(*finding));
  }
  const std::vector<Finding> about = assessor.about_request();
  advice.findings.insert(advice.findings.end(), about.begin(), about.end());
  add_remarks(assessor, asked, preferences, advice);
  advice.assumptions = assumptions_of(preferences, about_cards(advice, cards));
  if (request.workload.nodes > 1.0 && !request.workload.network_gbit_s) {
    advice.assumptions.emplace_back("between nodes 400 Gbit/s for each GPU of SXM and OAM boards, 100 Gbit/s for others (network_gbit_s)");
  }
  if (options.force_remedies || (options.remedies && wants_remedies(advice.results, request))) {
    advice.remedies = advise::remedies(assessor, request, preferences, catalog, advice, options);
  }
  return advice;
}

}  // namespace gpuadvise
