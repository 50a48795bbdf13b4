// Whether a need fits a card, and how sure that is.
#pragma once

#include <gpuadvise/figures.hpp>

namespace gpuadvise::estimate {

// Below this chance the job certainly does not fit: even the low end of the 90 % interval is more than what is usable.
inline constexpr double k_certainly_not = 0.05;

// Probability that a quantity with the given 90 % interval is at most `limit`: a lognormal whose two halves have their
// 5 % and 95 % points at low and high.
[[nodiscard]] double probability_at_most(const Interval& quantity, double limit);

// Contract section 3: fits from 95 %, tight from 50 %, no below. A steady need above the usable memory never fits.
[[nodiscard]] Fit fit(const MemoryFigures& memory, double visible, double usable);

}  // namespace gpuadvise::estimate
