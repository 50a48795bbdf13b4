// gpuadvise setup: the commands that install PyTorch for a card, and the program that checks the result.
#include <gpuadvise/error.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/software_question.hpp"
#include "cli/terminal.hpp"
#include "report/compat_report.hpp"
#include "report/setup_report.hpp"

#include <algorithm>
#include <cctype>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

software::Manager manager_of(const std::optional<std::string>& text) {
  const auto manager = software::parse_manager(text.value_or("pip"));
  if (!manager) {
    throw Error(ErrorCode::invalid_value, "unknown --manager '" + *text + "'", "one of pip, uv, conda");
  }
  return *manager;
}

// Versions that were asked are not exchanged for others; another driver is a step of the setup itself.
bool can_install(const software::Question& question, const software::Compatibility& answer) {
  if (answer.verdict != software::Verdict::fails) {
    return true;
  }
  const bool open = !question.torch && question.build.empty() && question.needs.empty();
  return answer.install && answer.obstacle == "driver" && open;
}

// The same question once more, as it can be pasted into a shell.
std::string verify_command(const Arguments& arguments) {
  std::string command = "gpuadvise setup";
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && std::all_of(argument.begin(), argument.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view("-_.,=/+:").find(static_cast<char>(c)) != std::string_view::npos;
    });
    std::string quoted = argument;
    for (auto at = quoted.find('\''); at != std::string::npos; at = quoted.find('\'', at + 4)) {
      quoted.replace(at, 1, "'\\''");
    }
    command += plain ? " " + argument : " '" + quoted + "'";
  }
  return command + " --verify-script";
}

void check_formats(const OutputWishes& wishes, bool script) {
  if (script && wishes.format) {
    throw Error(ErrorCode::conflict, "--verify-script prints a Python program; --format has no effect with it", "leave one of them out");
  }
  for (const OutputTarget& target : wishes.targets()) {
    if (!script && target.format != Format::json && target.format != Format::table) {
      throw Error(ErrorCode::usage, "setup prints table or json", "add --format json");
    }
  }
}

}  // namespace

int run_setup(const Arguments& arguments) {
  SoftwareFlags flags;
  std::optional<std::string> manager_text;
  std::optional<std::string> verify;
  FlagGroups groups;
  groups.output = true;
  groups.ranking = false;
  groups.own = {{"gpu", "CARD,...", "the card, or all cards of one machine", false, &flags.gpu},
                {"torch", "VERSION", "PyTorch release; the newest that serves the card when not given", false, &flags.torch},
                {"cuda", "VERSION", "CUDA version or build, as 12.8, cu128, rocm6.4", false, &flags.cuda},
                {"driver", "VERSION", "driver of the machine, as 535", false, &flags.driver},
                {"python", "VERSION", "Python, as 3.12", false, &flags.python},
                {"os", "SYSTEM", "linux (default), linux-aarch64, windows, wsl2, macos", false, &flags.os},
                {"needs", "LIST", "what else must run, as flash-attn,bitsandbytes", false, &flags.needs},
                {"manager", "NAME", "pip (default), uv, conda", false, &manager_text},
                {"verify-script", "", "print the Python program that checks the installation", false, &verify}};
  const CommandLine line =
      read_command_line("setup", "How to install PyTorch for a card, in an environment of its own.", groups, arguments);
  if (!flags.gpu || split_commas(*flags.gpu).empty()) {
    throw Error(ErrorCode::usage, "setup needs a card", "add --gpu CARD, as --gpu rtx-4090");
  }
  const software::Manager manager = manager_of(manager_text);
  check_formats(line.output, verify.has_value());
  const Session session(line.data);
  const software::Question question = read_question(session, flags);
  const software::Compatibility answer = software::judge(session.software(), question);
  const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
  if (!can_install(question, answer)) {
    for (const OutputTarget& target : line.output.targets()) {
      write_output(target.path, target.format == Format::json ? report::compat_json(question, answer, session.catalog().data_version())
                                                              : report::compat_text(question, answer, style));
    }
    return 1;
  }
  software::InstallPlan plan = software::plan_install(session.software(), question, *answer.install, manager);
  const auto& laid_over = session.catalog().overlay_notes();
  plan.notes.insert(plan.notes.end(), laid_over.begin(), laid_over.end());
  for (const OutputTarget& target : line.output.targets()) {
    if (verify) {
      write_output(target.path, software::verify_script(question, *answer.install, plan));
    } else if (target.format == Format::json) {
      write_output(target.path, report::setup_json({question, answer, plan, verify_command(arguments)}, session.catalog().data_version()));
    } else {
      write_output(target.path, report::setup_text({question, answer, plan, verify_command(arguments)}, style));
    }
  }
  return 0;
}

}  // namespace gpuadvise::cli
