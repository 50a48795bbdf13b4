// gpuadvise [recommend]: ranked cards for a workload. gpuadvise check: does it fit on these cards.
#include "report/recommend.hpp"

#include <gpuadvise/error.hpp>

#include "advise/levers.hpp"
#include "cli/advisor.hpp"
#include "cli/commands.hpp"
#include "cli/machine_advice.hpp"
#include "cli/own_machine.hpp"
#include "cli/terminal.hpp"

#include <algorithm>
#include <functional>
#include <unistd.h>
#include <utility>

namespace gpuadvise::cli {
namespace {

constexpr std::size_t k_shown_in_a_table = 10;

bool of_machine(const Finding& finding) {
  return finding.rule == "own-machine" || finding.rule == "own-machine-runs" || finding.rule == "add-a-twin" ||
         finding.rule == "replacement";
}

// Above the ranking what is said of the machine at hand, and below it the rest.
std::string text_for_people(const report::Recommended& answer, const report::View& view, const report::TextStyle& style) {
  if (std::none_of(answer.advice.findings.begin(), answer.advice.findings.end(), of_machine)) {
    return report::recommend_text(answer, view, style);
  }
  std::string text;
  Advice rest = answer.advice;
  for (const Finding& finding : answer.advice.findings) {
    text += of_machine(finding) ? report::wrap(finding.message, style.width, finding.rule == "own-machine" ? "" : "  ") : std::string();
  }
  std::erase_if(rest.findings, of_machine);
  return text + "\n" + report::recommend_text({answer.request, answer.preferences, rest, answer.data_version}, view, style);
}

std::string render(const report::Recommended& answer, const OutputWishes& wishes, const OutputTarget& target) {
  report::View view;
  view.sort = wishes.sort;
  view.column_keys = wishes.columns;
  const bool for_people = target.format == Format::table || target.format == Format::markdown || target.format == Format::html;
  view.limit = wishes.limit ? static_cast<std::size_t>(*wishes.limit) : (for_people ? k_shown_in_a_table : answer.advice.results.size());
  switch (target.format) {
    case Format::json:
      return report::recommend_json(answer, view);
    case Format::jsonl:
      return report::recommend_jsonl(answer, view);
    case Format::csv:
      return report::recommend_separated(answer, view, ',');
    case Format::tsv:
      return report::recommend_separated(answer, view, '\t');
    case Format::markdown:
      return report::recommend_markdown(answer, view);
    case Format::html:
      return report::recommend_html(answer, view);
    case Format::table:
      break;
  }
  const int stream = STDOUT_FILENO;
  const bool to_terminal = target.path == "-";
  return text_for_people(answer, view,
                         {to_terminal ? terminal_width(stream) : 120, to_terminal && wants_colour(wishes.colour, stream), wishes.verbose});
}

void refuse_pointless(const OutputWishes& wishes) {
  if (wishes.quiet && (wishes.format || !wishes.columns.empty() || wishes.limit)) {
    throw Error(ErrorCode::conflict, "--quiet prints only the winner's id; --format, --columns and --limit have no effect with it",
                "leave one of them out");
  }
  const bool whole = wishes.format == Format::json || wishes.format == Format::jsonl;
  if (whole && !wishes.columns.empty()) {
    throw Error(ErrorCode::conflict, "--columns has no effect on json", "use --format csv or table");
  }
}

bool writes(const OutputWishes& wishes, std::initializer_list<Format> formats) {
  const std::vector<OutputTarget> targets = wishes.targets();
  return std::any_of(targets.begin(), targets.end(), [formats](const OutputTarget& target) {
    return std::find(formats.begin(), formats.end(), target.format) != formats.end();
  });
}

// Prints an answer; the exit status says whether anything fits.
int show(const CommandLine& line, const Session& session, const Asked& asked, Advice advice) {
  const auto& notes = session.catalog().overlay_notes();
  advice.assumptions.insert(advice.assumptions.end(), notes.begin(), notes.end());
  for (const std::string& path : line.data.rule_files) {
    advice.assumptions.push_back("rules of " + path + " are in force");
  }
  const int status = advice.results.empty() ? 1 : 0;
  if (status != 0 && (line.output.quiet || !writes(line.output, {Format::table, Format::json, Format::markdown, Format::html}))) {
    write_all(STDERR_FILENO, "note: nothing fits; --format table or json says why\n");
  }
  if (line.output.quiet) {
    for (const OutputTarget& target : line.output.targets()) {
      write_output(target.path, advice.results.empty() ? "" : std::string(advice.results.front().gpu->id) + "\n");
    }
    return status;
  }
  const report::Recommended all{asked.request, asked.preferences, advice, session.catalog().data_version()};
  for (const OutputTarget& target : line.output.targets()) {
    write_output(target.path, render(all, line.output, target));
  }
  return status;
}

// The flags of remedies, which recommend and check share.
struct RemedyFlags {
  std::optional<std::string> snippets;
  std::optional<std::string> shorter_input;

