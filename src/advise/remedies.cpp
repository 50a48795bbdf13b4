#include "advise/remedies.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/burden.hpp"
#include "advise/change.hpp"
#include "advise/money_remedies.hpp"
#include "advise/snippet.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace gpuadvise::advise {
namespace {

constexpr std::size_t k_most_remedies = 5;
constexpr std::size_t k_most_of_money = 2;
constexpr std::size_t k_most_cards = 16;
constexpr std::size_t k_most_changes = 3;
constexpr std::size_t k_most_with_a_costly_one = 2;  // with more cards, or with images for which a network is counted anew
constexpr std::ptrdiff_t k_few = 3;
constexpr double k_no_price = 1e12;
constexpr double k_sound_batch = 8.0;
constexpr double k_risk_of_noisy_statistics = 0.2;
// The operating system and the program take their part of the host's memory; the rule on host memory says the same.
constexpr double k_host_reserve_gib = 4.0;

// A set of changes as bits of their ids.
using Changes = std::uint32_t;
static_assert(static_cast<std::size_t>(ChangeId::count_) <= 32);

constexpr Changes bit(ChangeId id) {
  return Changes{1} << static_cast<unsigned>(id);
}

bool contains(Changes whole, Changes part) {
  return (whole & part) == part;
}

bool adds_cards(Changes set) {
  return (set & (bit(ChangeId::share_batch) | bit(ChangeId::shard))) != 0;
}

// Weights and cache in fewer bits over several cards: how large language models are served on small ones.
bool in_few_bits(Changes set) {
  const bool weights = (set & (bit(ChangeId::int8) | bit(ChangeId::int4) | bit(ChangeId::gguf))) != 0;
  return weights && contains(set, bit(ChangeId::kv_8bit) | bit(ChangeId::shard));
}

bool by_memory(const Rejection& rejection) {
  return rejection.figures &&
         (rejection.rule == "does-not-fit" || rejection.rule == "ddp-does-not-pool" || rejection.rule == "tight-is-no");
}

bool affordable(const Rejection& rejection, const Preferences& preferences) {
  if (rejection.source == Sourcing::rent) {
    const std::optional<double> hourly = rejection.cost.rent_usd_per_hour;
    return hourly && *hourly <= preferences.budget_per_hour_usd.value_or(*hourly);
  }
  const std::optional<double> spendable = preferences.spendable_usd();
  return !spendable || rejection.cost.purchase_usd.value_or(*spendable + 1.0) <= *spendable;
}

// To order cards by: a rented one costs what a year of working hours does.
double price_of(const Rejection& rejection) {
  constexpr double k_hours = 2000.0;
  return rejection.source == Sourcing::rent ? k_hours * rejection.cost.rent_usd_per_hour.value_or(k_no_price)
                                            : rejection.cost.purchase_usd.value_or(k_no_price);
}

// A card, bought or rented as it was judged.
struct Candidate {
  Card card;
  Sourcing source = Sourcing::buy;
};

// The cards worth trying: those that hold the job tightly, or only several together, then the nearest of the affordable ones that
// memory alone keeps out; of these the best supported and cheapest first. What fits needs no remedy.
std::vector<Candidate> cards_to_try(const Request& request, const Preferences& preferences, const Advice& advice) {
  const bool named = !preferences.candidates.empty();
  std::vector<Candidate> cards;
  const auto add = [&cards, named](const Gpu* gpu, Sourcing source) {
    if (std::none_of(cards.begin(), cards.end(), [gpu](const Candidate& each) { return each.card.gpu == gpu; })) {
      cards.push_back({{gpu, named}, source});
    }
  };
  for (const Recommendation& result : advice.results) {
    const bool tight = result.figures.fit && result.figures.fit->verdict == Verdict::tight;
    if ((tight || result.count > request.workload.all_gpus()) && cards.size() < k_most_cards) {
      add(result.gpu, result.source);
    }
  }
  std::vector<const Rejection*> kept_out;
  for (const Rejection& rejection : advice.rejected) {
    if (by_memory(rejection) && affordable(rejection, preferences)) {
      kept_out.push_back(&rejection);
    }
  }
  std::stable_sort(kept_out.begin(), kept_out.end(), [](const Rejection* a, const Rejection* b) { return a->distance < b->distance; });
  kept_out.resize(std::min(kept_out.size(), k_most_cards));
  std::stable_sort(kept_out.begin(), kept_out.end(), [](const Rejection* a, const Rejection* b) {
    const bool a_first = a->gpu->vendor == Vendor::nvidia;
    const bool b_first = b->gpu->vendor == Vendor::nvidia;
    return a_first != b_first ? a_first : price_of(*a) < price_of(*b);
  });
  for (const Rejection* rejection : kept_out) {
    add(rejection->gpu, rejection->source);
  }
  return cards;
}

std::optional<double> throughput(const Figures& figures) {
  return figures.speed && figures.speed->throughput.expected > 0.0 ? std::optional<double>(figures.speed->throughput.expected)
                                                                   : std::nullopt;
}

// Statistics over a handful of images are noise: BatchNorm trains badly with micro-batches below about eight.
bool few_for_batchnorm(const Changed& changed) {
  const ImageProfile* profile = changed.request->model.image();
  return profile != nullptr && profile->batchnorms.value_or(0.0) > 0.0 && changed.workload.batch < k_sound_batch &&
         !changed.workload.frozen.batchnorm;
}

struct Found {
  Changes set = 0;
  Remedy remedy;
  Burden burden;
};

void add(std::string& to, std::string_view separator, std::string_view words) {
  to += (to.empty() ? std::string() : std::string(separator)) + std::string(words);
}

// Each effect once; that a part leaves the result alone says nothing where another part does not.
std::string effects_of(const std::vector<ChangeId>& chosen, const Changed& changed, const Figures& figures) {
  std::vector<std::string> effects;
  for (const ChangeId id : chosen) {
    std::string effect = effect_of(change_of(id), changed);
    if (effect != k_same_result && std::find(effects.begin(), effects.end(), effect) == effects.end()) {
      effects.push_back(std::move(effect));
    }
  }
  std::string text;
  for (const std::string& effect : effects) {
    add(text, "; ", effect);
  }
  if (effects.empty()) {
    text = k_same_result;
  }
  if (figures.memory.host_bytes > 0.0) {
    add(text, "; ", "the host must hold " + format_gib(figures.memory.host_bytes));
  }
  return text;
}

// Where speeds are not known: every module is copied to the card each time it runs, or every part of a pipeline once.
double presumed_slowness(const std::vector<ChangeId>& chosen, bool tables) {
  const auto has = [&chosen](ChangeId id) { return std::find(chosen.begin(), chosen.end(), id) != chosen.end(); };
  const bool rows_on_host = tables && (has(ChangeId::offload_params) || has(ChangeId::offload_optimizer));
  return has(ChangeId::offload_sequential) || rows_on_host ? 5.0 : has(ChangeId::offload_model) ? 1.2 : 1.0;
}

class Search {
 public:
  Search(const Assessor& assessor, const Request& request, const Preferences& preferences, const AdviceOptions& options, bool buy,
         std::vector<Candidate> cards)
      : assessor_(assessor), request_(request), preferences_(preferences), options_(options), buy_(buy), cards_(std::move(cards)) {
    before_.resize(cards_.size());
    tight_.resize(cards_.size());
    for (const Candidate& each : cards_) {
      usable_.push_back(estimate::usable_bytes(*each.card.gpu, use_of(each)));
    }
  }

