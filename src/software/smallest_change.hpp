// The fewest versions to change so that a build of PyTorch runs on the cards.
#pragma once

#include "software/builds.hpp"

#include <string>
#include <vector>

namespace gpuadvise::software {

struct VersionChange {
  std::string key;  // torch, cuda, driver, python, os
  std::string value;
};

// Only versions that the question gives are changed. Empty: it works as asked, or no change makes it work.
[[nodiscard]] std::vector<VersionChange> smallest_change(const Facts& facts, const Question& question);

}  // namespace gpuadvise::software
