// gpuadvise doctor: known faults in a log of any length, with cause, deciding fact and fix.
#include <gpuadvise/error.hpp>

#include "cli/commands.hpp"
#include "cli/doctor_remedies.hpp"
#include "cli/session.hpp"
#include "cli/software_question.hpp"
#include "cli/terminal.hpp"
#include "report/doctor_report.hpp"
#include "software/question.hpp"
#include "units/input_file.hpp"

#include <array>
#include <cstdio>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// In pieces, so that a log of any size takes the same memory.
void scan_file(const std::string& path, software::LogScanner& scanner) {
  const InputFile file = open_input(path);
  const std::string hint = "give the path of a readable file, or - for standard input";
  if (!file) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "'", hint);
  }
  std::array<char, 65536> piece{};
  std::size_t got = 0;
  while ((got = std::fread(piece.data(), 1, piece.size(), file.get())) > 0) {
    scanner.feed({piece.data(), got});
  }
  if (std::ferror(file.get()) != 0) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "' to its end", hint);
  }
  scanner.finish();
}

std::string missing_flags(const std::vector<Setting>& workload, const SeenCard& card) {
  std::string flags;
  if (workload.empty()) {
    flags = "--model, --batch, --precision and whatever else the job says";
  }
  if (card.gpu == nullptr) {
    flags += (flags.empty() ? "" : ", and ") + std::string("--gpu CARD (") + card.how + ")";
  }
  return flags;
}

FlagGroups flags_of_doctor(SoftwareFlags& flags) {
  FlagGroups groups;
  groups.workload = true;
  groups.output = true;
  groups.ranking = false;
  groups.positional_most = 1;
  groups.positional_name = "LOG";
  groups.own = {{"gpu", "CARD,...", "the card of the machine: names the builds that serve it", false, &flags.gpu},
                {"driver", "VERSION", "driver of the machine, where the log does not say", false, &flags.driver},
                {"python", "VERSION", "Python of the machine", false, &flags.python},
                {"os", "SYSTEM", "linux (default), linux-aarch64, windows, wsl2, macos", false, &flags.os}};
  return groups;
}

void print(const CommandLine& line, const software::LogReport& log, const report::PrescribedJob& job, std::string_view data_version) {
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::json) {
      write_output(target.path, report::doctor_json(log, job, data_version));
    } else if (target.format == Format::table) {
      const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
      write_output(target.path, report::doctor_text(log, job, style));
    } else {
      throw Error(ErrorCode::usage, "doctor prints table or json", "add --format json");
    }
  }
}

}  // namespace

int run_doctor(const Arguments& arguments) {
  SoftwareFlags flags;
  const CommandLine line = read_command_line(
      "doctor",
      "Known faults in a log (- or nothing: standard input): cause, deciding fact, fix; with the job's flags, what makes it fit. "
      "Exit status 1 if any.",
      flags_of_doctor(flags), arguments);
  const Session session(line.data);
  software::Question known = read_question(session, flags);
  if (!line.workload.empty()) {
    static_cast<void>(read_request(session, line));  // a fault of the flags is told before a long log is read
  }
  const software::ErrorTable& table = software::known_errors();
  software::LogScanner scanner(table);
  scan_file(line.positional.empty() ? "-" : line.positional.front(), scanner);
  software::LogReport log = software::diagnose(session.software(), scanner, table, known);
  const SeenCard card = card_of_log(session.catalog(), log, flags.gpu);
  if (known.cards.empty() && card.gpu != nullptr) {
    // The card that the log names says which builds serve it.
    known.cards = {software::card_of(*card.gpu, session.software())};
    known.os = flags.os ? known.os : software::default_os(known.cards);
    log = software::diagnose(session.software(), scanner, table, known);
  }
  report::PrescribedJob job;
  std::optional<Advisor> advisor;
  std::optional<Prescription> prescription;
  if (log.out_of_memory()) {
    if (card.gpu != nullptr && !line.workload.empty()) {
      advisor.emplace(session, line.data);
      prescription.emplace(prescribe(session, *advisor, line, log, *card.gpu));
      job.request = &prescription->request;
      job.advice = &prescription->answer.advice;
    }
    job.gpu = card.gpu;
    job.how_found = card.how;
    job.missing = missing_flags(line.workload, card);
  }
  print(line, log, job, session.catalog().data_version());
  return log.found.empty() ? 0 : 1;
}

}  // namespace gpuadvise::cli
