// Presets of constraints and weights by kind of buyer; each setting gives way to the user's own.
#pragma once

#include <gpuadvise/preferences.hpp>

#include <string>
#include <string_view>

namespace gpuadvise::advise {

// The shown word of a tier for an older or longer one ("entry" is student); other words as they are.
[[nodiscard]] std::string_view tier_word(std::string_view word);

// Fills in what the user left open, with origin preset.
void apply_tier(Preferences& preferences);

// "tier student sets prefer value, form desktop, budget 350, segment consumer"; empty without a tier.
[[nodiscard]] std::string tier_text(const Preferences& preferences);

}  // namespace gpuadvise::advise
