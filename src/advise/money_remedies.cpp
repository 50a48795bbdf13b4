#include "advise/money_remedies.hpp"

#include <gpuadvise/units.hpp>

#include "advise/candidates.hpp"
#include "advise/change.hpp"
#include "advise/strategies.hpp"
#include "units/whole_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace gpuadvise::advise {
namespace {

// A kind of card, how many of it, and what that costs: dollars, or dollars an hour.
struct Offer {
  double usd = 0.0;
  const Gpu* gpu = nullptr;
  std::size_t spread = 0;
};

// The job over each spread, as planned once for cards with and without bfloat16.
class Plans {
 public:
  explicit Plans(const Request& request) : request_(request), spreads_(spreads(request)) {
    for (const bool fp16 : {false, true}) {
      for (const Spread& spread : spreads_) {
        plans_[fp16 ? 1 : 0].push_back(estimate::prepare(spread_over(request.workload, spread, fp16), request.model));
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return spreads_.size(); }
  [[nodiscard]] double count(std::size_t index) const { return plans_[0][index].workload.all_gpus(); }
  [[nodiscard]] const estimate::Plan& plan(std::size_t index, const Gpu& gpu) const {
    return plans_[needs_fp16(request_, gpu) ? 1 : 0][index];
  }

 private:
  const Request& request_;
  std::vector<Spread> spreads_;
  std::array<std::vector<estimate::Plan>, 2> plans_;
};

std::vector<const Gpu*> meant_by(const std::vector<std::string>& names, const CatalogView& catalog) {
  std::vector<const Gpu*> cards;
  for (const std::string& name : names) {
    const std::vector<const Gpu*> meant = catalog.find(name);
    cards.insert(cards.end(), meant.begin(), meant.end());
  }
  return cards;
}

bool contains(const std::vector<const Gpu*>& cards, const Gpu& gpu) {
  return std::find(cards.begin(), cards.end(), &gpu) != cards.end();
}

void add_setting(Remedy& remedy, std::string_view key, Value value) {
  remedy.settings.push_back({std::string(key), std::move(value), Origin::user});
}

// What else than the card is another than asked for; in words.
std::string job_words(const Request& request, const Workload& workload) {
  const Workload& asked = request.workload;
  std::string words;
  if (workload.all_gpus() != asked.all_gpus()) {
    words = "job divided over " + whole_text(workload.all_gpus()) + " GPUs (" + way_words(workload) + ")";
  } else if (workload.all_gpus() > 1.0 && way_words(workload) != way_words(asked)) {
    words = "job divided as " + way_words(workload);
  }
  if (to_string(workload.precision) != to_string(asked.precision)) {
    words += (words.empty() ? "job in " : ", in ") + to_string(workload.precision);
  }
  return words.empty() ? "job unchanged" : words;
}

bool runs(const Figures& figures, const Assessor& assessor) {
  return figures.fit && figures.fit->verdict == Verdict::fits && assessor.fast_enough(figures);
}

constexpr double k_dear_work = 2.0;  // a cheap hour on a slow card costs more in the end

// Offers less those whose work costs more than twice the cheapest: an hour is no bargain where the job takes ten.
std::vector<Offer> without_dear_work(const std::vector<Offer>& offers, const Plans& plans, const Assessor& assessor, Sourcing source) {
  struct Priced {
    const Offer* offer;
    double usd_per_work;
  };
  std::vector<Priced> priced;
  for (const Offer& offer : offers) {
    const Figures figures = estimate::evaluate(plans.plan(offer.spread, *offer.gpu), offer.gpu, estimate::default_use(*offer.gpu, false));
    if (runs(figures, assessor) && figures.speed && figures.speed->throughput.expected > 0.0) {
      priced.push_back({&offer, offer.usd / figures.speed->throughput.expected});
    }
  }
  std::stable_sort(priced.begin(), priced.end(), [](const Priced& a, const Priced& b) { return a.usd_per_work < b.usd_per_work; });
  const auto cheapest = std::find_if(priced.begin(), priced.end(), [&](const Priced& each) {
    return assessor.admissible(plans.plan(each.offer->spread, *each.offer->gpu).workload, {each.offer->gpu, false}, source);
  });
  if (cheapest == priced.end()) {
    return offers;
  }
  std::vector<Offer> kept;
  for (const Priced& each : priced) {
    if (each.usd_per_work <= k_dear_work * cheapest->usd_per_work) {
      kept.push_back(*each.offer);
    }
  }
  return kept;
}

// The first of the offers, cheapest first, whose cards hold the job.
std::optional<Remedy> first_that_runs(std::vector<Offer> offers, const Plans& plans, const Assessor& assessor, const Request& request,
                                      bool windows, Sourcing source) {
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.usd < b.usd; });
  for (const Offer& offer : offers) {
    const estimate::Plan& plan = plans.plan(offer.spread, *offer.gpu);
    const Figures figures = estimate::evaluate(plan, offer.gpu, estimate::default_use(*offer.gpu, windows));
    if (!runs(figures, assessor) || !assessor.admissible(plan.workload, {offer.gpu, false}, source)) {
      continue;
    }
    Remedy remedy;
    remedy.gpu = offer.gpu;
    remedy.count = plan.workload.all_gpus();
    remedy.figures = figures;
    remedy.workload = plan.workload;
    remedy.source = source;
    add_setting(remedy, "candidates", std::string(offer.gpu->id));
    for (Setting& each : spread_settings(request, plan.workload)) {
      remedy.settings.push_back(std::move(each));
    }
    if (needs_fp16(request, *offer.gpu)) {
      add_setting(remedy, "precision", to_string(plan.workload.precision));
    }
    return remedy;
  }
  return std::nullopt;
}

// What the cards in question cost now, at least: more than that is extra.
std::optional<double> cheapest_named(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                     const CatalogView& catalog) {
  std::optional<double> least;
  for (const Gpu* gpu : meant_by(preferences.candidates, catalog)) {
    const std::optional<double> usd = assessor.costs_of(*gpu, request.workload.all_gpus()).purchase_usd;
    if (usd && (!least || *usd < *least)) {
      least = usd;
    }
  }
  return least;
}

}  // namespace

