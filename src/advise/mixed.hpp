// A machine that holds cards of several kinds: one job over all of them.
#pragma once

#include <gpuadvise/advice.hpp>

#include <string>
#include <vector>

namespace gpuadvise::advise {

// The cards of the user's machine, where they are of two kinds or more, every name means one card, and the request leaves them
// free: bought cards are in question, no other number of GPUs, and no list that leaves one out. Else empty.
[[nodiscard]] std::vector<const Gpu*> machine_in_question(const Request& request, const Preferences& preferences,
                                                          const CatalogView& catalog);

// One job over such cards. Equal parts run at the pace of the slowest card and with the memory of the smallest; layers are dealt out
// by memory, and the cards work one after the other.
[[nodiscard]] Figures mixed_figures(const Workload& workload, const Model& model, const std::vector<const Gpu*>& cards, bool windows);

// "2x rtx-3090 + rtx-3060-12gb".
[[nodiscard]] std::string mixed_words(const std::vector<const Gpu*>& cards);

}  // namespace gpuadvise::advise
