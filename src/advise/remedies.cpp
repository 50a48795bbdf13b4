#include "advise/remedies.hpp"

#include "advise/change.hpp"
#include "estimate/cost/cost.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace gpuadvise::advise {
namespace {

using C = ChangeId;

constexpr std::size_t k_most_remedies = 5;
constexpr std::size_t k_most_cards = 16;
constexpr double k_no_price = 1e12;
constexpr double k_worthwhile = 1.1;  // a longer list of changes must be this much faster than its part

struct Combination {
  std::array<ChangeId, 3> changes{};
  std::size_t count = 0;
};

constexpr Combination of(std::initializer_list<ChangeId> changes) {
  Combination out;
  for (const ChangeId change : changes) {
    out.changes[out.count++] = change;
  }
  return out;
}

// Cheapest for the user first: nothing lost, then time, then quality, then money. Changes that search come last in a combination.
constexpr auto k_training = std::to_array<Combination>({
    of({C::sdpa}),
    of({C::fused_loss}),
    of({C::mixed_precision}),
    of({C::accumulate}),
    of({C::mixed_precision, C::accumulate}),
    of({C::fused_loss, C::accumulate}),
    of({C::checkpointing}),
    of({C::mixed_precision, C::checkpointing}),
    of({C::fused_loss, C::checkpointing}),
    of({C::checkpointing, C::accumulate}),
    of({C::mixed_precision, C::checkpointing, C::accumulate}),
    of({C::fused_loss, C::checkpointing, C::accumulate}),
    of({C::optimizer_8bit}),
    of({C::optimizer_8bit, C::checkpointing}),
    of({C::optimizer_8bit, C::checkpointing, C::accumulate}),
    of({C::lora}),
    of({C::lora, C::accumulate}),
    of({C::lora, C::checkpointing}),
    of({C::lora, C::checkpointing, C::accumulate}),
    of({C::qlora}),
    of({C::qlora, C::accumulate}),
    of({C::qlora, C::checkpointing}),
    of({C::qlora, C::checkpointing, C::accumulate}),
    of({C::checkpointing, C::shorter}),
    of({C::qlora, C::checkpointing, C::shorter}),
    of({C::shard}),
    of({C::checkpointing, C::shard}),
});

constexpr auto k_inference = std::to_array<Combination>({
    of({C::sdpa}),
    of({C::kv_8bit}),
    of({C::smaller_batch}),
    of({C::offload_model}),
    of({C::int8}),
    of({C::int4}),
    of({C::int8, C::offload_model}),
    of({C::int4, C::offload_model}),
    of({C::int4, C::kv_8bit}),
    of({C::shorter}),
    of({C::int4, C::shorter}),
    of({C::shard}),
    of({C::int4, C::shard}),
});

bool by_memory(const Rejection& rejection) {
  return rejection.figures &&
         (rejection.rule == "does-not-fit" || rejection.rule == "ddp-does-not-pool" || rejection.rule == "tight-is-no");
}

bool affordable(const Rejection& rejection, const Preferences& preferences) {
  const std::optional<double> spendable = preferences.spendable_usd();
  return !spendable || rejection.source == Sourcing::rent || rejection.cost.purchase_usd.value_or(*spendable + 1.0) <= *spendable;
}

// The cards worth trying: those already ranked (tightly), then the nearest of the affordable ones that memory alone keeps out; of
// these the best supported and cheapest first.
std::vector<Card> cards_to_try(const Preferences& preferences, const Advice& advice) {
  const bool named = !preferences.candidates.empty();
  std::vector<Card> cards;
  for (const Recommendation& result : advice.results) {
    cards.push_back({result.gpu, named});
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
    return a_first != b_first ? a_first : a->cost.purchase_usd.value_or(k_no_price) < b->cost.purchase_usd.value_or(k_no_price);
  });
  for (const Rejection* rejection : kept_out) {
    cards.push_back({rejection->gpu, named});
  }
  return cards;
}

bool includes(const Combination& whole, const Combination& part) {
  return std::all_of(part.changes.begin(), part.changes.begin() + static_cast<std::ptrdiff_t>(part.count), [&whole](ChangeId change) {
    const auto* end = whole.changes.begin() + whole.count;
    return std::find(whole.changes.begin(), end, change) != end;
  });
}

class Search {
 public:
  Search(const Assessor& assessor, const Request& request, const Preferences& preferences, const CatalogView& catalog)
      : assessor_(assessor), request_(request), preferences_(preferences), catalog_(catalog) {}

  // Sound fits first; where there are none, tight ones are better than nothing.
  void over(std::span<const Combination> combinations, const std::vector<Card>& cards) {
    pass(combinations, cards);
    if (found_.empty() && !preferences_.strict) {
      worst_ = Verdict::tight;
      pass(combinations, cards);
    }
  }

  [[nodiscard]] std::vector<Remedy> take() {
    std::vector<Remedy> out;
    for (auto& each : found_) {
      out.push_back(std::move(each.remedy));
    }
    return out;
  }

 private:
  void pass(std::span<const Combination> combinations, const std::vector<Card>& cards) {
    for (const Combination& combination : combinations) {
      for (const Card& card : cards) {
        if (found_.size() == k_most_remedies || consider(combination, card)) {
          break;
        }
      }
    }
  }

