// Runs a tool without a shell: a fixed list of arguments, a time limit, a limit on what it may print.
#pragma once

#include <string>
#include <vector>

namespace gpuadvise::host {

struct ToolLimits {
  double seconds = 5.0;
  std::size_t bytes = std::size_t{8} << 20U;
};

struct ToolOutput {
  enum class Ending { exited, missing, timed_out, too_long, killed };
  Ending ending = Ending::missing;
  int status = 0;    // exit status of one that exited
  std::string text;  // standard output

  [[nodiscard]] bool good() const { return ending == Ending::exited && status == 0 && !text.empty(); }
};

// The first argument is looked up in PATH, where it has no slash. Standard input and standard error are empty.
[[nodiscard]] ToolOutput run_tool(const std::vector<std::string>& arguments, ToolLimits limits = {});

// "not found", "no answer within 5 s", "ended with status 9" ...
[[nodiscard]] std::string describe(const ToolOutput& output, ToolLimits limits = {});

}  // namespace gpuadvise::host
