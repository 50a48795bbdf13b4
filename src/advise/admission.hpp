// What would have to change for a rejected candidate to be accepted: found by judging it again under each change.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/assess.hpp"
#include "advise/candidates.hpp"
#include "advise/levers.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuadvise::advise {

class Admission {
 public:
  // All must outlive this object.
  Admission(const Request& request, const Preferences& preferences, const CatalogView& catalog, const AdviceOptions& options,
            const Assessor& assessor);

  // Sets the rejection's change and smallest_change: one setting where one admits the card, else the fewest that were found to; those
  // that need no more cards than were asked for first. A
  // thorough search also tries changes of the workload in pairs.
  void name_change(Rejection& rejection, bool named, bool thorough);

 private:
  // What was asked for with some settings changed, and who judges by it.
  struct Trial {
    Settings settings;
    std::optional<Request> changed_request;
    Preferences preferences;
    std::optional<Assessor> assessor;
    bool names_candidates = false;

    [[nodiscard]] bool sets(std::string_view key) const;
  };
  struct Candidate {
    const Gpu* gpu = nullptr;
    Sourcing source = Sourcing::buy;
    bool named = false;
  };
  struct Outcome {
    double cards = 0.0;     // the fewest it is accepted over
    bool accepted = false;  // with no more cards than its settings name
    Settings over;          // what names the cards, where it is accepted only over more of them
    std::optional<Rejection> rejection;
  };
  struct OverMore {
    std::optional<Settings> settings;
    double cards = 0.0;
    bool cuts = false;  // a smaller job: more cards are the lesser change
  };
  // nullptr where the settings contradict each other or mean nothing.
  [[nodiscard]] Trial* trial_of(const Settings& settings);
  [[nodiscard]] std::unique_ptr<Trial> read(const Settings& settings) const;
  [[nodiscard]] Outcome judge(Trial& trial, const Candidate& candidate);
  [[nodiscard]] std::vector<Settings> levers(const Rejection& rejection, const Trial* trial) const;
  // The fewest settings on top of `base` that admit; nullopt where no path of at most `depth` changes does. `over_more` keeps those
  // that admit over more cards than were asked for, over the fewest.
  [[nodiscard]] std::optional<Settings> search(const Rejection& rejection, const Settings& base, const Candidate& candidate, int depth,
                                               bool thorough, OverMore& over_more);
  // Whether the trial admits over more cards than were asked for; keeps it where it does so over the fewest so far.
  [[nodiscard]] bool admits_over_more(const Trial& trial, const Outcome& outcome, const Candidate& candidate, OverMore& over_more);
  [[nodiscard]] Settings without_needless(Settings settings, const Candidate& candidate);
  [[nodiscard]] std::string words_of(const Settings& settings, const Rejection& rejection) const;
  [[nodiscard]] std::string words_without_change(const Rejection& rejection, const Candidate& candidate);

  const Request& request_;
  const Preferences& preferences_;
  const CatalogView& catalog_;
  const AdviceOptions& options_;
  const Assessor& assessor_;
  std::map<std::string, std::unique_ptr<Trial>> trials_;
};

}  // namespace gpuadvise::advise
