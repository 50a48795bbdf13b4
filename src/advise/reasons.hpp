// Short reasons for a rank; every number in them is one of the answer's own.
#pragma once

#include <gpuadvise/advice.hpp>

#include <vector>

namespace gpuadvise::advise {

void give_reasons(std::vector<Recommendation>& results);

}  // namespace gpuadvise::advise
