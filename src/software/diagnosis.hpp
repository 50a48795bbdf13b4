// What a scanned log tells: the faults in the order of their weight, each with what the versions and the card add to it.
#pragma once

#include "software/compat.hpp"
#include "software/error_patterns.hpp"
#include "software/oom.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::software {

struct Diagnosis {
  const KnownError* error = nullptr;
  Sighting seen;
  std::vector<std::string> for_this_case;  // what the numbers in the log decide: builds, drivers
};

struct LogReport {
  std::size_t lines = 0;
  std::vector<Diagnosis> found;                            // in the order of their first lines
  std::vector<std::pair<std::string, std::string>> facts;  // torch, driver, python as the log gives them
  std::optional<MemoryPicture> memory;
  std::vector<std::string> cards;  // as the log names them, in its order

  [[nodiscard]] bool out_of_memory() const;
};

// What may be the names of cards in lines of a log: "NVIDIA GeForce RTX 3090" of "using device CUDA0 (NVIDIA GeForce RTX 3090) - ...".
[[nodiscard]] std::vector<std::string> card_names(const std::vector<std::string>& lines);

// The question holds what the user knows of the machine: the card, the driver, the system. Cards may be none.
[[nodiscard]] LogReport diagnose(const Facts& facts, const LogScanner& scan, const ErrorTable& table, const Question& known);

}  // namespace gpuadvise::software
