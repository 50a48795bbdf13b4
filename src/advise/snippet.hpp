// A remedy as code and commands of the program that runs the job, with the remedy's own numbers.
#pragma once

#include <gpuadvise/advice.hpp>

#include <string>

namespace gpuadvise::advise {

// Blocks fenced with their language ("```python"); empty where there is nothing to write, as for a card to buy.
[[nodiscard]] std::string snippet(const Request& request, const Remedy& remedy);

}  // namespace gpuadvise::advise
