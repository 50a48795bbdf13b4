// gpuadvise show: every fact of a card or a model as the data file has it, with sources and doubts.
#include <gpuadvise/error.hpp>

#include "catalog/record_text.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "model/named.hpp"
#include "report/json_writer.hpp"

#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// The card's prices belong to what a buyer wants to see of it.
std::string prices_json(const catalog::Catalog& catalog, std::string_view gpu_id) {
  std::string out;
  report::JsonWriter json(out, report::JsonWriter::Style::indented);
  json.begin_array();
  for (const Price& price : catalog.prices(gpu_id)) {
    json.begin_object();
    json.field("usd", price.usd);
    json.field("kind", catalog::price_kind_name(price.kind));
    json.field("as_of", price.as_of);
    json.field("source", price.source);
    json.end_object();
  }
  json.end_array();
  return out;
}

std::string show_gpu(const Session& session, const Gpu& gpu) {
  return "{\"gpu\": " + catalog::gpu_record_text(session.catalog(), gpu) + ",\n\"prices\": " + prices_json(session.catalog(), gpu.id) +
         "}\n";
}

}  // namespace

int run_show(const Arguments& arguments) {
  FlagGroups groups;
  groups.positional_least = 1;
  groups.positional_most = 1;
  groups.positional_name = "ID";
  const CommandLine line = read_command_line("show", "All facts of one card or model, with their sources, as JSON.", groups, arguments);
  const Session session(line.data);
  const std::string& id = line.positional.front();
  if (const auto found = session.catalog().find_model(id); found && found->exact) {
    write_all(STDOUT_FILENO, "{\"model\": " + catalog::model_record_text(session.catalog(), found->model) + "}\n");
    return 0;
  }
  try {
    write_all(STDOUT_FILENO, show_gpu(session, session.catalog().find_gpu(id)));
    return 0;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unknown_gpu) {
      throw;
    }
  }
  if (const auto named = model::named_model(id)) {
    write_all(STDOUT_FILENO, "{\"model\": " + catalog::model_record_text(session.catalog(), *named) + "}\n");
    return 0;
  }
  throw Error(ErrorCode::usage, "no card or model '" + id + "'", "see gpuadvise list gpus, gpuadvise list models");
}

}  // namespace gpuadvise::cli
