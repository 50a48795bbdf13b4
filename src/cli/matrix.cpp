// gpuadvise matrix: fit and speed over a grid of settings and cards, streamed.
#include "advise/matrix.hpp"

#include <gpuadvise/error.hpp>

#include "advise/preferences.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "report/matrix.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace gpuadvise::cli {
namespace {

constexpr std::size_t k_flush_at = 1UL << 16U;
constexpr std::size_t k_most_rows_of_a_table = 2000;

std::vector<const Gpu*> cards_of(const Session& session, const Preferences& preferences) {
  std::vector<const Gpu*> cards;
  for (const std::string& name : preferences.candidates) {
    for (const Gpu* gpu : session.catalog().find_gpus(name)) {
      if (std::find(cards.begin(), cards.end(), gpu) == cards.end()) {
        cards.push_back(gpu);
      }
    }
  }
  if (cards.empty()) {
    throw Error(ErrorCode::usage, "matrix needs the cards to look at", "add --candidates CARD,...");
  }
  return cards;
}

struct Question {
  const Session& session;
  const CommandLine& line;
  std::vector<advise::Axis> axes;
  std::vector<const Gpu*> cards;
  bool windows = false;

  void visit(const advise::MatrixVisitor& visitor) const {
    advise::visit_matrix(
        axes, line.workload, cards, windows, [this](std::span<const Setting> settings) { return session.resolve(settings); }, visitor);
  }
};

// What decides the exit status.
struct Tally {
  std::size_t cells = 0;
  std::size_t possible = 0;
  std::string first_refusal;

  void add(const advise::Cell& cell) {
    ++cells;
    possible += cell.figures.fit->verdict != Verdict::no ? 1 : 0;
  }
  void add(const advise::Refused& refused) {
    if (first_refusal.empty()) {
      first_refusal = refused.message;
    }
  }
};

// Lines go out as they come: a grid larger than memory can be piped on.
void stream(const Question& question, Format format, Tally& tally) {
  const bool json = format == Format::jsonl || format == Format::json;
  const bool array = format == Format::json;  // lines of jsonl with brackets and commas: still streamed
  const char separator = format == Format::tsv ? '\t' : ',';
  std::string_view before = array ? "[" : "";
  std::string out = json ? "" : report::matrix_header(question.axes, separator);
  const auto flush = [&out](std::size_t at) {
    if (out.size() >= at) {
      write_all(STDOUT_FILENO, out);
      out.clear();
    }
  };
  question.visit({[&](const advise::Cell& cell) {
                    tally.add(cell);
                    out += std::exchange(before, array ? "," : "");
                    json ? report::append_cell_json(out, question.axes, cell)
                         : report::append_cell_separated(out, question.axes, cell, separator);
                    flush(k_flush_at);
                  },
                  [&](const advise::Refused& refused) {
                    tally.add(refused);
                    out += std::exchange(before, array ? "," : "");
                    json ? report::append_refused_json(out, question.axes, refused)
                         : report::append_refused_separated(out, question.axes, refused, separator);
                    flush(k_flush_at);
                  }});
  out += !array ? "" : before == "[" ? "[]\n" : "]\n";
  flush(0);
}

void table(const Question& question, const OutputTarget& target, Tally& tally) {
  report::MatrixTable grid(question.axes, question.cards);
  const auto check_size = [&grid] {
    if (grid.rows() > k_most_rows_of_a_table) {
      throw Error(ErrorCode::usage, "the grid has too many rows for a table", "use --format csv or jsonl");
    }
  };
  question.visit({[&](const advise::Cell& cell) {
                    tally.add(cell);
                    grid.add(cell);
                    check_size();
                  },
                  [&](const advise::Refused& refused) {
                    tally.add(refused);
                    grid.add(refused);
                    check_size();
                  }});
  if (tally.cells == 0) {
    return;  // the caller says why
  }
  const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(question.line.output.colour, STDOUT_FILENO), false};
  write_output(target.path, target.format == Format::markdown ? grid.markdown() : grid.text(style));
}

}  // namespace

int run_matrix(const Arguments& arguments) {
  FlagGroups groups;
  groups.workload = true;
  groups.some_preferences = {"candidates", "os"};
  groups.output = true;
  groups.ranking = false;
  std::vector<std::string> over;
  FlagGroups::Own own{"over", "KEY=LIST", "vary a setting: a..b doubles, a..b..step steps, or a list", false, nullptr};
  own.values = &over;
  groups.own = {own};
  const CommandLine line =
      read_command_line("matrix", "Fit and speed over a grid of settings and cards; --over may be given several times.", groups, arguments);
  if (over.empty()) {
    throw Error(ErrorCode::usage, "matrix needs settings to vary", "add --over batch=1..256");
  }
  const Session session(line.data);
  const Preferences preferences = advise::read_preferences(line.preferences);
  Question question{session, line, {}, cards_of(session, preferences), has_windows_driver(preferences.os)};
  std::transform(over.begin(), over.end(), std::back_inserter(question.axes), advise::parse_axis);
  Tally tally;
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::table || target.format == Format::markdown) {
      table(question, target, tally);
    } else if (target.format != Format::html && target.path == "-") {
      stream(question, target.format, tally);
    } else {
      throw Error(ErrorCode::usage, "matrix streams json, jsonl, csv and tsv to standard output, and prints table and markdown",
                  "use --format csv > FILE");
    }
  }
  if (tally.cells == 0) {
    throw Error(ErrorCode::usage, "no cell of the grid can be: " + tally.first_refusal);
  }
  return tally.possible > 0 ? 0 : 1;
}

}  // namespace gpuadvise::cli
