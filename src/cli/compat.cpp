// gpuadvise compat: does a build of PyTorch run on a card, and which builds do.
#include <gpuadvise/error.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/software_question.hpp"
#include "cli/terminal.hpp"
#include "report/compat_report.hpp"

#include <unistd.h>

namespace gpuadvise::cli {

int run_compat(const Arguments& arguments) {
  SoftwareFlags flags;
  FlagGroups groups;
  groups.output = true;
  groups.ranking = false;
  groups.own = {{"gpu", "CARD,...", "the card, or all cards of one machine", false, &flags.gpu},
                {"torch", "VERSION", "PyTorch release, as 2.8", false, &flags.torch},
                {"cuda", "VERSION", "CUDA version or build, as 12.8, cu128, rocm6.4", false, &flags.cuda},
                {"driver", "VERSION", "driver of the machine, as 535 or 535.104.05", false, &flags.driver},
                {"python", "VERSION", "Python, as 3.12", false, &flags.python},
                {"os", "SYSTEM", "linux (default), linux-aarch64, windows, wsl2, macos", false, &flags.os},
                {"needs", "LIST", "what else must run, as flash-attn,bitsandbytes,fp8", false, &flags.needs}};
  const CommandLine line =
      read_command_line("compat", "Whether a build of PyTorch runs on these cards, and which builds do.", groups, arguments);
  if (!flags.gpu || split_commas(*flags.gpu).empty()) {
    throw Error(ErrorCode::usage, "compat needs a card", "add --gpu CARD, as --gpu rtx-4090");
  }
  const Session session(line.data);
  const software::Question question = read_question(session, flags);
  software::Compatibility answer = software::judge(session.software(), question);
  const auto& laid_over = session.catalog().overlay_notes();
  answer.notes.insert(answer.notes.end(), laid_over.begin(), laid_over.end());
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::json) {
      write_output(target.path, report::compat_json(question, answer, session.catalog().data_version()));
    } else if (target.format == Format::table) {
      const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
      write_output(target.path, report::compat_text(question, answer, style));
    } else {
      throw Error(ErrorCode::usage, "compat prints table or json", "add --format json");
    }
  }
  return answer.verdict == software::Verdict::fails ? 1 : 0;
}

}  // namespace gpuadvise::cli