  // Sound fits first; where there are few without money, tight ones are better than nothing. A single change that
  // holds the job tightly is worth knowing beside several that hold it well.
  [[nodiscard]] std::vector<Found> run() {
    if (cards_.empty()) {
      return {};
    }
    pass(k_most_changes);
    if (!preferences_.strict) {
      const std::vector<Found> sound = best();
      const auto free = std::count_if(sound.begin(), sound.end(), [](const Found& f) { return f.burden.money_usd <= 0.0; });
      worst_ = Verdict::tight;
      pass(free < k_few ? k_most_changes : 1);
    }
    return best();
  }

 private:
  void pass(std::size_t most) {
    const std::vector<ChangeId> pool = applicable();
    std::vector<ChangeId> chosen;
    // Smaller sets first, so that a larger one is looked at only for what the smaller do not achieve.
    for (std::size_t size = 1; size <= most; ++size) {
      combine(pool, 0, size, 0, 0, chosen);
    }
  }

  void combine(const std::vector<ChangeId>& pool, std::size_t from, std::size_t size, Changes set, Touches touched,
               std::vector<ChangeId>& chosen) {
    if (chosen.size() == size) {
      const bool costly = adds_cards(set) || (set & bit(ChangeId::smaller_image)) != 0;
      if (!settled(set) && (!costly || size <= k_most_with_a_costly_one || in_few_bits(set))) {
        consider(set, chosen);
      }
      return;
    }
    for (std::size_t i = from; i < pool.size(); ++i) {
      const Change& change = change_of(pool[i]);
      if ((touched & change.touches) == 0) {
        chosen.push_back(pool[i]);
        combine(pool, i + 1, size, set | bit(pool[i]), touched | change.touches, chosen);
        chosen.pop_back();
      }
    }
  }

