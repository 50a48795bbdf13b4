// gpuadvise solve: the largest batch, sequence, image ... or the least number of GPUs with which a job fits a card.
#include "advise/solve.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "report/solve.hpp"

#include <unistd.h>

namespace gpuadvise::cli {
namespace {

constexpr double k_least_probability = 0.5;
constexpr double k_greatest_probability = 0.999;

double probability_of(const std::optional<std::string>& text) {
  if (!text) {
    return advise::SolveQuestion{}.probability;
  }
  const auto number = parse_number(*text);
  if (!number || *number < k_least_probability || *number > k_greatest_probability) {
    throw Error(ErrorCode::usage, "--probability '" + *text + "' is not a probability from 0.5 to 0.999", "0.95 is what 'fits' means");
  }
  return *number;
}

advise::SolveFor what_of(const CommandLine& line) {
  const auto what = advise::parse_solve_for(line.positional.front());
  if (!what) {
    throw Error(ErrorCode::usage, "cannot solve for '" + line.positional.front() + "'",
                "one of batch, seq, image, gpus, lora_rank, concurrency");
  }
  return *what;
}

}  // namespace

int run_solve(const Arguments& arguments) {
  std::optional<std::string> probability;
  std::optional<std::string> round;
  FlagGroups groups;
  groups.workload = true;
  groups.some_preferences = {"gpu"};
  groups.output = true;
  groups.ranking = false;
  groups.positional_least = 1;
  groups.positional_most = 1;
  groups.positional_name = "WHAT";
  groups.own = {{"probability", "P", "how sure the fit must be, 0.5 to 0.999 [0.95]", false, &probability},
                {"round", {}, "round to what people use: multiples of 8, powers of two", false, &round}};
  const CommandLine line = read_command_line(
      "solve", "The largest batch, seq, image, lora_rank or concurrency, or the least gpus, that fits a card.", groups, arguments);
  const advise::SolveQuestion question{what_of(line), probability_of(probability), round.has_value()};
  const Session session(line.data);
  const Gpu& gpu = card_of(session, line, "solve");
  const advise::Solution solution = advise::solve(question, line.workload, gpu, estimate::default_use(gpu, false),
                                                  [&session](std::span<const Setting> settings) { return session.resolve(settings); });
  const report::Solved answer{question, solution, gpu, session.catalog().data_version()};
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::json) {
      write_output(target.path, report::solve_json(answer));
    } else if (target.format == Format::table) {
      write_output(target.path, report::solve_text(answer, {terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO),
                                                            line.output.verbose}));
    } else {
      throw Error(ErrorCode::usage, "solve prints table or json", "use --format json");
    }
  }
  return solution.best ? 0 : 1;
}

}  // namespace gpuadvise::cli
