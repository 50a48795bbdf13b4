// Judges one card after the other: rules that need no estimate, then the estimate for each spread, then the rest of the rules.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/estimate.hpp>

#include "advise/candidates.hpp"
#include "rules/engine.hpp"
#include "rules/objectives.hpp"

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

  [[nodiscard]] std::vector<Finding> about_request() const;

  // The estimate of a changed workload on a card; what remedies and smallest changes call.
  [[nodiscard]] Figures figures_of(const Workload& workload, const Gpu& gpu) const;
  [[nodiscard]] bool acceptable(const Figures& figures) const;
  // No rule about the card, its form or its software forbids this workload on it.
  [[nodiscard]] bool admissible(const Workload& workload, const Card& card) const;

 private:
  struct Variant {
    estimate::Plan plan;
    std::string precision;
  };

  void assess(const Card& card, Sourcing source, std::vector<Recommendation>& results, std::vector<Rejection>& rejected);
  [[nodiscard]] const Variant& variant(std::size_t spread, bool fp16);
  [[nodiscard]] Costs costs_of(const Gpu& gpu, double count) const;
  [[nodiscard]] rules::Subject subject_of(const Card& card, Sourcing source) const;
  void measure_reference();

  const Request& request_;
  const Preferences& preferences_;
  const CatalogView& catalog_;
  const rules::ObjectiveTable& objectives_;
  std::string precision_name_;
  std::optional<rules::Judge> judge_;
  std::vector<Spread> spreads_;
  std::array<std::vector<std::optional<Variant>>, 2> variants_;  // by fp16, then spread; made when first wanted
  double reference_throughput_ = 0.0;
  double reference_power_w_ = 0.0;
};

}  // namespace gpuadvise::advise
