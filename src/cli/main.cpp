#include "cli/main.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/version.hpp>

#include "catalog/builtin.hpp"
#include "catalog/near_name.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/help.hpp"
#include "cli/terminal.hpp"
#include "report/style.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <span>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// What a message quotes came from outside: a file, or another program's output pasted into a flag.
std::string error_text(const Error& error, const report::TextStyle& style) {
  constexpr std::size_t longest = 4000;  // a quoted value may be a megabyte
  const std::string message =
      printable(std::string_view(error.message()).substr(0, longest)) + (error.message().size() > longest ? "..." : "");
  std::string text = report::paint(style, report::Tone::bad, "error:") + " " + message + "\n";
  const std::string where = error.where().empty() ? place_of_setting(error.message()) : error.where();
  if (!where.empty()) {
    text += "  at " + printable(where) + "\n";
  }
  if (!error.hint().empty()) {
    text += "help:  " + printable(error.hint()) + "\n";
  }
  return text;
}

int run_command(const Arguments& arguments) {
  if (arguments.empty()) {
    write_all(STDERR_FILENO, first_screen());
    return exit_status(ErrorCode::usage);
  }
  const std::string& first = arguments.front();
  if (first == "--version") {
    write_all(STDOUT_FILENO, "gpuadvise " + std::string(k_version) + " (data " + std::string(catalog::builtin_data_version()) + ")\n");
    return 0;
  }
  if (first.starts_with('-')) {
    return run_recommend(arguments);
  }
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (command.name == first) {
      return command.run({arguments.begin() + 1, arguments.end()});
    }
    names.push_back(command.name);
  }
  const auto near = catalog::near_names(first, names, 1);
  throw Error(ErrorCode::usage, "unknown command '" + first + "'",
              (near.empty() ? "" : "did you mean '" + std::string(near.front()) + "'? ") + "see gpuadvise --help");
}

// "solve " where the first argument is a command.
std::string command_name(std::span<char*> given) {
  const std::string_view first = given.size() > 1 ? given[1] : "";
  const auto known = commands();
  const bool is_command = std::any_of(known.begin(), known.end(), [first](const Command& command) { return command.name == first; });
  return is_command ? std::string(first) + " " : std::string();
}

int answer(const Arguments& arguments) {
  try {
    return run_command(arguments);
  } catch (const HelpAsked& help) {
    write_all(STDOUT_FILENO, help.text);
    return 0;
  }
}

}  // namespace

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const report::TextStyle style{terminal_width(STDERR_FILENO), wants_colour(ColourWish::automatic, STDERR_FILENO), false};
  const std::span<char*> given(argv, static_cast<std::size_t>(argc));
  const std::string mend = "mend the file, or leave it out";
  const std::string see = "see gpuadvise " + command_name(given) + "--help";
  try {
    return answer({given.begin() + (given.empty() ? 0 : 1), given.end()});
  } catch (const Error& error) {
    const bool of_file = exit_status(error.code()) == exit_status(ErrorCode::bad_data);
    const bool needs_hint = error.hint().empty() && (of_file || exit_status(error.code()) == exit_status(ErrorCode::usage));
    const std::string hint = error.code() == ErrorCode::unreadable ? "give the path of a readable file" : of_file ? mend : see;
    write_all(STDERR_FILENO, error_text(needs_hint ? Error(error.code(), error.message(), hint, error.where()) : error, style));
    return exit_status(error.code());
  } catch (const std::exception& error) {
    const Error internal(ErrorCode::internal, std::string("a fault of this program: ") + error.what(),
                         "please report the command line that led here");
    write_all(STDERR_FILENO, error_text(internal, style));
    return exit_status(internal.code());
  }
}

}  // namespace gpuadvise::cli
