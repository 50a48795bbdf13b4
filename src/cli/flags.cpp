#include "cli/flags.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/preferences.hpp"
#include "catalog/near_name.hpp"
#include "cli/configuration.hpp"
#include "cli/flag_table.hpp"
#include "cli/help.hpp"
#include "report/columns.hpp"
#include "workload/parse_value.hpp"
#include "workload/setting_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>

namespace gpuadvise::cli {
namespace {

// What was given for one flag, in order.
struct Given {
  FlagSpec spec;
  std::vector<std::string> values;
};

[[noreturn]] void usage_error(const std::string& message, const std::string& hint) {
  throw Error(ErrorCode::usage, message, hint);
}

// --batch_size=3 and --Batch-Size 3 are --batch-size 3.
std::string normalised(const std::string& argument) {
  if (!argument.starts_with("--")) {
    return argument;
  }
  const auto end = std::min(argument.find('='), argument.size());
  std::string name = argument.substr(0, end);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return name + argument.substr(end);
}

std::string option_names(const FlagSpec& spec) {
  std::string names = "--" + spec.name;
  if (!spec.extra_name.empty()) {
    const bool is_short = spec.extra_name.size() == 2 && spec.extra_name.front() == '-';
    names += "," + (is_short ? std::string(spec.extra_name) : "--" + workload::flag_name(spec.extra_name));
  }
  return names;
}

void add_flag(CLI::App& app, Given& given) {
  if (!given.spec.is_switch) {
    app.add_option(option_names(given.spec), given.values)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return;
  }
  app.add_flag_callback("--" + given.spec.name + (given.spec.extra_name.empty() ? "" : "," + std::string(given.spec.extra_name)),
                        [&given] { given.values.emplace_back("true"); });
  const bool negatable = given.spec.group == FlagGroup::workload || given.spec.group == FlagGroup::preferences;
  if (negatable) {
    app.add_flag_callback("--no-" + given.spec.name, [&given] { given.values.emplace_back("false"); });
  }
}

std::vector<Given> flags_taken(const FlagGroups& groups) {
  std::vector<Given> taken;
  const auto add = [&](bool wanted, FlagGroup group) {
    if (wanted) {
      for (FlagSpec& spec : flags_of(group)) {
        // One card is for commands that ask for it; the order of a ranking for those that print one.
        if (spec.key != "gpu" && (groups.ranking || !spec.of_ranking)) {
          taken.push_back({std::move(spec), {}});
        }
      }
    }
  };
  add(groups.workload, FlagGroup::workload);
  add(groups.preferences, FlagGroup::preferences);
  for (FlagSpec& spec : flags_of(FlagGroup::preferences)) {
    const auto& some = groups.some_preferences;
    if (std::find(some.begin(), some.end(), spec.key) != some.end()) {
      taken.push_back({std::move(spec), {}});
    }
  }
  add(groups.output, FlagGroup::output);
  add(groups.data, FlagGroup::data);
  return taken;
}

std::string near_flags(const std::string& argument, const std::vector<Given>& flags, std::string_view command) {
  std::vector<std::string_view> names;
  names.reserve(flags.size());
  for (const Given& given : flags) {
    names.push_back(given.spec.name);
  }
  const std::string name = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
  const auto near = catalog::near_names(name.substr(0, name.find('=')), names, 1);
  const std::string see = "see gpuadvise " + std::string(command.empty() ? "" : std::string(command) + " ") + "--help";
  return near.empty() ? see : "did you mean '--" + std::string(near.front()) + "'? (" + see + ")";
}

// The library's own words name its classes; the flag and the reason are all a user needs.
std::string cleaned(std::string message) {
  for (const std::string_view noise : {"TEXT", "[", "]", " ..."}) {
    for (auto at = message.find(noise); at != std::string::npos; at = message.find(noise)) {
      message.erase(at, noise.size());
    }
  }
  return message;
}

// --compile=off is --no-compile; the library would read any text as one of the two.
std::string switch_of(const std::string& argument, const std::vector<Given>& flags) {
  const auto equals = argument.find('=');
  if (!argument.starts_with("--") || equals == std::string::npos) {
    return argument;
  }
  const std::string name = argument.substr(2, equals - 2);
  const std::string value = argument.substr(equals + 1);
  for (const Given& given : flags) {
    if (!given.spec.is_switch || (given.spec.name != name && std::string("no-").append(given.spec.name) != name)) {
      continue;
    }
    const bool negatable = given.spec.group == FlagGroup::workload || given.spec.group == FlagGroup::preferences;
    if (!negatable || name != given.spec.name) {
      usage_error(std::string("--").append(name).append(" takes no value, and '").append(value).append("' is given"), "write --" + name);
    }
    const auto wanted = workload::to_boolean(Value(value));
    if (!wanted) {
      usage_error(std::string("--").append(name).append(" '").append(value).append("' is neither true nor false"),
                  "one of true, false, on, off, 1, 0");
    }
    return (*wanted ? "--" : "--no-") + name;
  }
  return argument;
}

// The command's own switches are no rows of the table.
void check_own_switch(const std::string& argument, const FlagGroups& groups) {
  for (const FlagGroups::Own& own : groups.own) {
    if (own.value.empty() && argument.starts_with("--" + std::string(own.name) + "=")) {
      usage_error("--" + std::string(own.name) + " takes no value, and '" + argument.substr(own.name.size() + 3) + "' is given",
                  "write --" + std::string(own.name));
    }
  }
}

void parse(CLI::App& app, const std::vector<Given>& flags, std::string_view command, const FlagGroups& groups,
           const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed;
  for (const std::string& argument : arguments) {
    reversed.push_back(switch_of(normalised(argument), flags));
    check_own_switch(reversed.back(), groups);
  }
  std::reverse(reversed.begin(), reversed.end());
  const std::vector<std::string> in_order(reversed.rbegin(), reversed.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& error) {
    // The value of an option that is not known counts as an argument too many.
    for (const std::string& argument : in_order) {
      if (argument.starts_with("--") && argument.size() > 2 && app.get_option_no_throw(argument.substr(0, argument.find('='))) == nullptr) {
        usage_error("unknown option '" + argument + "'", near_flags(argument, flags, command));
      }
    }
    for (const FlagGroups::Own& own : groups.own) {
      const std::string name = "--" + std::string(own.name);
      const auto times = std::count_if(in_order.begin(), in_order.end(),
                                       [&name](const std::string& given) { return given == name || given.starts_with(name + "="); });
      if (times > 1 && own.values == nullptr) {
        usage_error(name + " was given " + std::to_string(times) + " times", "give it once");
      }
    }
    const std::string message = error.what();
    const std::string flag = message.substr(0, message.find_first_of(": "));
    usage_error(flag.starts_with('-') ? flag + " needs a value" : "more arguments than one " + flag, near_flags("", {}, command));
  } catch (const CLI::ParseError& error) {
    usage_error(cleaned(error.what()), near_flags("", {}, command));
  }
  const auto extras = app.remaining();
  if (!extras.empty()) {
    const bool is_flag = extras.front().size() > 1 && extras.front().front() == '-';
    usage_error((is_flag ? "unknown option '" : "unexpected argument '") + extras.front() + "'",
                is_flag ? near_flags(extras.front(), flags, command)
                        : (command.empty() ? "the bare form takes flags only; " : "") + near_flags("", {}, command));
  }
}

const std::string& single(const Given& given) {
  if (given.values.size() > 1) {
    usage_error("--" + given.spec.name + " was given " + std::to_string(given.values.size()) + " times", "give it once");
  }
  return given.values.front();
}

Format format_of(const std::string& text) {
  if (const auto format = parse_format(text)) {
    return *format;
  }
  usage_error("unknown format '" + text + "'", "one of table, json, jsonl, csv, tsv, markdown, html");
}

void check_column(const std::string& key) {
  if (report::find_column(key) != nullptr) {
    return;
  }
  std::string known;
  for (const report::Column& column : report::columns()) {
    known += (known.empty() ? "" : ", ") + std::string(column.key);
  }
  usage_error("unknown column '" + key + "'", "one of " + known);
}

using Readers = std::map<std::string_view, void (*)(const Given&, CommandLine&)>;

const Readers& output_readers() {
  static const Readers readers{
      {"format", [](const Given& g, CommandLine& line) { line.output.format = format_of(single(g)); }},
      {"output", [](const Given& g, CommandLine& line) { line.output.outputs = g.values; }},
      {"limit",
       [](const Given& g, CommandLine& line) {
         const auto limit = parse_number(single(g));
         if (!limit || *limit < 1 || *limit > 100000 || *limit != std::trunc(*limit)) {
           usage_error("--limit '" + single(g) + "' is not a count", "give a whole number from 1 to 100000");
         }
         line.output.limit = static_cast<int>(*limit);
       }},
      {"sort",
       [](const Given& g, CommandLine& line) {
         check_column(single(g));
         line.output.sort = single(g);
       }},
      {"columns",
       [](const Given& g, CommandLine& line) {
         line.output.columns = split_list(single(g));
         if (line.output.columns.empty()) {
           usage_error("--columns '" + single(g) + "' names no column", "as --columns gpu,throughput,price_usd");
         }
         std::for_each(line.output.columns.begin(), line.output.columns.end(), check_column);
       }},
      {"color",
       [](const Given& g, CommandLine& line) {
         static const std::map<std::string_view, ColourWish> wishes{
             {"auto", ColourWish::automatic}, {"always", ColourWish::always}, {"never", ColourWish::never}};
         const auto found = wishes.find(single(g));
         if (found == wishes.end()) {
           usage_error("unknown --color '" + single(g) + "'", "one of auto, always, never");
         }
         line.output.colour = found->second;
       }},
      {"verbose", [](const Given&, CommandLine& line) { line.output.verbose = true; }},
      {"quiet", [](const Given&, CommandLine& line) { line.output.quiet = true; }},
      {"catalog",
       [](const Given& g, CommandLine& line) {
         line.data.sources.overlays.insert(line.data.sources.overlays.end(), g.values.begin(), g.values.end());
       }},
      {"prices",
       [](const Given& g, CommandLine& line) {
         line.data.sources.overlays.insert(line.data.sources.overlays.end(), g.values.begin(), g.values.end());
       }},
      {"rules", [](const Given& g, CommandLine& line) { line.data.rule_files = g.values; }},
      {"data-dir", [](const Given& g, CommandLine& line) { line.data.sources.data_dir = single(g); }},
      {"no-user-data", [](const Given&, CommandLine& line) { line.data.user_data = false; }},
  };
  return readers;
}

void collect(const std::vector<Given>& flags, CommandLine& line) {
  for (const Given& given : flags) {
    if (given.values.empty()) {
      continue;
    }
    if (given.spec.group == FlagGroup::workload || given.spec.group == FlagGroup::preferences) {
      auto& settings = given.spec.group == FlagGroup::workload ? line.workload : line.preferences;
      settings.push_back({given.spec.key, Value(single(given)), Origin::user});
    } else if (const auto reader = output_readers().find(given.spec.name); reader != output_readers().end()) {
      reader->second(given, line);
    }
  }
}

// Settings in force that no flag gave. Commands read theirs once; an error that is found later asks for the place.
std::vector<Configured>& settings_in_force() {
  static std::vector<Configured> settings;
  return settings;
}

// A switch that a setting turns off is as good as not given.
bool turns_on(const FlagSpec& spec, const Configured& item) {
  const bool negatable = spec.group == FlagGroup::workload || spec.group == FlagGroup::preferences;
  if (!spec.is_switch || negatable) {
    return true;
  }
  const auto wanted = workload::to_boolean(Value(item.value));
  if (!wanted) {
    throw Error(ErrorCode::usage, item.flag + " '" + item.value + "' is neither true nor false", "one of true, false, on, off, 1, 0",
                item.where);
  }
  return *wanted;
}

// Environment and configuration file fill what no flag gave.
void add_configured(std::vector<Given>& flags, const std::optional<std::string>& command_line_config) {
  std::map<std::string, Configured> configured;
  for (const Configured& item : read_configuration(command_line_config)) {
    // Other programs' variables may share the prefix; a settings file is ours alone, and a slip in it would be silent.
    if (!item.where.starts_with("environment") && !is_known_flag(item.flag)) {
      throw Error(ErrorCode::bad_data, "unknown setting '" + item.flag + "'", near_flags(item.flag, flags, ""), item.where);
    }
    configured.insert_or_assign(item.flag, item);  // the environment comes last, and wins
  }
  for (Given& given : flags) {
    const auto found = configured.find(given.spec.name);
    if (found != configured.end() && given.values.empty() && turns_on(given.spec, found->second)) {
      given.values.push_back(found->second.value);
      settings_in_force().push_back(found->second);
    }
  }
}

}  // namespace

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    if (end > start) {
      items.push_back(text.substr(start, end - start));
    }
    start = end + 1;
  }
  return items;
}