  // Part of the set does already, and the rest brings no speed (nor fewer cards to buy).
  [[nodiscard]] bool settled(Changes set) const {
    return std::any_of(found_.begin(), found_.end(), [this, set](const Found& found) {
      if (!contains(set, found.set) || (found.burden.tight && worst_ == Verdict::fits)) {
        return false;
      }
      const Changes rest = set & ~found.set;
      if (adds_cards(found.set)) {
        return found.burden.money_usd <= 0.0;
      }
      return adds_cards(rest) || std::none_of(changes().begin(), changes().end(),
                                              [rest](const Change& change) { return contains(rest, bit(change.id)) && change.speeds_up; });
    });
  }

  [[nodiscard]] Changed start(std::size_t card) const {
    const Gpu& gpu = *cards_[card].card.gpu;
    Changed changed{&request_, &assessor_, &options_, &gpu, request_.workload, {}, worst_, use_of(cards_[card]).windows};
    if (needs_fp16(request_, gpu)) {
      changed.workload = spread_over(request_.workload, {request_.workload.gpus, request_.workload.strategy}, true);
      set(changed, "precision", to_string(changed.workload.precision));
    }
    return changed;
  }

  // Changes that any of the cards could make.
  [[nodiscard]] std::vector<ChangeId> applicable() const {
    std::vector<ChangeId> pool;
    for (const Change& change : changes()) {
      bool applies = change.searches && (buy_ || !advise::adds_cards(change.id) || request_.workload.all_gpus() > 1.0);
      for (std::size_t card = 0; card < cards_.size() && !applies; ++card) {
        Changed changed = start(card);
        applies = change.apply(changed);
      }
      if (applies) {
        pool.push_back(change.id);
      }
    }
    return pool;
  }

  // What the roomiest card cannot hold, none can: most sets end here.
  [[nodiscard]] bool hopeless(const std::vector<ChangeId>& chosen) const {
    std::array<std::optional<std::size_t>, 2> roomiest;
    for (std::size_t card = 0; card < cards_.size(); ++card) {
      auto& slot = roomiest[cards_[card].card.gpu->vendor == Vendor::nvidia ? 0 : 1];
      if (!slot || usable_[card] > usable_[*slot]) {
        slot = card;
      }
    }
    return std::none_of(roomiest.begin(), roomiest.end(), [&](const auto& card) {
      Figures figures;
      Changed changed = card ? start(*card) : Changed{};
      return card && changes_to_fit(chosen, changed, figures);
    });
  }

  [[nodiscard]] bool changes_to_fit(const std::vector<ChangeId>& chosen, Changed& changed, Figures& figures) const {
    for (const ChangeId id : chosen) {
      if (!change_of(id).apply(changed)) {
        return false;
      }
    }
    keep_inferred_strategy(changed);
    figures = assessor_.figures_of(changed.workload, *changed.gpu);
    return holds(figures);
  }

  [[nodiscard]] bool holds(const Figures& figures) const {
    return figures.fit && figures.fit->verdict <= worst_ && host_holds(figures) && assessor_.fast_enough(figures);
  }

  [[nodiscard]] bool host_holds(const Figures& figures) const {
    return !preferences_.ram_gib || figures.memory.host_bytes <= 0.0 ||
           figures.memory.host_bytes / k_gib + k_host_reserve_gib <= *preferences_.ram_gib;
  }

  void consider(Changes set, const std::vector<ChangeId>& chosen) {
    if (cards_.size() > 2 && hopeless(chosen)) {
      return;
    }
    for (std::size_t card = 0; card < cards_.size(); ++card) {
      if (worst_ == Verdict::tight && held_tightly(card)) {
        continue;  // it is held so without any change
      }
      Changed changed = start(card);
      Figures figures;
      if (changes_to_fit(chosen, changed, figures) && assessor_.admissible(changed.workload, cards_[card].card, cards_[card].source) &&
          confirmed(cards_[card], changed, figures)) {
        found_.push_back(described(set, chosen, card, changed, figures));
        return;
      }
    }
  }

