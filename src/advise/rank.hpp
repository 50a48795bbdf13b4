// Order of the accepted candidates.
#pragma once

#include <gpuadvise/advice.hpp>

#include <vector>

namespace gpuadvise::advise {

// At least as good in every objective and in every plain measure behind them, and better in one.
[[nodiscard]] bool dominates(const Recommendation& a, const Recommendation& b);

// Keeps the best spread of each card and source, sorts by score, price, id, and numbers the ranks.
void rank(std::vector<Recommendation>& results);

// Marks what no other result beats in throughput, price and memory to spare at once.
void mark_pareto(std::vector<Recommendation>& results);

}  // namespace gpuadvise::advise