std::optional<Format> parse_format(std::string_view text) {
  static const std::map<std::string_view, Format> formats{{"table", Format::table}, {"json", Format::json},  {"jsonl", Format::jsonl},
                                                          {"csv", Format::csv},     {"tsv", Format::tsv},    {"markdown", Format::markdown},
                                                          {"md", Format::markdown}, {"html", Format::html},  {"htm", Format::html},
                                                          {"txt", Format::table},   {"text", Format::table}, {"plain", Format::tsv}};
  const auto found = formats.find(text);
  return found == formats.end() ? std::nullopt : std::optional<Format>(found->second);
}

std::vector<OutputTarget> OutputWishes::targets() const {
  if (outputs.empty()) {
    return {{"-", format.value_or(Format::table)}};
  }
  std::vector<OutputTarget> targets;
  for (const std::string& path : outputs) {
    const auto dot = path.rfind('.');
    const auto by_suffix = dot == std::string::npos || path == "-" ? std::nullopt : parse_format(path.substr(dot + 1));
    targets.push_back({path, format ? *format : by_suffix.value_or(Format::table)});
  }
  return targets;
}

std::string place_of_setting(std::string_view message) {
  for (const Configured& item : settings_in_force()) {
    const std::string value = "'" + item.value.substr(0, 40);  // long values are cut where they are quoted
    if (!item.value.empty() && message.find(value) != std::string_view::npos) {
      return item.where;
    }
  }
  return {};
}