  [[nodiscard]] bool held_tightly(std::size_t card) {
    if (!tight_[card]) {
      const Figures figures = assessor_.figures_of(start(card).workload, *cards_[card].card.gpu);
      tight_[card] = figures.fit && figures.fit->verdict != Verdict::no;
    }
    return *tight_[card];
  }

  // A rented machine has no Windows driver and no screen of the user's.
  [[nodiscard]] estimate::CardUse use_of(const Candidate& candidate) const {
    return estimate::default_use(*candidate.card.gpu, has_windows_driver(preferences_.os) && candidate.source == Sourcing::buy);
  }

  // Read again as the user would give it: defaults may follow from what was set. Its figures are the ones that are shown.
  [[nodiscard]] bool confirmed(const Candidate& candidate, Changed& changed, Figures& figures) const {
    try {
      if (options_.with_settings) {
        const Request again = options_.with_settings(changed.settings);
        figures = estimate::evaluate(estimate::prepare(again.workload, again.model), changed.gpu, use_of(candidate));
        changed.workload = again.workload;
      } else {
        figures = estimate::evaluate(estimate::prepare(changed.workload, request_.model), changed.gpu, use_of(candidate));
      }
      return holds(figures);
    } catch (const Error&) {
      return false;
    }
  }

  [[nodiscard]] Found described(Changes set, const std::vector<ChangeId>& chosen, std::size_t card, const Changed& changed,
                                const Figures& figures) {
    Found found;
    found.set = set;
    Remedy& remedy = found.remedy;
    Burden& burden = found.burden;
    for (const ChangeId id : chosen) {
      const Change& change = change_of(id);
      add(remedy.id, "+", change.name);
      add(remedy.title, " and ", title_of(change, changed));
      add(remedy.how, "; ", how_of(change, changed));
      burden.risk +=
          risk_of(change, changed) + (id == ChangeId::accumulate && few_for_batchnorm(changed) ? k_risk_of_noisy_statistics : 0.0);
    }
    remedy.effect = effects_of(chosen, changed, figures);
    remedy.settings = changed.settings;
    remedy.gpu = changed.gpu;
    remedy.count = changed.workload.all_gpus();
    remedy.figures = figures;
    remedy.workload = changed.workload;
    remedy.source = cards_[card].source;
    const std::optional<double> ratio = speed_against_asked(card, remedy);
    // What runs on other cards, or on the same divided otherwise, has no base to be a multiple of.
    remedy.speed_ratio = adds_cards(set) ? std::nullopt : ratio;
    add_money(remedy);
    burden.money_usd = remedy.count > request_.workload.all_gpus() ? remedy.extra_usd.value_or(1.0) : 0.0;
    burden.slowness = ratio ? 1.0 / *ratio : presumed_slowness(chosen, has_tables());
    if ((set & (bit(ChangeId::shorter) | bit(ChangeId::smaller_image))) != 0) {
      burden.slowness = std::max(1.0, burden.slowness);  // less work is no speed
    }
    burden.host_gib = figures.memory.host_bytes / k_gib;
    burden.need = figures.memory.need.expected;
    burden.changes = chosen.size();
    const auto rebuilds = [](ChangeId id) { return id == ChangeId::offload_optimizer || id == ChangeId::offload_params; };
    burden.rebuilt = std::any_of(chosen.begin(), chosen.end(), rebuilds);
    burden.tight = figures.fit->verdict == Verdict::tight;
    return found;
  }

  [[nodiscard]] bool has_tables() const { return request_.model.recommender() != nullptr; }

  [[nodiscard]] std::optional<double> speed_against_asked(std::size_t card, const Remedy& remedy) {
    if (!before_[card]) {
      before_[card] = throughput(assessor_.figures_of(start(card).workload, *cards_[card].card.gpu)).value_or(0.0);
    }
    const std::optional<double> after = throughput(assessor_.figures_of(remedy.workload, *remedy.gpu));
    return *before_[card] > 0.0 && after ? std::optional<double>(*after / *before_[card]) : std::nullopt;
  }

