#include "cli/help.hpp"

#include <gpuadvise/error.hpp>

#include "cli/commands.hpp"
#include "cli/flag_table.hpp"
#include "cli/terminal.hpp"
#include "report/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

constexpr std::size_t k_help_column = 30;
constexpr int k_help_width = 80;

// Text that starts in a column, on lines of at most 80 characters.
std::string folded(std::string_view text, std::size_t column) {
  std::string lines = report::wrap(text, k_help_width, std::string(column, ' '));
  lines.erase(0, column);  // the first line goes on where it stands
  while (!lines.empty() && lines.back() == '\n') {
    lines.pop_back();
  }
  return lines;
}

// One flag on a line where it fits, else the text on the next line.
std::string flag_line(const FlagSpec& flag) {
  const bool is_short = flag.extra_name.size() == 2;
  std::string names = (is_short ? std::string(flag.extra_name) + ", " : "") + "--" + flag.name;
  if (!flag.value.empty()) {
    names += " " + std::string(flag.value);
  }
  std::string line = "  " + names;
  line += line.size() + 2 > k_help_column ? "\n" + std::string(k_help_column, ' ') : std::string(k_help_column - line.size(), ' ');
  return line + folded(flag.help, k_help_column) + "\n";
}

std::string flag_section(FlagGroup group, const FlagGroups& groups) {
  std::string text;
  std::string_view heading;
  for (const FlagSpec& flag : flags_of(group)) {
    const bool taken = (groups.ranking || !flag.of_ranking) && (flag.key != "gpu" || group != FlagGroup::preferences);
    if (!taken) {
      continue;
    }
    if (flag.heading != heading) {
      heading = flag.heading;
      text += fmt::format("\n{}:\n", heading);
    }
    text += flag_line(flag);
  }
  return text;
}

struct Topic {
  std::string_view name;
  std::string_view text;
};

constexpr auto k_topics = std::to_array<Topic>({
    {"exit-codes",
     "0   a recommendation or an answer was given\n"
     "1   the request is valid but nothing fits; the nearest misses are printed\n"
     "2   the command line or a value in it is wrong\n"
     "3   a data or input file is bad\n"
     "4   the machine could not be read\n"
     "70  a fault of this program\n"
     "A closed pipe ends the program silently.\n"},
    {"environment",
     "GPUADVISE_<FLAG>      a flag's value, e.g. GPUADVISE_BUDGET=500; flags win\n"
     "GPUADVISE_DATA_DIR    a folder in place of the built-in data\n"
     "XDG_CONFIG_HOME       gpuadvise/config.toml below it holds settings\n"
     "XDG_DATA_HOME         gpuadvise/*.json below it is laid over the data\n"
     "NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM, COLUMNS   as usual\n"
     "Order: flags, environment, --settings or the user's file, defaults.\n"},
    {"units",
     "GiB is 2^30 bytes and GB is 10^9 bytes; memory is printed in GiB.\n"
     "A size may be 24, 24G, 24GiB (GiB) or 24GB. Prices are US dollars for all\n"
     "GPUs of a candidate. Speed is of the whole job: images/s, samples/s,\n"
     "tokens/s, it/s. TFLOPS are dense, never with sparsity.\n"},
    {"method",
     "Memory: tensors are counted by operator and layer, then the allocator, the\n"
     "runtime and communication are added. need = 1.06 x allocated + runtime; a\n"
     "card fits when the need is at most what it can offer with 95 % certainty,\n"
     "tight from 50 %. Speed: compute and memory traffic add up, the host sets a\n"
     "floor, communication comes on top. Intervals hold 90 % of measurements.\n"},
    {"several-gpus",
     "--gpus is for each node, --nodes how many. Where --strategy is left open,\n"
     "recommend and check try every way to divide the job that the program or\n"
     "engine offers, and name the best with the runner-up; explain CARD lists all.\n"
     "estimate keeps to the usual: ddp (fsdp where one GPU cannot hold the job),\n"
     "tp for servers, layer-split for others. ddp keeps a copy on each GPU, zero1,\n"
     "zero2 and fsdp shard it, tp divides matrices, pp and layer-split layers.\n"
     "--network-gbit-s is the link of a node; without it 400 Gbit/s a GPU for SXM\n"
     "and OAM boards and 100 Gbit/s a node for others are assumed. --nvlink-bridge\n"
     "joins pairs of PCIe cards that have the connector. Cards of several kinds in\n"
     "--have are judged as one machine too. matrix --over gpus=1..8 shows scaling.\n"},
    {"json",
     "recommend --format json: schema_version, tool, request (each value with its\n"
     "origin), results, rejected, remedies, findings, assumptions.\n"
     "estimate --jsonl reads one request a line and writes one answer a line.\n"
     "Units are in the names, null is unknown, numbers are never strings. The\n"
     "JSON Schemas are in the data folder under schema/.\n"},
    {"formats",
     "--format table, json, jsonl, csv, tsv, markdown, html; --output FILE takes\n"
     "the format from the suffix. Data files: {\"schema\": 1, \"gpus\": [...]}, or\n"
     "prices, offers, models, rules; of software torch_releases, toolkits,\n"
     "branches, rocm_wheels, libraries as in data/software. --catalog FILE lays\n"
     "one over the data, gpuadvise lint FILE checks one.\n"},
});

}  // namespace

