#include "advise/assess.hpp"

#include "advise/card_findings.hpp"
#include "advise/score.hpp"
#include "estimate/cost/cost.hpp"
#include "estimate/speed/speed.hpp"

#include <algorithm>
#include <limits>

namespace gpuadvise::advise {
namespace {

estimate::CostTerms terms_of(const Preferences& preferences) {
  return {preferences.electricity_usd_per_kwh, preferences.hours_per_day, preferences.years, preferences.host_cost_usd};
}

constexpr double k_room_for_all_gib = 1e5;

// The user's own price goes before every quote.
std::optional<Price> price_of(const Gpu& gpu, const Preferences& preferences, const CatalogView& catalog) {
  for (const PriceOverride& own : preferences.price_overrides) {
    const std::vector<const Gpu*> meant = catalog.find(own.gpu);
    if (std::find(meant.begin(), meant.end(), &gpu) != meant.end()) {
      return Price{gpu.id, own.usd, PriceKind::user, preferences.as_of, "given"};
    }
  }
  return catalog.price ? catalog.price(gpu, preferences.condition) : std::nullopt;
}

// By how much a value exceeds its limit, as a share; 0 where either is unknown.
double excess(const std::optional<double>& value, const std::optional<double>& limit) {
  return value && limit && *limit > 0.0 ? std::max(0.0, *value / *limit - 1.0) : 0.0;
}

// How far a rejected candidate is from acceptance: the sum of what it exceeds.
double distance_of(const rules::Subject& subject) {
  const Preferences& wants = *subject.preferences;
  const Costs& cost = *subject.cost;
  if (subject.source == Sourcing::buy && !cost.purchase_usd && wants.budget_usd) {
    return std::numeric_limits<double>::infinity();  // no telling how far the unknown price is from the budget
  }
  const Figures& figures = *subject.figures;
  double distance = excess(cost.run_hours, wants.deadline_hours);
  if (figures.fit) {
    distance += excess(figures.memory.need.expected, figures.fit->usable_bytes);
  }
  if (figures.speed) {
    distance += excess(wants.min_speed, figures.speed->throughput.expected);
  }
  return distance + (subject.source == Sourcing::buy ? excess(cost.purchase_usd, wants.spendable_usd())
                                                     : excess(cost.rent_usd_per_hour, wants.budget_per_hour_usd));
}

Rejection rejection_of(const rules::RuleEntry& rule, const rules::Subject& subject, bool estimated) {
  Rejection rejection;
  rejection.gpu = subject.gpu;
  rejection.count = subject.count;
  rejection.source = subject.source;
  rejection.rule = rule.rule->id;
  rejection.message = rule.finding(subject).message;
  rejection.smallest_change = rule.change(subject);
  if (subject.cost != nullptr) {
    rejection.cost = *subject.cost;
  }
  if (estimated) {
    rejection.figures = *subject.figures;
  }
  rejection.distance = estimated ? distance_of(subject) : std::numeric_limits<double>::infinity();
  return rejection;
}

}  // namespace

Assessor::Assessor(const Request& request, const Preferences& preferences, const CatalogView& catalog)
    : request_(request),
      preferences_(preferences),
      catalog_(catalog),
      objectives_(*catalog.objectives),
      precision_name_(to_string(request.workload.precision)),
      software_(preferences, catalog.software),
      spreads_(spreads(request)) {
  for (auto& each : variants_) {
    each.resize(spreads_.size());
  }
  rules::Subject subject;
  subject.request = &request_;
  subject.workload = &request_.workload;
  subject.preferences = &preferences_;
  subject.precision = precision_name_;
  subject.software = &software_;
  judge_.emplace(*catalog.rules, subject);
  measure_reference();
}

void Assessor::measure_reference() {
  const auto reference =
      std::find_if(catalog_.gpus.begin(), catalog_.gpus.end(), [this](const Gpu& gpu) { return gpu.id == objectives_.reference_gpu; });
  if (reference == catalog_.gpus.end()) {
    return;
  }
  const Workload alone = spread_over(request_.workload, {1.0, Strategy::none}, false);
  std::optional<SpeedFigures> speed = figures_of(alone, *reference).speed;
  if (!speed) {
    // A speed that lacks only for want of memory: the measure of others is what the card would do if it held the job.
    Gpu roomy = *reference;
    roomy.memory_gib = k_room_for_all_gib;
    speed = estimate::evaluate_speed(alone, request_.model, roomy);
  }
  if (speed) {
    reference_throughput_ = speed->throughput.expected;
    reference_power_w_ = reference->tdp_w.value_or(0.0);
  }
}

std::vector<Finding> Assessor::about_request() const {
  rules::Subject subject;
  subject.request = &request_;
  subject.workload = &request_.workload;
  subject.preferences = &preferences_;
  subject.precision = precision_name_;
  subject.software = &software_;
  return judge_->about_request(subject);
}

Figures Assessor::figures_of(const Workload& workload, const Gpu& gpu) const {
  const estimate::CardUse use = estimate::default_use(gpu, has_windows_driver(preferences_.os));
  Figures figures = estimate::evaluate(estimate::prepare(workload, request_.model), &gpu, use);
  if (figures.speed_refused) {
    figures.speed = estimate::evaluate_speed(workload, request_.model, gpu);
  }
  return figures;
}

bool Assessor::acceptable(const Figures& figures) const {
  return figures.fit && (figures.fit->verdict == Verdict::fits || (figures.fit->verdict == Verdict::tight && !preferences_.strict));
}

bool Assessor::fast_enough(const Figures& figures) const {
  return !preferences_.min_speed || (figures.speed && figures.speed->throughput.expected >= *preferences_.min_speed);
}

bool Assessor::admissible(const Workload& workload, const Card& card, Sourcing source) const {
  const std::string precision = to_string(workload.precision);
  Request changed = request_;
  changed.workload = workload;
  const bool rented = source == Sourcing::rent || (source == Sourcing::both && preferences_.source == Sourcing::rent);
  rules::Subject subject = subject_of(card, rented ? Sourcing::rent : Sourcing::buy);
  subject.request = &changed;
  subject.workload = &workload;
  subject.precision = precision;
  subject.count = workload.all_gpus();
  const Costs cost = costs_of(*card.gpu, subject.count);
  subject.cost = &cost;
  // A fresh judge: the change may bring in rules that the request as it stands had settled.
  return rules::Judge(*catalog_.rules, subject).rejected_by_card(subject) == nullptr;
}

const Assessor::Variant& Assessor::variant(std::size_t spread, bool fp16) {
  std::optional<Variant>& slot = variants_[fp16 ? 1 : 0][spread];
  if (!slot) {
    const Workload workload = spread_over(request_.workload, spreads_[spread], fp16);
    slot = Variant{estimate::prepare(workload, request_.model), to_string(workload.precision)};
  }
  return *slot;
}

Costs Assessor::costs_of(const Gpu& gpu, double count) const {
  const std::span<const CloudOffer> offers = catalog_.offers ? catalog_.offers(gpu) : std::span<const CloudOffer>{};
  return estimate::ownership_costs(gpu, count, price_of(gpu, preferences_, catalog_), offers, terms_of(preferences_),
                                   owned_boards(gpu, preferences_, catalog_));
}

rules::Subject Assessor::subject_of(const Variant& way, const Card& card, Sourcing source, const Costs& cost) const {
  rules::Subject subject = subject_of(card, source);
  subject.workload = &way.plan.workload;
  subject.precision = way.precision;
  subject.count = way.plan.workload.all_gpus();
  subject.cost = &cost;
  return subject;
}

rules::Subject Assessor::subject_of(const Variant& way, const Card& card, Sourcing source, const Costs& cost,
                                    const Figures& figures) const {
  rules::Subject subject = subject_of(way, card, source, cost);
  subject.figures = &figures;
  return subject;
}

rules::Subject Assessor::subject_of(const Card& card, Sourcing source) const {
  rules::Subject subject;
  subject.request = &request_;
  subject.preferences = &preferences_;
  subject.software = &software_;
  subject.gpu = card.gpu;
  subject.named = card.named;
  subject.source = source;
  subject.reference_throughput = reference_throughput_;
  subject.reference_power_w = reference_power_w_;
  return subject;
}

void Assessor::assess(const Card& card, std::vector<Recommendation>& results, std::vector<Rejection>& rejected) {
  for (const Sourcing source : {Sourcing::buy, Sourcing::rent}) {
    if (preferences_.source == source || preferences_.source == Sourcing::both) {
      assess(card, source, results, rejected);
    }
  }
}

// One way to divide the job, judged; the rejection says what keeps it out.
Assessor::Judged Assessor::judge_way(const Variant& way, const Card& card, Sourcing source, Costs cost,
                                     const rules::RuleEntry* price_reason) {
  const estimate::CardUse use = estimate::default_use(*card.gpu, has_windows_driver(preferences_.os) && source == Sourcing::buy);
  Judged judged;
  judged.tried.workload = way.plan.workload;
  judged.tried.figures = estimate::evaluate(way.plan, card.gpu, use);
  judged.cost = cost;
  if (judged.tried.figures.speed) {
    estimate::add_run_costs(judged.cost, way.plan.workload, *judged.tried.figures.speed, terms_of(preferences_));
  }
  const rules::Subject subject = subject_of(way, card, source, judged.cost, judged.tried.figures);
  const rules::RuleEntry* reason = judge_->rejected_by_estimate(subject);
  reason = reason != nullptr ? reason : price_reason;
  if (reason != nullptr) {
    judged.rejection = rejection_of(*reason, subject, true);
  }
  judged.tried.accepted = reason == nullptr;
  return judged;
}

std::vector<Finding> Assessor::remarks_on(const Card& card, Sourcing source) {
  const Variant& way = variant(0, needs_fp16(request_, *card.gpu));
  const Judged judged = judge_way(way, card, source, costs_of(*card.gpu, way.plan.workload.all_gpus()), nullptr);
  std::vector<Finding> findings;
  rules::Effects effects{};
  judge_->judge(subject_of(way, card, source, judged.cost, judged.tried.figures), findings, effects);
  std::erase_if(findings, [](const Finding& finding) { return finding.severity == Severity::advice; });
  return findings;
}

Recommendation Assessor::recommendation_of(const Variant& way, const Card& card, Sourcing source, Judged&& judged) {
  Recommendation result;
  result.gpu = card.gpu;
  result.count = way.plan.workload.all_gpus();
  result.source = source;
  result.workload = way.plan.workload;
  result.figures = judged.tried.figures;
  rules::Effects effects{};
  const rules::Subject subject = subject_of(way, card, source, judged.cost, result.figures);
  judge_->judge(subject, result.findings, effects);
  for (std::optional<Finding> finding : {bridge_finding(result.workload, *card.gpu)}) {
    if (finding) {
      result.findings.push_back(std::move(*finding));
    }
  }
  result.score = score_of(objectives_, preferences_.prefer, subject, effects);
  result.cost = judged.cost;
  return result;
}

void Assessor::assess(const Card& card, Sourcing source, std::vector<Recommendation>& results, std::vector<Rejection>& rejected) {
  const bool fp16 = needs_fp16(request_, *card.gpu);
  std::optional<Rejection> nearest;
  bool accepted = false;
  for (std::size_t first = 0, end = 0; first < spreads_.size(); first = end) {
    while (end < spreads_.size() && spreads_[end].gpus == spreads_[first].gpus) {
      ++end;
    }
    const Variant& as_asked = variant(first, fp16);
    const Costs cost = costs_of(*card.gpu, as_asked.plan.workload.all_gpus());
    const rules::Subject subject = subject_of(as_asked, card, source, cost);
    const rules::RuleEntry* reason = judge_->rejected_by_card(subject);
    if (reason != nullptr) {
      if (!nearest) {
        nearest = rejection_of(*reason, subject, false);
      }
      break;  // more of the same card changes nothing
    }
    const rules::RuleEntry* price_reason = judge_->rejected_by_price(subject);
    if (price_reason != nullptr && (first > 0 || accepted)) {
      break;  // more of them cost more
    }
    accepted = assess_group(first, end, fp16, card, source, cost, price_reason, results, nearest) || accepted;
    if (accepted && first == 0) {
      return;  // the GPUs as requested do: more were not asked for
    }
  }
  if (!accepted && nearest) {
    rejected.push_back(std::move(*nearest));
  }
}

// The ways to divide the job over the same GPUs: the best becomes a result. Where none does, the first group's nearest miss stays.
bool Assessor::assess_group(std::size_t first, std::size_t end, bool fp16, const Card& card, Sourcing source, const Costs& cost,
                            const rules::RuleEntry* price_reason, std::vector<Recommendation>& results, std::optional<Rejection>& nearest) {
  std::vector<Judged> judged;
  std::vector<TriedWay> tried;
  for (std::size_t i = first; i < end; ++i) {
    judged.push_back(judge_way(variant(i, fp16), card, source, cost, price_reason));
    tried.push_back(judged.back().tried);
  }
  const std::optional<std::size_t> best = best_way(tried);
  if (!best) {
    const auto closest = std::min_element(judged.begin(), judged.end(),
                                          [](const Judged& a, const Judged& b) { return a.rejection->distance < b.rejection->distance; });
    if (!nearest) {
      nearest = std::move(closest->rejection);
    }
    return false;
  }
  Recommendation result = recommendation_of(variant(first + *best, fp16), card, source, std::move(judged[*best]));
  if (tried.size() > 1) {
    result.reasons.push_back(way_reason(tried, *best, *card.gpu));
  } else if (result.count > 1.0 && result.figures.speed) {
    const std::string loss = loss_words(result.workload, *result.figures.speed, *card.gpu);
    if (!loss.empty()) {
      result.reasons.push_back(way_words(result.workload) + " at " + loss);
    }
  }
  results.push_back(std::move(result));
  return true;
}

}  // namespace gpuadvise::advise
