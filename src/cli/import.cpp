// gpuadvise import: what a model's own file says, as text or as a data file for --catalog.
#include "import/import.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/record_text.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "report/import_text.hpp"

#include <filesystem>
#include <unistd.h>

namespace gpuadvise::cli {

int run_import(const Arguments& arguments) {
  FlagGroups groups;
  groups.output = true;
  groups.ranking = false;
  groups.data = false;
  groups.positional_least = 1;
  groups.positional_most = 1;
  groups.positional_name = "FILE";
  const CommandLine line = read_command_line(
      "import",
      "What a model's own file says: config.json or its folder, .safetensors or its index, .gguf, .onnx. Only headers are read. With "
      "--format json: a data file for --catalog.",
      groups, arguments);
  const importer::ImportedModel model = importer::import_model(line.positional.front());
  for (const OutputTarget& target : line.output.targets()) {
    if (target.format == Format::json) {
      std::vector<std::string> sources;
      for (const std::string& file : model.files) {
        sources.push_back(std::filesystem::path(file).filename().string());
      }
      write_output(target.path, catalog::model_file_text(model.model, sources));
      for (const Finding& finding : model.findings) {
        write_all(STDERR_FILENO, (finding.severity == Severity::warn ? "warning: " : "note: ") + finding.message + "\n");
      }
    } else if (target.format == Format::table) {
      const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
      write_output(target.path, report::import_text(model, style));
    } else {
      throw Error(ErrorCode::usage, "import prints table or json", "add --format json");
    }
  }
  return 0;
}

}  // namespace gpuadvise::cli