int run_help(const Arguments& arguments) {
  if (arguments.empty()) {
    return run_recommend({"--help"});
  }
  if (arguments.size() > 1) {
    throw Error(ErrorCode::usage, "unexpected argument '" + arguments[1] + "'", "help takes one topic or command");
  }
  for (const Command& command : commands()) {
    if (command.name == arguments.front() && command.run != run_help) {
      return command.run({"--help"});
    }
  }
  write_all(STDOUT_FILENO, topic_help(arguments.front()));
  return 0;
}

std::string first_screen() {
  return "gpuadvise tells which GPU to buy or rent for a deep-learning job, and why.\n"
         "\n"
         "  gpuadvise --model resnet50 --batch 32 --budget 500\n"
         "  gpuadvise --model llama-3.1-8b --task infer --precision int4-awq --budget 900\n"
         "\n"
         "  --model NAME      what to run (gpuadvise list models)\n"
         "  --batch N         samples per GPU in one step\n"
         "  --precision TYPE  fp32, amp-fp16, bf16, int4-awq, gguf:Q4_K_M ...\n"
         "  --budget USD      for all GPUs together\n"
         "  --candidates LIST only these cards\n"
         "See gpuadvise --help.\n";
}

std::string command_help(std::string_view command, std::string_view summary, const FlagGroups& groups) {
  std::string text = folded(summary, 0) + "\n\nusage: gpuadvise " + std::string(command) + (command.empty() ? "" : " ") + "[FLAGS]";
  if (groups.positional_most > 0) {
    text += " " + std::string(groups.positional_name);
  }
  text += "\n";
  if (command.empty() || command == "recommend") {
    text += "\nexample: gpuadvise --model resnet50 --batch 32 --budget 500\n\nCommands (gpuadvise COMMAND --help):\n";
    for (const Command& other : commands()) {
      text += fmt::format("  {:<12}{}\n", other.name, folded(other.summary, 14));
    }
  }
  for (const FlagGroups::Own& own : groups.own) {
    text += &own == groups.own.data() ? "\nOf this command:\n" : "";
    text += flag_line({std::string(own.name), {}, own.value, own.help, FlagGroup::output, {}, false, false, {}});
  }
  const auto add = [&](bool wanted, FlagGroup group) { text += wanted ? flag_section(group, groups) : ""; };
  add(groups.workload, FlagGroup::workload);
  add(groups.preferences, FlagGroup::preferences);
  for (const FlagSpec& flag : flags_of(FlagGroup::preferences)) {
    const auto& some = groups.some_preferences;
    if (std::find(some.begin(), some.end(), flag.key) != some.end()) {
      text += (flag.key == some.front() ? "\nCards:\n" : "") + flag_line(flag);
    }
  }
  add(groups.output, FlagGroup::output);
  add(groups.data, FlagGroup::data);
  return text + "\nOther:\n" + flag_line({"help", {}, {}, "this text", FlagGroup::output, {}, true, false, "-h"}) +
         flag_line({"version", {}, {}, "version of program and data", FlagGroup::output, {}, true, false, {}}) +
         "\nTopics: gpuadvise help exit-codes | environment | json | units | method |\n        several-gpus | formats\n";
}

std::string topic_help(std::string_view topic) {
  std::string known;
  for (const Topic& candidate : k_topics) {
    if (candidate.name == topic) {
      return std::string(candidate.text);
    }
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw Error(ErrorCode::usage, "no help on '" + std::string(topic) + "'", "topics: " + known);
}

}  // namespace gpuadvise::cli
