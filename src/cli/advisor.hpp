// The rules in force and the view of the catalog that ranking reads.
#pragma once

#include <gpuadvise/advice.hpp>

#include "cli/session.hpp"
#include "rules/engine.hpp"
#include "rules/objectives.hpp"

#include <deque>

namespace gpuadvise::cli {

class Advisor {
 public:
  Advisor(const Session& session, const DataWishes& wishes);

  [[nodiscard]] const rules::RuleSet& rules() const { return rules_; }
  // Valid while this object and the preferences live.
  [[nodiscard]] CatalogView view(const Preferences& preferences) const;

 private:
  const Session& session_;
  std::deque<rules::CompiledRules> folder_rules_;
  std::deque<rules::RuleTable> folder_table_;
  rules::CompiledObjectives folder_objectives_;
  const rules::ObjectiveTable* objectives_ = nullptr;
  rules::RuleSet rules_;
};

// Workload and wishes together, so that every fault of both is reported at once.
struct Asked {
  Request request;
  Preferences preferences;
};
[[nodiscard]] Asked read_request(const Session& session, const CommandLine& line);

}  // namespace gpuadvise::cli