CommandLine read_command_line(std::string_view command, std::string_view summary, const FlagGroups& groups,
                              const std::vector<std::string>& arguments) {
  std::vector<Given> flags = flags_taken(groups);
  const auto asks_help = [](const std::string& a) { return a == "-h" || a == "--help"; };
  if (std::any_of(arguments.begin(), arguments.end(), asks_help)) {
    throw HelpAsked{command_help(command, summary, groups)};
  }
  CommandLine line;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (Given& given : flags) {
    add_flag(app, given);
  }
  std::deque<std::vector<std::string>> own_values;
  for (const FlagGroups::Own& own : groups.own) {
    auto& values = own_values.emplace_back();
    auto* option = app.add_option("--" + std::string(own.name), values);
    option->expected(own.value.empty() ? 0 : (own.value_optional ? 0 : 1), own.value.empty() ? 0 : 1);
    option->each([](const std::string&) {});
    if (own.values != nullptr) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  if (groups.positional_most > 0) {
    app.add_option(std::string(groups.positional_name), line.positional)->expected(0, groups.positional_most);
  }
  parse(app, flags, command, groups, arguments);
  for (std::size_t i = 0; i < groups.own.size(); ++i) {
    const auto* option = app.get_option("--" + std::string(groups.own[i].name));
    if (groups.own[i].values != nullptr) {
      *groups.own[i].values = own_values[i];
    } else if (option->count() > 0) {
      *groups.own[i].target = own_values[i].empty() ? std::string() : own_values[i].front();
    }
  }
  if (static_cast<int>(line.positional.size()) < groups.positional_least) {
    usage_error("missing argument " + std::string(groups.positional_name), near_flags("", {}, command));
  }
  const auto settings = std::find_if(flags.begin(), flags.end(), [](const Given& given) { return given.spec.name == "settings"; });
  const bool own_file = settings != flags.end() && !settings->values.empty();
  add_configured(flags, own_file ? std::optional<std::string>(single(*settings)) : std::nullopt);
  collect(flags, line);
  return line;
}

}  // namespace gpuadvise::cli
