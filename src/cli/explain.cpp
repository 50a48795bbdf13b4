// gpuadvise explain: where the figures of one card come from, and what moves them.
#include "advise/explain.hpp"

#include <gpuadvise/error.hpp>

#include "cli/advisor.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/explain.hpp"

#include <unistd.h>

namespace gpuadvise::cli {

int run_explain(const Arguments& arguments) {
  FlagGroups groups;
  groups.workload = true;
  groups.preferences = true;
  groups.output = true;
  groups.ranking = false;
  groups.positional_least = 1;
  groups.positional_most = 1;
  groups.positional_name = "GPU";
  const CommandLine line = read_command_line(
      "explain", "Each term of memory, speed and score of one card with its formula and basis; what moves them.", groups, arguments);
  const Session session(line.data);
  const Advisor advisor(session, line.data);
  const Gpu& gpu = session.catalog().find_gpu(line.positional.front());
  const Asked asked = read_request(session, line);
  const advise::Resolver resolve = [&session](std::span<const Setting> settings) { return session.resolve(settings); };
  const advise::Explanation explanation = advise::explain(gpu, line.workload, asked.preferences, advisor.view(asked.preferences), resolve);
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::json) {
      write_output(target.path, report::explain_json(explanation, session.catalog().data_version()));
    } else if (target.format == Format::table) {
      write_output(target.path, report::explain_text(explanation, {terminal_width(STDOUT_FILENO),
                                                                   wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose}));
    } else {
      throw Error(ErrorCode::usage, "explain prints table or json", "use --format json");
    }
  }
  return 0;
}

}  // namespace gpuadvise::cli
