// gpuadvise compare: cards side by side for one job.
#include "advise/compare.hpp"

#include <gpuadvise/error.hpp>

#include "cli/advisor.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/compare.hpp"

#include <algorithm>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

constexpr int k_most_cards = 40;

std::vector<const Gpu*> cards_of(const Session& session, const std::vector<std::string>& names) {
  std::vector<const Gpu*> cards;
  for (const std::string& name : names) {
    for (const Gpu* gpu : session.catalog().find_gpus(name)) {
      if (std::find(cards.begin(), cards.end(), gpu) == cards.end()) {
        cards.push_back(gpu);
      }
    }
  }
  if (cards.size() < 2) {
    throw Error(ErrorCode::usage, "compare needs two cards or more", "gpuadvise compare CARD CARD --model ...");
  }
  return cards;
}

}  // namespace

int run_compare(const Arguments& arguments) {
  FlagGroups groups;
  groups.workload = true;
  groups.preferences = true;
  groups.output = true;
  groups.ranking = false;
  groups.positional_least = 1;
  groups.positional_most = k_most_cards;
  groups.positional_name = "GPU";
  const CommandLine line =
      read_command_line("compare", "Cards side by side for one job: figures, ratios as ranges, value, gain.", groups, arguments);
  const Session session(line.data);
  const Advisor advisor(session, line.data);
  const std::vector<const Gpu*> cards = cards_of(session, line.positional);
  const Asked asked = read_request(session, line);
  const advise::Resolver resolve = [&session](std::span<const Setting> settings) { return session.resolve(settings); };
  const advise::Comparison comparison = advise::compare(cards, line.workload, asked.preferences, advisor.view(asked.preferences), resolve);
  for (const OutputTarget& target : line.output.targets()) {
    const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
    if (target.format == Format::json) {
      write_output(target.path, report::compare_json(comparison, session.catalog().data_version()));
    } else if (target.format == Format::table || target.format == Format::markdown) {
      write_output(target.path,
                   target.format == Format::table ? report::compare_text(comparison, style) : report::compare_markdown(comparison));
    } else {
      throw Error(ErrorCode::usage, "compare prints table, markdown or json", "use --format json");
    }
  }
  const bool any = std::any_of(comparison.cards.begin(), comparison.cards.end(),
                               [](const advise::Compared& card) { return card.figures.fit->verdict != Verdict::no || card.ranked; });
  return any ? 0 : 1;
}

}  // namespace gpuadvise::cli
