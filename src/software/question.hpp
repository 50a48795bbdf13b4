// The versions of a question as people write them, checked against what is known.
#pragma once

#include "software/builds.hpp"

#include <span>
#include <string>
#include <vector>

namespace gpuadvise::software {

// As given; empty = not given.
struct VersionTexts {
  std::string torch;   // "2.8"
  std::string cuda;    // "12.8", "cu128", "rocm6.4", "xpu"
  std::string driver;  // "535.104.05", "31.0.15.5222" as Windows shows it
  std::string python;  // "3.12"

  [[nodiscard]] bool any() const { return !torch.empty() || !cuda.empty() || !driver.empty() || !python.empty(); }
};

struct VersionFault {
  std::string key;  // "torch"
  std::string message;
  std::string hint;
};

// Fills the versions of the question; every text that names nothing known is a fault.
[[nodiscard]] std::vector<VersionFault> read_versions(const Facts& facts, const VersionTexts& texts, Question& question);

// Versions that exclude each other on any card: a release that has no such build, or no wheel for that Python.
[[nodiscard]] std::vector<VersionFault> contradictions(const Facts& facts, const Question& question);

// The system that cards imply where none is named.
[[nodiscard]] Os default_os(std::span<const Card> cards);
// Linux beside an Arm processor is another set of wheels.
[[nodiscard]] Os os_for(Os asked, std::span<const Card> cards);

}  // namespace gpuadvise::software
