// What became of the cards that were asked about by name.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/admission.hpp"

#include <vector>

namespace gpuadvise::advise {

// The cards the names may mean, each once; throws Error unknown_gpu with near names.
[[nodiscard]] std::vector<const Gpu*> cards_asked_about(const AdviceOptions& options, const CatalogView& catalog);

// One entry for each result or rejection of these cards; of a card that was never in question what left it out, and what would have
// become of it.
[[nodiscard]] std::vector<WhyNot> explain_absence(const std::vector<const Gpu*>& cards, const Advice& advice,
                                                  const Preferences& preferences, const CatalogView& catalog, Assessor& assessor,
                                                  Admission& admission);

}  // namespace gpuadvise::advise