std::optional<Remedy> next_card_up(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                   const CatalogView& catalog) {
  const std::optional<double> spendable = preferences.spendable_usd();
  if (preferences.source == Sourcing::rent || (!spendable && preferences.candidates.empty())) {
    return std::nullopt;
  }
  const Plans plans(request);
  const std::vector<const Gpu*> named = meant_by(preferences.candidates, catalog);
  const std::vector<const Gpu*> excluded = meant_by(preferences.exclude, catalog);
  std::vector<Offer> offers;
  for (const Gpu& gpu : catalog.gpus) {
    if (contains(excluded, gpu) || contains(named, gpu)) {
      continue;
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::optional<double> usd = assessor.costs_of(gpu, plans.count(i)).purchase_usd;
      // What the budget pays for was looked at already, unless only the named cards were.
      if (usd && (!preferences.candidates.empty() || *usd > *spendable)) {
        offers.push_back({*usd, &gpu, i});
      }
    }
  }
  std::optional<Remedy> remedy =
      first_that_runs(std::move(offers), plans, assessor, request, has_windows_driver(preferences.os), Sourcing::buy);
  if (!remedy) {
    return std::nullopt;
  }
  const double usd = *assessor.costs_of(*remedy->gpu, remedy->count).purchase_usd;
  const std::optional<double> have = spendable ? spendable : cheapest_named(assessor, request, preferences, catalog);
  remedy->id = "next_card_up";
  remedy->title = "the next card up, " + job_words(request, remedy->workload);
  remedy->effect = "costs " + format_usd(usd);
  remedy->how = spendable && usd > *spendable ? "raise the budget" : "buy it in place of the named card";
  if (have) {
    remedy->extra_usd = std::max(0.0, usd - *have);
  }
  if (spendable && usd > *spendable) {
    add_setting(*remedy, "budget", usd / std::max(1e-9, 1.0 - preferences.reserve_share));
  }
  return remedy;
}

std::optional<Remedy> by_the_hour(const Assessor& assessor, const Request& request, const Preferences& preferences,
                                  const CatalogView& catalog) {
  if (preferences.source != Sourcing::buy || !catalog.offers) {
    return std::nullopt;
  }
  const Plans plans(request);
  const std::vector<const Gpu*> excluded = meant_by(preferences.exclude, catalog);
  std::vector<Offer> offers;
  for (const Gpu& gpu : catalog.gpus) {
    if (catalog.offers(gpu).empty() || contains(excluded, gpu)) {
      continue;
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::optional<double> usd = assessor.costs_of(gpu, plans.count(i)).rent_usd_per_hour;
      if (usd && *usd <= preferences.budget_per_hour_usd.value_or(*usd)) {
        offers.push_back({*usd, &gpu, i});
      }
    }
  }
  std::optional<Remedy> remedy =
      first_that_runs(without_dear_work(offers, plans, assessor, Sourcing::rent), plans, assessor, request, false, Sourcing::rent);
  if (!remedy) {
    return std::nullopt;
  }
  const Costs costs = assessor.costs_of(*remedy->gpu, remedy->count);
  remedy->id = "rent";
  remedy->title = "rent by the hour, " + job_words(request, remedy->workload);
  remedy->rent_usd_per_hour = costs.rent_usd_per_hour;
  remedy->effect = "costs " + format_usd(*costs.rent_usd_per_hour) + " an hour";
  remedy->how = "at " + std::string(costs.offer->provider);
  if (!costs.offer->instance.empty()) {
    remedy->how += " (" + std::string(costs.offer->instance) + ")";
  }
  add_setting(*remedy, "source", "rent");
  return remedy;
}

}  // namespace gpuadvise::advise
