#include "advise/mixed.hpp"

#include <gpuadvise/estimate.hpp>
#include <gpuadvise/units.hpp>

#include "advise/assess.hpp"
#include "estimate/memory/band.hpp"
#include "estimate/memory/fit.hpp"
#include "estimate/speed/speed.hpp"
#include "units/whole_text.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::advise {
namespace {

double usable(const Gpu& gpu, bool windows) {
  return estimate::usable_bytes(gpu, estimate::default_use(gpu, windows));
}

Workload on_one_card(const Workload& workload) {
  Workload one = workload;
  one.gpus = one.nodes = one.tp = one.pp = one.cp = 1.0;
  one.strategy = Strategy::none;
  return one;
}

// Synchronous steps wait for the slowest; equal parts must fit the smallest.
Figures equal_parts(const Workload& workload, const Model& model, const std::vector<const Gpu*>& cards, bool windows) {
  const estimate::Plan plan = estimate::prepare(workload, model);
  std::optional<Figures> out;
  for (const Gpu* gpu : cards) {
    const Figures figures = estimate::evaluate(plan, gpu, estimate::default_use(*gpu, windows));
    if (!out) {
      out = figures;
      continue;
    }
    const bool slower = !figures.speed || (out->speed && figures.speed->throughput.expected < out->speed->throughput.expected);
    const std::optional<SpeedFigures> speed = slower ? figures.speed : out->speed;
    const bool refused = out->speed_refused || figures.speed_refused;
    if (figures.fit->probability < out->fit->probability ||
        (figures.fit->probability == out->fit->probability && figures.fit->usable_bytes < out->fit->usable_bytes)) {
      out = figures;
    }
    out->speed = speed;
    out->speed_refused = refused;
  }
  return *out;
}

// Shares of a whole by weight: a token passes through all cards, so their times add up.
Interval in_turn(const std::vector<Interval>& rates, const std::vector<double>& shares) {
  Interval seconds{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    seconds.low += shares[i] / rates[i].low;
    seconds.expected += shares[i] / rates[i].expected;
    seconds.high += shares[i] / rates[i].high;
  }
  return {1.0 / seconds.low, 1.0 / seconds.expected, 1.0 / seconds.high};
}

std::optional<SpeedFigures> speed_in_turn(const Workload& workload, const Model& model, const std::vector<const Gpu*>& cards,
                                          const std::vector<double>& shares) {
  std::vector<Interval> decode;
  std::vector<Interval> prefill;
  std::optional<SpeedFigures> out;
  for (const Gpu* gpu : cards) {
    const std::optional<SpeedFigures> alone = estimate::evaluate_speed(on_one_card(workload), model, *gpu);
    if (!alone) {
      return std::nullopt;
    }
    decode.push_back(alone->throughput);
    prefill.push_back(alone->prefill_tokens_per_s.value_or(alone->throughput));
    if (!out || alone->throughput.expected < out->throughput.expected) {
      out = alone;  // its bound and shares are those of most of the time
    }
  }
  out->throughput = in_turn(decode, shares);
  out->step_seconds = {1.0 / out->throughput.high, 1.0 / out->throughput.expected, 1.0 / out->throughput.low};
  if (out->decode_tokens_per_s) {
    out->decode_tokens_per_s = out->throughput;
    out->prefill_tokens_per_s = in_turn(prefill, shares);
  }
  return out;
}

// Layers go where memory is. Every card also has buffers and a runtime of its own, and the shares are rounded to layers.
Figures layers_by_memory(const Workload& workload, const Model& model, const std::vector<const Gpu*>& cards, bool windows) {
  constexpr double k_need_over_allocated = 1.06;  // contract, section 3
  const estimate::Plan plan = estimate::prepare(workload, model);
  const TransformerShape* shape = model.transformer();
  const double layers = shape != nullptr ? std::max(1.0, shape->layers + shape->decoder_layers) : 1.0;
  Figures out;
  double own = 0.0;
  double total = 0.0;
  double visible = 0.0;
  std::vector<double> shares;
  for (const Gpu* gpu : cards) {
    out.memory = estimate::evaluate_memory(plan, gpu);
    const MemoryComponents& parts = out.memory.components;
    own += out.memory.need.expected - k_need_over_allocated * (parts.weights + parts.kv_cache + parts.recurrent_state);
    shares.push_back(usable(*gpu, windows));
    total += shares.back();
    visible += estimate::visible_bytes(*gpu);
  }
  const MemoryComponents& all = out.memory.all_gpus.components;
  const double shared = all.weights + all.kv_cache + all.recurrent_state;
  const double rounding = (static_cast<double>(cards.size()) - 1.0) * shared / layers;
  const double need = std::max(0.0, own) + k_need_over_allocated * (shared + rounding);
  out.memory.need = out.memory.need.scaled(need / out.memory.need.expected);
  out.memory.allocated = out.memory.all_gpus.allocated;
  out.memory.reserved = out.memory.all_gpus.reserved;
  out.memory.device = out.memory.all_gpus.device;
  out.memory.steady = out.memory.all_gpus.steady;
  out.memory.components = all;
  out.fit = estimate::fit(out.memory, visible, total);
  for (double& share : shares) {
    share /= total;
  }
  out.speed = speed_in_turn(workload, model, cards, shares);
  return out;
}

bool splits_by_layers(const Workload& workload) {
  return !workload.training() && workload.strategy == Strategy::layer_split;
}

// The fastest of the cards by itself, in words; what all of them together are worth.
std::string alone_words(const Workload& workload, const Model& model, const std::vector<const Gpu*>& cards, bool windows) {
  const Gpu* best = nullptr;
  Figures figures;
  for (const Gpu* gpu : cards) {
    const Figures tried = estimate::evaluate(estimate::prepare(on_one_card(workload), model), gpu, estimate::default_use(*gpu, windows));
    const auto rate = [](const Figures& f) { return f.fit->verdict != Verdict::no && f.speed ? f.speed->throughput.expected : 0.0; };
    if (best == nullptr || rate(tried) > rate(figures)) {
      best = gpu;
      figures = tried;
    }
  }
  const std::string name(best->id);
  if (figures.fit->verdict == Verdict::no) {
    return "no card of it holds the job alone";
  }
  return name + " alone " +
         (figures.speed ? format_significant(figures.speed->throughput.expected) + " " + std::string(to_string(figures.speed->unit))
                        : "holds it");
}

std::string mixed_reason(const Workload& workload, const Figures& figures, const std::vector<const Gpu*>& cards, const Gpu& limiting,
                         const std::string& alone) {
  const std::string rate =
      figures.speed ? format_significant(figures.speed->throughput.expected) + " " + std::string(to_string(figures.speed->unit)) : "";
  std::string text = "you have them all, nothing to buy: ";
  if (splits_by_layers(workload)) {
    text += "layers divided by memory, " + format_gib(figures.fit->usable_bytes) + " in all, and the cards work one after the other";
  } else {
    text += whole_text(static_cast<double>(cards.size())) + " equal parts, so each card waits for the slowest and has but the " +
            format_gib(figures.fit->usable_bytes) + " of " + std::string(limiting.id);
  }
  return text + (rate.empty() ? "" : ": " + rate) + "; " + alone;
}

}  // namespace

