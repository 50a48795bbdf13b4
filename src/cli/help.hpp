// Texts of help: the first screen, one command's flags, topics.
#pragma once

#include "cli/flags.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::cli {

// Twelve lines at most, for who gave no arguments.
[[nodiscard]] std::string first_screen();
[[nodiscard]] std::string command_help(std::string_view command, std::string_view summary, const FlagGroups& groups);
// exit-codes, environment, units, json, method ...; throws Error{usage} with the known topics.
[[nodiscard]] std::string topic_help(std::string_view topic);

}  // namespace gpuadvise::cli
