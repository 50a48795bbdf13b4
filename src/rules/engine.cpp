#include "rules/engine.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/near_name.hpp"
#include "rules/program.hpp"

#include <algorithm>

namespace gpuadvise::rules {
namespace {

// A conjunct that the request alone decides, and that fails, settles the rule for every card.
bool settled_by_request(const RuleEntry& entry, const Subject& request) {
  const RuleTable& table = *entry.table;
  const Node& root = table.nodes[entry.rule->first_node];
  if (root.op != Op::all_of) {
    return false;
  }
  std::uint32_t child = entry.rule->first_node + 1;
  for (unsigned i = 0; i < root.children; ++i, child += table.nodes[child].size) {
    if (scope_of(table, child) == scope::request && !holds(table, child, request)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool RuleEntry::holds_for(const Subject& subject) const {
  return holds(*table, rule->first_node, subject);
}

Finding RuleEntry::finding(const Subject& subject) const {
  return {std::string(rule->id), rule->severity, message_of(*table, *rule, subject)};
}

std::string RuleEntry::change(const Subject& subject) const {
  return change_of(*table, *rule, subject);
}

RuleSet::RuleSet(const RuleTable& base) : base_(std::make_unique<RuleTable>(base)) {
  entries_.reserve(base.rules.size());
  for (const Rule& rule : base_->rules) {
    entries_.push_back({base_.get(), &rule});
  }
}

void RuleSet::overlay(CompiledRules extra, const std::string& file) {
  owned_.push_back(std::make_unique<Owned>());
  Owned& owned = *owned_.back();
  owned.rules = std::move(extra);
  owned.table = owned.rules.table();
  const auto find = [this](std::string_view id) {
    return std::find_if(entries_.begin(), entries_.end(), [id](const RuleEntry& entry) { return entry.rule->id == id; });
  };
  for (const Rule& rule : owned.table.rules) {
    const RuleEntry entry{&owned.table, &rule};
    const auto found = find(rule.id);
    if (found != entries_.end()) {
      *found = entry;
    } else {
      entries_.push_back(entry);
    }
  }
  for (const std::string_view id : owned.rules.disabled) {
    const auto found = find(id);
    if (found == entries_.end()) {
      std::vector<std::string_view> ids;
      for (const RuleEntry& entry : entries_) {
        ids.push_back(entry.rule->id);
      }
      const std::vector<std::string_view> near = catalog::near_names(id, ids, 1);
      throw Error(ErrorCode::bad_data, "there is no rule '" + std::string(id) + "' to disable",
                  near.empty() ? "" : "did you mean '" + std::string(near.front()) + "'?", file);
    }
    entries_.erase(found);
  }
}

Judge::Judge(const RuleSet& rules, const Subject& request) {
  for (const RuleEntry& entry : rules.entries()) {
    const Rule& rule = *entry.rule;
    if ((rule.scope | scope::request) == scope::request) {
      // What the request alone decides is said once; but a reject turns every card away.
      (rule.severity == Severity::reject ? card_rejects_ : request_rules_).push_back(entry);
    } else if (settled_by_request(entry, request)) {
      continue;
    } else if (rule.severity != Severity::reject) {
      remarks_.push_back(entry);
    } else if ((rule.scope & scope::figures) != 0) {
      estimate_rejects_.push_back(entry);
    } else if ((rule.scope & scope::price) != 0) {
      price_rejects_.push_back(entry);
    } else {
      card_rejects_.push_back(entry);
    }
  }
  std::stable_sort(remarks_.begin(), remarks_.end(),
                   [](const RuleEntry& a, const RuleEntry& b) { return a.rule->severity < b.rule->severity; });
}

std::vector<Finding> Judge::about_request(const Subject& request) const {
  std::vector<Finding> findings;
  for (const RuleEntry& entry : request_rules_) {
    if (entry.holds_for(request)) {
      findings.push_back(entry.finding(request));
    }
  }
  return findings;
}

void Judge::judge(const Subject& subject, std::vector<Finding>& findings, Effects& effects) const {
  for (const RuleEntry& entry : remarks_) {
    if (!entry.holds_for(subject)) {
      continue;
    }
    findings.push_back(entry.finding(subject));
    if (entry.rule->has_effect) {
      effects[static_cast<std::size_t>(entry.rule->objective)] += entry.rule->delta;
    }
  }
}

const RuleEntry* Judge::first(const std::vector<RuleEntry>& rejects, const Subject& subject) {
  const auto found = std::find_if(rejects.begin(), rejects.end(), [&subject](const RuleEntry& entry) { return entry.holds_for(subject); });
  return found == rejects.end() ? nullptr : &*found;
}

}  // namespace gpuadvise::rules
