// Short reasons for a rank; every number in them is one of the answer's own.
#pragma once

#include <gpuadvise/advice.hpp>

#include <optional>
#include <vector>

namespace gpuadvise::advise {

// What a million units of work cost the way this candidate is got: by its rent, or by purchase and electricity over the years of use.
[[nodiscard]] std::optional<double> paid_per_million(const Recommendation& result);

void give_reasons(std::vector<Recommendation>& results);

}  // namespace gpuadvise::advise
