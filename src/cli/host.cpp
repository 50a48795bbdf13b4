// gpuadvise host: the GPUs of this machine, or of a saved output of a vendor's tool.
#include "report/host.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"
#include "cli/commands.hpp"
#include "cli/own_machine.hpp"
#include "cli/terminal.hpp"
#include "host/lines.hpp"
#include "host/probe.hpp"

#include <unistd.h>

namespace gpuadvise::cli {

int run_host(const Arguments& arguments) {
  std::vector<std::string> from;
  std::optional<std::string> raw;
  FlagGroups groups;
  groups.output = true;
  groups.ranking = false;
  groups.own = {{"from", "FILE", "read a saved output of a tool (- is stdin); several are of one machine", false, nullptr, &from},
                {"raw", {}, "print what the tools print, for a report", false, &raw}};
  const CommandLine line = read_command_line("host", "The GPUs of this machine, or of a tool's saved output.", groups, arguments);
  if (raw) {
    if (line.output.format || !line.output.outputs.empty()) {
      throw Error(ErrorCode::conflict, "--raw prints what the tools print; --format and --output have no effect with it",
                  "leave them out, and redirect: > FILE");
    }
    std::string text;
    for (const std::string& path : from) {
      text += host::plain_text(catalog::read_text_file(path));
    }
    write_all(STDOUT_FILENO, from.empty() ? host::raw_outputs([](const auto& command) { return host::run_tool(command); }) : text);
    return 0;
  }
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format != Format::json && target.format != Format::table) {
      throw Error(ErrorCode::usage, "host prints table or json", "use --format json");
    }
  }
  const Session session(line.data);
  const host::Machine machine = own_machine(from, session.catalog());
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::json) {
      write_output(target.path, report::host_json(machine, session.catalog().data_version()));
      continue;
    }
    const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
    write_output(target.path, report::host_text(machine, style));
  }
  return 0;
}

}  // namespace gpuadvise::cli