  void add_to(FlagGroups& groups) {
    groups.own.push_back({"snippets", {}, "each remedy as code and commands for its framework", false, &snippets});
    groups.own.push_back({"allow-shorter-input", {}, "a shorter sequence or smaller image is a remedy too", false, &shorter_input});
  }
  void put_into(AdviceOptions& options) const {
    options.snippets = snippets.has_value();
    options.shorter_input = shorter_input.has_value();
  }
};

void refuse_pointless_snippets(const CommandLine& line) {
  if (line.output.quiet || !writes(line.output, {Format::table, Format::json})) {
    throw Error(ErrorCode::conflict, "--snippets has no effect on this output: it holds no remedies", "use --format table or json");
  }
}

void refuse_pointless_why_not(const CommandLine& line) {
  if (line.output.quiet || !writes(line.output, {Format::table, Format::json})) {
    throw Error(ErrorCode::conflict, "--why-not has no effect on this output: it holds ranked cards only", "use --format table or json");
  }
}

// Looked for and not there: said, instead of an answer that looks as if nobody had looked.
void tell_missing_remedies(Advice& advice, const AdviceOptions& options) {
  const auto say = [&advice](std::string rule, std::string words) {
    advice.findings.push_back({std::move(rule), Severity::warn, std::move(words)});
  };
  const bool asked = options.force_remedies || options.snippets;
  const bool by_memory = std::any_of(advice.rejected.begin(), advice.rejected.end(), [](const Rejection& rejection) {
    return rejection.rule == "does-not-fit" || rejection.rule == "ddp-does-not-pool" || rejection.rule == "tight-is-no";
  });
  if (advice.remedies.empty() && advice.results.empty()) {
    if (by_memory || asked) {
      say("no-remedies", "no remedy that is known here makes this job fit");
    }
  } else if (advice.remedies.empty() && asked) {
    say("no-remedies",
        std::string("the job fits as it is: there is nothing to change") + (options.snippets ? ", and no snippet to show" : ""));
  } else if (options.snippets &&
             std::all_of(advice.remedies.begin(), advice.remedies.end(), [](const Remedy& remedy) { return remedy.snippet.empty(); })) {
    say("no-snippets", "these remedies need no code: there are no snippets to show");
  }
}

// The request with other settings in place of its own, read as every request is.
std::function<Request(std::span<const Setting>)> reader_of(const Session& session, const CommandLine& line) {
  return [&session, &line](std::span<const Setting> changes) { return session.resolve(advise::replaced(line.workload, changes)); };
}

// The cards at hand: their ids take the place of "host"; afterwards the advice says what they run and what to add.
struct AtHand {
  host::Machine machine;
  OwnMachine cards;
};

std::optional<AtHand> read_at_hand(const Session& session, const std::vector<std::string>& from, Preferences& preferences) {
  if (!names_host(preferences.have)) {
    if (!from.empty()) {
      throw Error(ErrorCode::usage, "--from has no effect without --have host", "add --have host");
    }
    return std::nullopt;
  }
  AtHand at_hand;
  at_hand.machine = own_machine(from, session.catalog());
  at_hand.cards = own_cards(at_hand.machine);
  preferences.have = with_host_cards(preferences.have, at_hand.machine);
  return at_hand;
}

int answer(const CommandLine& line, AdviceOptions options, const std::vector<std::string>& from = {}) {
  refuse_pointless(line.output);
  if (options.snippets) {
    refuse_pointless_snippets(line);
  }
  if (!options.why_not.empty()) {
    refuse_pointless_why_not(line);
  }
  const Session session(line.data);
  const Advisor advisor(session, line.data);
  Asked asked = read_request(session, line);
  const std::optional<AtHand> at_hand = read_at_hand(session, from, asked.preferences);
  options.with_settings = reader_of(session, line);
  options.every_change = writes(line.output, {Format::json});
  Advice advice = recommend(asked.request, asked.preferences, advisor.view(asked.preferences), options);
  tell_missing_remedies(advice, options);
  if (at_hand) {
    const OwnAnswer own = check_machine(at_hand->cards, session, advisor, line, asked);
    std::vector<Finding> findings = advise_machine(at_hand->machine, own, advice);
    advice.findings.insert(advice.findings.begin(), findings.begin(), findings.end());
  }
  return show(line, session, asked, std::move(advice));
}

// What the machine's own cards run, with the memory that is free on them.
int answer_for_host(const CommandLine& line, const std::vector<std::string>& from, const AdviceOptions& options) {
  refuse_pointless(line.output);
  if (options.snippets) {
    refuse_pointless_snippets(line);
  }
  const Session session(line.data);
  const Advisor advisor(session, line.data);
  Asked asked = read_request(session, line);
  if (!asked.preferences.have.empty()) {
    throw Error(ErrorCode::conflict, "--have has no effect with --host: it looks at the machine's cards alone", "leave one of them out");
  }
  if (asked.preferences.source != Sourcing::buy) {
    throw Error(ErrorCode::conflict, "--source has no effect with --host: the machine's cards are there", "leave one of them out");
  }
  const host::Machine machine = own_machine(from, session.catalog());
  const OwnMachine cards = own_cards(machine);
  const std::string versions = use_versions_of(machine, session, asked.preferences);
  OwnAnswer own = check_machine(cards, session, advisor, line, asked, options);
  tell_missing_remedies(own.advice, options);
  if (!versions.empty()) {
    own.advice.assumptions.push_back(versions);
  }
  return show(line, session, asked, std::move(own.advice));
}

// A flag may be given several times, and hold a list each time.
std::vector<std::string> split_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (std::string& name : split_list(list)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

FlagGroups all_groups() {
  FlagGroups groups;
  groups.workload = true;
  groups.preferences = true;
  groups.output = true;
  return groups;
}

}  // namespace

int run_recommend(const Arguments& arguments) {
  FlagGroups groups = all_groups();
  std::optional<std::string> remedies;
  std::vector<std::string> why_not;
  std::vector<std::string> from;
  groups.own = {{"from", "FILE", "with --have host: a tool's saved output in place of this machine", false, nullptr, &from},
                {"remedies", {}, "look for changes even where cards fit", false, &remedies},
                {"why-not", "CARD,..", "why these cards are not first, in full", false, nullptr, &why_not}};
  RemedyFlags flags;
  flags.add_to(groups);
  const CommandLine line = read_command_line("", "Which GPUs run a deep-learning job, ranked, with reasons.", groups, arguments);
  AdviceOptions options;
  options.force_remedies = remedies.has_value();
  options.why_not = split_names(why_not);
  if (!why_not.empty() && options.why_not.empty()) {
    throw Error(ErrorCode::usage, "--why-not names no card", "for example --why-not rtx-3080");
  }
  flags.put_into(options);
  return answer(line, std::move(options), from);
}

int run_check(const Arguments& arguments) {
  FlagGroups groups = all_groups();
  std::optional<std::string> host;
  std::vector<std::string> from;
  groups.own = {{"host", {}, "look at this machine's own cards and their free memory", false, &host},
                {"from", "FILE", "with --host: a tool's saved output in place of this machine", false, nullptr, &from}};
  RemedyFlags flags;
  flags.add_to(groups);
  const CommandLine line = read_command_line(
      "check", "Whether a job fits on the cards of --candidates, or of --host; exit status 1 if on none.", groups, arguments);
  const bool named = std::any_of(line.preferences.begin(), line.preferences.end(), [](const Setting& s) { return s.key == "candidates"; });
  if (named && host) {
    throw Error(ErrorCode::conflict, "--host and --candidates both name the cards to look at", "leave one of them out");
  }
  if (!from.empty() && !host) {
    throw Error(ErrorCode::usage, "--from has no effect without --host", "add --host");
  }
  AdviceOptions options;
  flags.put_into(options);
  if (host) {
    return answer_for_host(line, from, options);
  }
  if (!named) {
    throw Error(ErrorCode::usage, "check needs the cards to look at", "add --candidates CARD,... or --host");
  }
  return answer(line, std::move(options));
}

}  // namespace gpuadvise::cli
