// Single changes of what is asked for that may admit a rejected card, as settings a user can give.
#pragma once

#include "advise/assess.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

using Settings = std::vector<Setting>;

// A rejection, with the request and the wishes it was judged under.
struct Situation {
  const Rejection& rejection;
  const Request& request;
  const Preferences& preferences;
  const Assessor& assessor;

  [[nodiscard]] bool by_memory() const;
  [[nodiscard]] bool given(WorkloadKey key) const { return request.origins[key] >= Origin::file; }
  // The workload as it was judged first: as requested, in a format that the card has.
  [[nodiscard]] Workload workload() const;
};

// Settings with others in their place: of the same key the change counts.
[[nodiscard]] Settings replaced(std::span<const Setting> settings, std::span<const Setting> changes);

// What a rule's own words set: "--form server", "budget +$120 (--budget 620)". Empty where they set nothing.
[[nodiscard]] Settings settings_in(std::string_view words);

// Changes of budget and machine; only those whose limit is exceeded now, each just as far as needed.
[[nodiscard]] std::vector<Settings> wish_levers(const Situation& situation);
// Changes of the workload, the least intrusive first; numbers are the largest that fit, found on the estimator.
[[nodiscard]] std::vector<Settings> workload_levers(const Situation& situation);

}  // namespace gpuadvise::advise
