// gpuadvise config: which settings come from the environment and the settings file, and which of them no flag knows.
#include <gpuadvise/error.hpp>

#include "cli/commands.hpp"
#include "cli/configuration.hpp"
#include "cli/flag_table.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "report/grid.hpp"
#include "report/json_writer.hpp"

#include <algorithm>
#include <map>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// What is in force for each flag: the later entry wins, as when a command line is read.
std::vector<Configured> in_force(const std::optional<std::string>& settings_file) {
  std::map<std::string, Configured> by_flag;
  for (Configured& item : read_configuration(settings_file)) {
    by_flag.insert_or_assign(item.flag, std::move(item));
  }
  std::vector<Configured> rows;
  rows.reserve(by_flag.size());
  for (auto& [flag, item] : by_flag) {
    rows.push_back(std::move(item));
  }
  return rows;
}

std::string as_table(const std::vector<Configured>& rows) {
  report::Grid grid;
  grid.columns = {{"flag", report::Align::left}, {"value", report::Align::left}, {"from", report::Align::left}};
  for (const Configured& item : rows) {
    grid.rows.push_back({{{"--" + item.flag, report::Tone::plain},
                          {item.value, report::Tone::plain},
                          {item.where + (is_known_flag(item.flag) ? "" : " (no such flag)"), report::Tone::plain}}});
  }
  return render_grid(grid, {});
}

std::string as_json(const std::vector<Configured>& rows) {
  std::string out;
  report::JsonWriter json(out, report::JsonWriter::Style::indented);
  json.begin_array();
  for (const Configured& item : rows) {
    json.begin_object();
    json.field("flag", item.flag);
    json.field("value", item.value);
    json.field("origin", item.where);
    json.field("known", is_known_flag(item.flag));
    json.end_object();
  }
  json.end_array();
  return out + "\n";
}

}  // namespace

int run_config(const Arguments& arguments) {
  std::optional<std::string> format;
  std::optional<std::string> path;
  std::optional<std::string> show_origin;  // always shown; accepted because scripts write it
  std::optional<std::string> settings;
  FlagGroups groups;
  groups.data = false;
  groups.own = {{"format", "FORMAT", "table, json", false, &format},
                {"path", "", "only print where the user's settings file is looked for", false, &path},
                {"show-origin", "", "say where each value comes from (always done)", false, &show_origin},
                {"settings", "FILE", "this file in place of the user's own", false, &settings}};
  static_cast<void>(read_command_line("config", "Settings that come from the environment and the settings file.", groups, arguments));
  if (path) {
    const std::string own = user_configuration_path();
    write_all(STDOUT_FILENO, own.empty() ? "" : own + "\n");
    return own.empty() ? 1 : 0;
  }
  const std::vector<Configured> rows = in_force(settings);
  const std::string wanted = format.value_or("table");
  if (wanted == "json") {
    write_all(STDOUT_FILENO, as_json(rows));
  } else if (wanted != "table") {
    throw Error(ErrorCode::usage, "config does not print '" + wanted + "'", "one of table, json");
  } else if (rows.empty()) {
    write_all(STDOUT_FILENO, "no settings besides the defaults\n(gpuadvise config --path: where a file of them is looked for)\n");
  } else {
    write_all(STDOUT_FILENO, as_table(rows));
  }
  return 0;
}

}  // namespace gpuadvise::cli
