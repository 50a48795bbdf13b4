// Judges one card after the other: rules that need no estimate, then the estimate for each spread, then the rest of the rules.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/estimate.hpp>

#include "advise/candidates.hpp"
#include "advise/strategies.hpp"
#include "rules/engine.hpp"
#include "rules/objectives.hpp"
#include "rules/software_answers.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::advise {

class Assessor {
 public:
  Assessor(const Request& request, const Preferences& preferences, const CatalogView& catalog);

  // Adds to results every spread that is accepted, else one rejection to rejected.
  void assess(const Card& card, std::vector<Recommendation>& results, std::vector<Rejection>& rejected);

  // Adds one job over all cards of the user's machine, which are of several kinds, where it is accepted.
  void assess_machine(const std::vector<const Gpu*>& cards, std::vector<Recommendation>& results);

  [[nodiscard]] std::vector<Finding> about_request() const;
  // What the rules say of a card as the job was requested, accepted or not: without the advice on how to run it.
  [[nodiscard]] std::vector<Finding> remarks_on(const Card& card, Sourcing source);

  // The estimate of a changed workload on a card; what remedies and smallest changes call. Its speed is also that of a job that
  // does not fit: a measure to compare with, not to be shown.
  [[nodiscard]] Figures figures_of(const Workload& workload, const Gpu& gpu) const;
  [[nodiscard]] bool acceptable(const Figures& figures) const;
  // As fast as is wanted; what is not known is not enough.
  [[nodiscard]] bool fast_enough(const Figures& figures) const;
  // No rule about the card, its form or its software forbids this workload on it; as bought unless renting is wanted or named.
  [[nodiscard]] bool admissible(const Workload& workload, const Card& card, Sourcing source = Sourcing::both) const;
  // Price, power and rent of so many GPUs of the kind.
  [[nodiscard]] Costs costs_of(const Gpu& gpu, double count) const;

 private:
  struct Variant {
    estimate::Plan plan;
    std::string precision;
  };

  // A way to divide the job, with what it costs to run; a rejection where it is not accepted.
  struct Judged {
    TriedWay tried;
    Costs cost;
    std::optional<Rejection> rejection;
  };

  void assess(const Card& card, Sourcing source, std::vector<Recommendation>& results, std::vector<Rejection>& rejected);
  [[nodiscard]] bool assess_machine(const std::vector<const Gpu*>& cards, const Spread& spread, std::vector<Recommendation>& results);
  [[nodiscard]] bool assess_group(std::size_t first, std::size_t end, bool fp16, const Card& card, Sourcing source, const Costs& cost,
                                  const rules::RuleEntry* price_reason, std::vector<Recommendation>& results,
                                  std::optional<Rejection>& nearest);
  [[nodiscard]] Judged judge_way(const Variant& way, const Card& card, Sourcing source, Costs cost, const rules::RuleEntry* price_reason);
  [[nodiscard]] Recommendation recommendation_of(const Variant& way, const Card& card, Sourcing source, Judged&& judged);
  [[nodiscard]] rules::Subject subject_of(const Variant& way, const Card& card, Sourcing source, const Costs& cost) const;
  [[nodiscard]] rules::Subject subject_of(const Variant& way, const Card& card, Sourcing source, const Costs& cost,
                                          const Figures& figures) const;
  [[nodiscard]] const Variant& variant(std::size_t spread, bool fp16);
  [[nodiscard]] rules::Subject subject_of(const Card& card, Sourcing source) const;
  void measure_reference();

  const Request& request_;
  const Preferences& preferences_;
  const CatalogView& catalog_;
  const rules::ObjectiveTable& objectives_;
  std::string precision_name_;
  rules::SoftwareAnswers software_;
  std::optional<rules::Judge> judge_;
  std::vector<Spread> spreads_;
  std::array<std::vector<std::optional<Variant>>, 2> variants_;  // by fp16, then spread; made when first wanted
  double reference_throughput_ = 0.0;
  double reference_power_w_ = 0.0;
};

}  // namespace gpuadvise::advise
