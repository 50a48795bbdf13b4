// Flags of the command line, built from the key tables: a key added there is a flag here.
#pragma once

#include <gpuadvise/workload.hpp>

#include "catalog/catalog.hpp"
#include "cli/terminal.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::cli {

enum class Format { table, json, jsonl, csv, tsv, markdown, html };
[[nodiscard]] std::optional<Format> parse_format(std::string_view text);

struct OutputTarget {
  std::string path;  // "-" = standard output
  Format format = Format::table;
};

struct OutputWishes {
  std::optional<Format> format;
  std::vector<std::string> outputs;
  ColourWish colour = ColourWish::automatic;
  bool verbose = false;
  bool quiet = false;
  bool timing = false;
  std::optional<int> limit;
  std::string sort;
  std::vector<std::string> columns;

  // Where to write and in which format: --format, else by the file's suffix, else a table.
  [[nodiscard]] std::vector<OutputTarget> targets() const;
};

struct DataWishes {
  catalog::Sources sources;
  std::vector<std::string> rule_files;
  bool user_data = true;
};

// What a command line said, by kind.
struct CommandLine {
  std::vector<Setting> workload;
  std::vector<Setting> preferences;
  OutputWishes output;
  DataWishes data;
  std::vector<std::string> positional;
};

// Which groups of flags a command takes; a flag of another group is refused.
struct FlagGroups {
  bool workload = false;
  bool preferences = false;
  std::vector<std::string_view> some_preferences;  // with preferences false: only these keys
  bool output = false;
  bool ranking = true;  // with output: a list of cards, so --limit, --sort, --columns and --quiet mean something
  bool data = true;
  int positional_least = 0;
  int positional_most = 0;
  std::string_view positional_name;
  // The command's own flags.
  struct Own {
    std::string_view name;   // "jsonl"
    std::string_view value;  // "FILE"; empty for a switch
    std::string_view help;
    bool value_optional = false;
    std::optional<std::string>* target = nullptr;
    std::vector<std::string>* values = nullptr;  // in place of target, where the flag may be given several times
  };
  std::vector<Own> own;
};

// "a,b" -> a, b; empty items are none.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

// Thrown when --help or -h was asked: the text to print.
struct HelpAsked {
  std::string text;
};

// Reads the arguments after the command's name, then the environment (GPUADVISE_<FLAG>) and the configuration file for
// what the flags left open. Throws Error{usage} naming the argument, HelpAsked.
[[nodiscard]] CommandLine read_command_line(std::string_view command, std::string_view summary, const FlagGroups& groups,
                                            const std::vector<std::string>& arguments);

// Where the value came from that the message quotes, if it came from the environment or a settings file: nobody looks there first.
[[nodiscard]] std::string place_of_setting(std::string_view message);

}  // namespace gpuadvise::cli
