// The cards, versions and system that compat, setup and doctor are asked about.
#pragma once

#include "cli/session.hpp"
#include "software/compat.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::cli {

// As given on the command line; empty = not given.
struct SoftwareFlags {
  std::optional<std::string> gpu;
  std::optional<std::string> torch;
  std::optional<std::string> cuda;
  std::optional<std::string> driver;
  std::optional<std::string> python;
  std::optional<std::string> os;
  std::optional<std::string> needs;
};

// Throws Error{usage, invalid_value, unknown_gpu, ambiguous_gpu} naming the flag.
[[nodiscard]] software::Question read_question(const Session& session, const SoftwareFlags& flags);
[[nodiscard]] std::vector<std::string> split_commas(const std::string& text);

}  // namespace gpuadvise::cli
