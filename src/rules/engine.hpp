// The set of rules in force, and the judgement of one candidate by them.
#pragma once

#include <gpuadvise/finding.hpp>

#include "rules/compile.hpp"
#include "rules/rule.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::rules {

// A rule with the table that its indexes refer to.
struct RuleEntry {
  const RuleTable* table = nullptr;
  const Rule* rule = nullptr;

  [[nodiscard]] bool holds_for(const Subject& subject) const;
  [[nodiscard]] Finding finding(const Subject& subject) const;
  [[nodiscard]] std::string change(const Subject& subject) const;
};

// The shipped rules with a user's on top: a rule of the same id replaces, a disabled one removes.
class RuleSet {
 public:
  explicit RuleSet(const RuleTable& base);
  // Throws Error(bad_data) when the rules disable an id that does not exist.
  void overlay(CompiledRules extra, const std::string& file);

  [[nodiscard]] std::span<const RuleEntry> entries() const { return entries_; }

 private:
  struct Owned {
    CompiledRules rules;
    RuleTable table;
  };
  std::vector<RuleEntry> entries_;
  std::vector<std::unique_ptr<Owned>> owned_;
  std::unique_ptr<RuleTable> base_;
};

// Deltas by objective.
using Effects = std::array<double, k_objectives>;

// The rules that a request leaves in play, sorted by when they can be decided. Rules whose condition fails by facts of the request
// alone are dropped once, so that the judgement of hundreds of cards pays only for rules that can fire.
class Judge {
 public:
  Judge(const RuleSet& rules, const Subject& request);

  // Findings about the request as a whole (rules without a fact of a card).
  [[nodiscard]] std::vector<Finding> about_request(const Subject& request) const;
  // First reject that needs no estimate: card and wishes only (budget left out).
  [[nodiscard]] const RuleEntry* rejected_by_card(const Subject& subject) const { return first(card_rejects_, subject); }
  // Rejects by price, then by memory and speed.
  [[nodiscard]] const RuleEntry* rejected_by_price(const Subject& subject) const { return first(price_rejects_, subject); }
  [[nodiscard]] const RuleEntry* rejected_by_estimate(const Subject& subject) const { return first(estimate_rejects_, subject); }
  // Findings of an accepted candidate, gravest first, and what the rules add to the objectives.
  void judge(const Subject& subject, std::vector<Finding>& findings, Effects& effects) const;

 private:
  [[nodiscard]] static const RuleEntry* first(const std::vector<RuleEntry>& rejects, const Subject& subject);

  std::vector<RuleEntry> request_rules_;
  std::vector<RuleEntry> card_rejects_;
  std::vector<RuleEntry> price_rejects_;
  std::vector<RuleEntry> estimate_rejects_;
  std::vector<RuleEntry> remarks_;
};

}  // namespace gpuadvise::rules