  struct Found {
    Combination combination;
    Remedy remedy;
  };

  // True once the combination is settled: accepted, or dominated by what was found.
  bool consider(const Combination& combination, const Card& card) {
    const Gpu& gpu = *card.gpu;
    Changed changed{&request_, &assessor_, &gpu, request_.workload, {}, worst_};
    const bool fp16 = needs_fp16(request_, gpu);
    if (fp16) {
      changed.workload = spread_over(request_.workload, {request_.workload.gpus, request_.workload.strategy}, true);
      set(changed, "precision", to_string(changed.workload.precision));
    }
    const std::optional<double> before = throughput(assessor_.figures_of(changed.workload, gpu));
    for (std::size_t i = 0; i < combination.count; ++i) {
      if (!change_of(combination.changes[i]).apply(changed)) {
        return false;
      }
    }
    const Figures figures = assessor_.figures_of(changed.workload, gpu);
    if (!figures.fit || figures.fit->verdict > worst_ || !assessor_.admissible(changed.workload, card)) {
      return false;
    }
    Found found{combination, described(combination, changed, figures)};
    const std::optional<double> after = throughput(figures);
    if (before && after) {
      found.remedy.speed_ratio = *after / *before;
    }
    if (!dominated(found)) {
      found_.push_back(std::move(found));
    }
    return true;
  }

  [[nodiscard]] static std::optional<double> throughput(const Figures& figures) {
    return figures.speed && figures.speed->throughput.expected > 0.0 ? std::optional<double>(figures.speed->throughput.expected)
                                                                     : std::nullopt;
  }

  [[nodiscard]] bool dominated(const Found& candidate) const {
    return std::any_of(found_.begin(), found_.end(), [&candidate](const Found& other) {
      const double faster = candidate.remedy.speed_ratio.value_or(1.0) / other.remedy.speed_ratio.value_or(1.0);
      // More cards make anything faster; that is not worth money once something fits without them.
      const bool bought = candidate.remedy.count > other.remedy.count;
      return includes(candidate.combination, other.combination) && (bought || faster < k_worthwhile);
    });
  }

  [[nodiscard]] Remedy described(const Combination& combination, const Changed& changed, const Figures& figures) const {
    Remedy remedy;
    for (std::size_t i = 0; i < combination.count; ++i) {
      const Change& change = change_of(combination.changes[i]);
      const auto add = [](std::string& to, std::string_view separator, std::string_view words) {
        to += (to.empty() ? std::string() : std::string(separator)) + std::string(words);
      };
      add(remedy.id, "+", change.name);
      add(remedy.title, " and ", title_of(change, changed));
      add(remedy.effect, "; ", effect_of(change, changed));
      add(remedy.how, "; ", how_of(change, changed));
    }
    remedy.settings = changed.settings;
    remedy.gpu = changed.gpu;
    remedy.count = changed.workload.all_gpus();
    remedy.figures = figures;
    const std::optional<Price> price = catalog_.price ? catalog_.price(*changed.gpu, preferences_.condition) : std::nullopt;
    const double more = remedy.count - request_.workload.all_gpus();
    if (price && more > 0.0) {
      remedy.extra_usd = price->usd * more / std::max(changed.gpu->gpus_per_board, 1.0);
    }
    return remedy;
  }

  const Assessor& assessor_;
  const Request& request_;
  const Preferences& preferences_;
  const CatalogView& catalog_;
  std::vector<Found> found_;
  Verdict worst_ = Verdict::fits;
};

// The nearest card that fits and is only too dear.
std::optional<Remedy> next_card_up(const Preferences& preferences, const Advice& advice) {
  const Rejection* best = nullptr;
  for (const Rejection& rejection : advice.rejected) {
    const bool too_dear = rejection.rule == "over-budget" && rejection.figures && rejection.cost.purchase_usd;
    if (too_dear && (best == nullptr || *rejection.cost.purchase_usd < *best->cost.purchase_usd)) {
      best = &rejection;
    }
  }
  const std::optional<double> spendable = preferences.spendable_usd();
  if (best == nullptr || !spendable) {
    return std::nullopt;
  }
  Remedy remedy;
  remedy.id = "next_card_up";
  remedy.title = "the next card up";
  remedy.settings = {{"budget", *best->cost.purchase_usd, Origin::user}};
  remedy.gpu = best->gpu;
  remedy.count = best->count;
  remedy.figures = *best->figures;
  remedy.effect = "costs more";
  remedy.how = "raise the budget";
  remedy.extra_usd = *best->cost.purchase_usd - *spendable;
  return remedy;
}

}  // namespace

std::vector<Remedy> remedies(const Assessor& assessor, const Request& request, const Preferences& preferences, const CatalogView& catalog,
                             const Advice& advice) {
  Search search(assessor, request, preferences, catalog);
  const std::vector<Card> cards = cards_to_try(preferences, advice);
  if (request.workload.training()) {
    search.over(k_training, cards);
  } else {
    search.over(k_inference, cards);
  }
  std::vector<Remedy> found = search.take();
  if (std::optional<Remedy> dearer = next_card_up(preferences, advice)) {
    found.resize(std::min(found.size(), k_most_remedies - 1));
    found.push_back(std::move(*dearer));
  }
  return found;
}

}  // namespace gpuadvise::advise