  // Boards beyond those of the request, and what of it the budget does not cover.
  void add_money(Remedy& remedy) const {
    const double asked = request_.workload.all_gpus();
    if (remedy.source == Sourcing::rent) {
      remedy.rent_usd_per_hour = assessor_.costs_of(*remedy.gpu, remedy.count).rent_usd_per_hour;
      if (preferences_.source == Sourcing::both) {
        remedy.settings.push_back({"source", "rent", Origin::user});
      }
      return;
    }
    if (remedy.count <= asked) {
      return;
    }
    const Costs more = assessor_.costs_of(*remedy.gpu, remedy.count);
    const Costs less = assessor_.costs_of(*remedy.gpu, asked);
    const bool own_machine = more.price && more.price->usd <= 0.0;  // its cards cost nothing, but there are no more of them
    if (!more.purchase_usd || !less.purchase_usd || own_machine) {
      return;
    }
    remedy.extra_usd = *more.purchase_usd - *less.purchase_usd;
    const std::optional<double> spendable = preferences_.spendable_usd();
    if (spendable && *more.purchase_usd > *spendable && more.price) {
      const double buys = std::floor(*spendable / more.price->usd) * std::max(1.0, remedy.gpu->gpus_per_board);
      remedy.effect += "; the budget buys " + std::to_string(static_cast<long long>(buys)) + " of them";
      remedy.settings.push_back({"budget", *more.purchase_usd / std::max(1e-9, 1.0 - preferences_.reserve_share), Origin::user});
    }
  }

  // Without those that another one beats in everything; the most bearable first.
  [[nodiscard]] std::vector<Found> best() const {
    std::vector<Found> kept;
    for (const Found& candidate : found_) {
      const bool beaten =
          std::any_of(found_.begin(), found_.end(), [&candidate](const Found& other) { return beats(other.burden, candidate.burden); });
      if (!beaten) {
        kept.push_back(candidate);
      }
    }
    std::stable_sort(kept.begin(), kept.end(), [](const Found& a, const Found& b) { return total(a.burden) < total(b.burden); });
    return kept;
  }

  const Assessor& assessor_;
  const Request& request_;
  const Preferences& preferences_;
  const AdviceOptions& options_;
  bool buy_;  // more cards are a remedy
  std::vector<Candidate> cards_;
  std::vector<double> usable_;
  std::vector<std::optional<double>> before_;  // throughput of the job as asked, by card; 0 = unknown
  std::vector<std::optional<bool>> tight_;     // whether the job as asked is held at all, by card
  std::vector<Found> found_;
  Verdict worst_ = Verdict::fits;
};

// What works without money first, and as much of what money does as there is room for.
std::vector<Remedy> chosen(std::vector<Found> found, std::vector<Remedy> bought) {
  std::vector<Remedy> free;
  std::optional<double> fewest;  // cards of the ways to spread the job that are shown
  for (Found& each : found) {
    if (each.burden.money_usd <= 0.0) {
      free.push_back(std::move(each.remedy));
    } else if (!fewest || each.remedy.count < *fewest) {
      // The best way to spread the job over more cards, and what manages with fewer of them.
      fewest = each.remedy.count;
      bought.insert(bought.begin(), std::move(each.remedy));
    }
  }
  std::stable_sort(bought.begin(), bought.end(), [](const Remedy& a, const Remedy& b) {
    return a.extra_usd.value_or(a.source == Sourcing::rent ? 0.0 : k_no_price) <
           b.extra_usd.value_or(b.source == Sourcing::rent ? 0.0 : k_no_price);
  });
  const std::size_t room = k_most_remedies - std::min(free.size(), k_most_remedies);
  bought.resize(std::min(bought.size(), std::max(room, k_most_of_money)));
  free.resize(std::min(free.size(), k_most_remedies - bought.size()));
  std::move(bought.begin(), bought.end(), std::back_inserter(free));
  return free;
}

}  // namespace

std::vector<Remedy> remedies(const Assessor& assessor, const Request& request, const Preferences& preferences, const CatalogView& catalog,
                             const Advice& advice, const AdviceOptions& options) {
  const bool fits = std::any_of(advice.results.begin(), advice.results.end(),
                                [](const Recommendation& each) { return each.figures.fit && each.figures.fit->verdict == Verdict::fits; });
  // Cards that hold it together are in the ranking already: then what helps without money is wanted.
  Search search(assessor, request, preferences, options, !fits, cards_to_try(request, preferences, advice));
  std::vector<Found> found = search.run();
  std::vector<Remedy> bought;
  if (!fits) {
    if (std::optional<Remedy> dearer = next_card_up(assessor, request, preferences, catalog)) {
      bought.push_back(std::move(*dearer));
    }
    if (std::optional<Remedy> rented = by_the_hour(assessor, request, preferences, catalog)) {
      bought.push_back(std::move(*rented));
    }
  }
  std::vector<Remedy> shown = chosen(std::move(found), std::move(bought));
  if (options.snippets) {
    for (Remedy& remedy : shown) {
      remedy.snippet = snippet(request, remedy);
    }
  }
  return shown;
}

}  // namespace gpuadvise::advise
