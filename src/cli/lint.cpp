// gpuadvise lint: is a data file well formed and plausible.
#include "catalog/lint.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "rules/compile.hpp"
#include "software/lint.hpp"

#include <unistd.h>

namespace gpuadvise::cli {
namespace {

std::vector<Finding> lint_rules(std::string_view text, std::string_view file) {
  try {
    static_cast<void>(rules::compile_rules({{std::string(file), std::string(text)}}));
    return {};
  } catch (const Error& error) {
    const std::string where = error.where().empty() ? "" : " at " + error.where();
    return {{"rules", Severity::reject, error.message() + where}};
  }
}

}  // namespace

int run_lint(const Arguments& arguments) {
  FlagGroups groups;
  groups.positional_least = 1;
  groups.positional_most = 1000;
  groups.positional_name = "FILE";
  const CommandLine line =
      read_command_line("lint", "Checks data files: GPUs, prices, offers, models, rules, software.", groups, arguments);
  const Session session(line.data);
  std::vector<std::string_view> ids;
  for (const Gpu& gpu : session.catalog().gpus()) {
    ids.push_back(gpu.id);
  }
  std::vector<catalog::LintHook> hooks{{"rules", lint_rules}};
  for (const std::string_view key : software::k_file_keys) {
    hooks.push_back({key, software::lint_software});
  }
  bool usable = true;
  for (const std::string& path : line.positional) {
    const auto findings = catalog::lint_text(catalog::read_text_file(path), path, {ids, hooks});
    for (const Finding& finding : findings) {
      write_all(STDOUT_FILENO,
                printable(path + ": " + std::string(to_string(finding.severity)) + ": " + finding.message + " [" + finding.rule + "]\n"));
      usable = usable && finding.severity != Severity::reject;
    }
    if (findings.empty()) {
      write_all(STDOUT_FILENO, path + ": good\n");
    }
  }
  return usable ? 0 : exit_status(ErrorCode::bad_data);
}

}  // namespace gpuadvise::cli
