// The commands that install a build in an environment of its own, the driver step, and what to switch on for the card.
#pragma once

#include "software/compat.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::software {

enum class Manager { pip, uv, conda };
[[nodiscard]] std::optional<Manager> parse_manager(std::string_view text);

struct InstallPlan {
  std::string torch;  // exact: "2.7.1"
  std::string torchvision;
  std::string torchaudio;
  std::string python;                    // "3.12"
  std::vector<std::string> driver;       // lines; commands and sentences
  std::vector<std::string> environment;  // commands
  std::vector<std::string> install;      // commands
  std::vector<std::string> settings;     // lines for the shell that the build needs
  std::vector<std::string> tuning;       // lines, each a setting and its reason
  std::vector<std::string> notes;
};

// The choice is that of a compatibility answer.
[[nodiscard]] InstallPlan plan_install(const Facts& facts, const Question& question, const Choice& choice, Manager manager);

// A Python program of 13 checks; its exit status is the number of the first that fails, 0 when none does.
[[nodiscard]] std::string verify_script(const Question& question, const Choice& choice, const InstallPlan& plan);

}  // namespace gpuadvise::software