std::vector<const Gpu*> machine_in_question(const Request& request, const Preferences& preferences, const CatalogView& catalog) {
  std::vector<const Gpu*> cards;
  for (const std::string& name : preferences.have) {
    const std::vector<const Gpu*> meant = catalog.find(name);
    if (meant.size() != 1) {
      return {};
    }
    const auto gpus = static_cast<std::size_t>(std::max(1.0, meant.front()->gpus_per_board));
    cards.insert(cards.end(), gpus, meant.front());
  }
  const Workload& workload = request.workload;
  const bool several = std::any_of(cards.begin(), cards.end(), [&cards](const Gpu* gpu) { return gpu != cards.front(); });
  // One job runs on one maker's software, and on memory that is the card's own.
  const bool apart = std::any_of(cards.begin(), cards.end(),
                                 [&cards](const Gpu* gpu) { return gpu->vendor != cards.front()->vendor || gpu->unified_memory; });
  const bool other_number = request.origins[WorkloadKey::gpus] >= Origin::file && workload.gpus != static_cast<double>(cards.size());
  if (!several || apart || other_number || workload.nodes > 1.0 || preferences.source == Sourcing::rent) {
    return {};
  }
  const std::vector<Card> looked_at = cards_in_question(preferences, catalog);
  const auto left_out = [&looked_at](const Gpu* gpu) {
    return std::none_of(looked_at.begin(), looked_at.end(), [gpu](const Card& card) { return card.gpu == gpu; });
  };
  return std::any_of(cards.begin(), cards.end(), left_out) ? std::vector<const Gpu*>{} : cards;
}

Figures mixed_figures(const Workload& workload, const Model& model, const std::vector<const Gpu*>& cards, bool windows) {
  return splits_by_layers(workload) ? layers_by_memory(workload, model, cards, windows) : equal_parts(workload, model, cards, windows);
}

std::string mixed_words(const std::vector<const Gpu*>& cards) {
  std::string words;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (std::find(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(i), cards[i]) !=
        cards.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    const auto count = std::count(cards.begin(), cards.end(), cards[i]);
    words += (words.empty() ? "" : " + ") + (count > 1 ? std::to_string(count) + "x " : std::string()) + std::string(cards[i]->id);
  }
  return words;
}

// All cards of the user's machine together, where they are of several kinds and the request leaves them free to be.
void Assessor::assess_machine(const std::vector<const Gpu*>& cards, std::vector<Recommendation>& results) {
  const auto count = static_cast<double>(cards.size());
  const Spread usual = machine_spread(request_, count);
  if (assess_machine(cards, usual, results) || request_.origins[WorkloadKey::strategy] >= Origin::file ||
      request_.model.transformer() == nullptr) {
    return;
  }
  const Spread pooled{count, pooling_strategy(request_.workload)};
  if (pooled.strategy != usual.strategy) {
    static_cast<void>(assess_machine(cards, pooled, results));
  }
}

bool Assessor::assess_machine(const std::vector<const Gpu*>& cards, const Spread& spread, std::vector<Recommendation>& results) {
  const bool windows = has_windows_driver(preferences_.os);
  const auto smallest = std::min_element(cards.begin(), cards.end(),
                                         [windows](const Gpu* a, const Gpu* b) { return usable(*a, windows) < usable(*b, windows); });
  const Gpu& limiting = **smallest;
  const bool fp16 = std::any_of(cards.begin(), cards.end(), [this](const Gpu* gpu) { return needs_fp16(request_, *gpu); });
  Variant way{estimate::prepare(spread_over(request_.workload, spread, fp16), request_.model), {}};
  way.precision = to_string(way.plan.workload.precision);
  Judged judged;
  judged.cost.boards = static_cast<double>(cards.size());
  judged.cost.purchase_usd = 0.0;
  judged.cost.power_w = 0.0;
  for (const Gpu* gpu : cards) {
    *judged.cost.power_w += gpu->tdp_w.value_or(0.0) / gpu->gpus_per_board;
  }
  for (const Gpu* gpu : cards) {
    if (judge_->rejected_by_card(subject_of(way, {gpu, true}, Sourcing::buy, judged.cost)) != nullptr) {
      return false;
    }
  }
  judged.tried.workload = way.plan.workload;
  judged.tried.figures = mixed_figures(way.plan.workload, request_.model, cards, windows);
  const Card card{&limiting, true};
  if (judge_->rejected_by_estimate(subject_of(way, card, Sourcing::buy, judged.cost, judged.tried.figures)) != nullptr) {
    return false;
  }
  Recommendation result = recommendation_of(way, card, Sourcing::buy, std::move(judged));
  result.mixed = cards;
  result.reasons.push_back(
      mixed_reason(result.workload, result.figures, cards, limiting, alone_words(result.workload, request_.model, cards, windows)));
  results.push_back(std::move(result));
  return true;
}

}  // namespace gpuadvise::advise
