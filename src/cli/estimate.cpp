// gpuadvise estimate: what a workload needs, and how fast it is on a card; one request, or one a line.
#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/candidates.hpp"
#include "advise/card_findings.hpp"
#include "advise/checkpoint_finding.hpp"
#include "catalog/settings_json.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "estimate/memory/fit.hpp"
#include "report/estimate_text.hpp"
#include "report/figures_json.hpp"
#include "report/request_json.hpp"
#include "units/input_file.hpp"

#include <cstdio>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

constexpr std::size_t k_flush_at = 1UL << 16U;
constexpr std::size_t k_longest_line = 1UL << 20U;

// One request of batch mode: its own keys beside those of the workload.
struct Line {
  Value id;
  std::string gpu;
  std::vector<Setting> settings;
};

Line split(std::vector<Setting>&& settings) {
  Line line;
  for (Setting& setting : settings) {
    if (setting.key == "id") {
      line.id = std::move(setting.value);
    } else if (setting.key == "gpu") {
      const std::string* text = setting.value.text();
      if (text == nullptr) {
        throw Error(ErrorCode::invalid_value, "gpu is not the name of a card", "give a card's id or name");
      }
      line.gpu = *text;  // empty, as a table's field without a value: no card
    } else {
      line.settings.push_back(std::move(setting));
    }
  }
  return line;
}

const Gpu* card_of(const Session& session, const std::string& text) {
  return text.find_first_not_of(' ') == std::string::npos ? nullptr : &session.catalog().find_gpu(text);
}

report::Estimate estimate(const Session& session, std::span<const Setting> settings, const std::string& gpu_text) {
  report::Estimate result;
  result.request = session.resolve(settings);
  result.gpu = card_of(session, gpu_text);
  Workload workload = result.request.workload;
  estimate::CardUse use;
  if (result.gpu != nullptr) {
    use = estimate::default_use(*result.gpu, false);
    if (advise::needs_fp16(result.request, *result.gpu)) {
      workload = advise::spread_over(workload, {workload.gpus, workload.strategy}, true);
      result.request.findings.push_back(
          {"bf16-missing", Severity::warn, std::string(result.gpu->name) + " has no bfloat16: estimated with fp16 instead"});
    }
  }
  result.figures = estimate::evaluate(estimate::prepare(workload, result.request.model), result.gpu, use);
  if (result.gpu == nullptr && workload.gpu_memory_gib) {
    // The figure is what the driver reports, and nothing is known of a display.
    const double bytes = *workload.gpu_memory_gib * k_gib;
    result.figures.fit = estimate::fit(result.figures.memory, bytes, bytes);
  }
  if (auto finding = advise::checkpoint_finding(workload, result.request.model)) {
    result.request.findings.push_back(std::move(*finding));
  }
  if (result.gpu != nullptr) {
    for (Finding& finding : advise::card_findings(workload, result.figures, *result.gpu)) {
      result.request.findings.push_back(std::move(finding));
    }
  }
  return result;
}

void write_answer(std::string& out, const Value& id, const report::Estimate& result) {
  report::JsonWriter json(out);
  json.begin_object();
  json.field("id", id);
  json.field("ok", true);
  report::write_estimate_members(json, result);
  json.end_object();
  out += '\n';
}

void write_failure(std::string& out, const Value& id, const Error& error) {
  report::JsonWriter json(out);
  json.begin_object();
  json.field("id", id);
  json.field("ok", false);
  json.key("error");
  report::write_error(json, error);
  json.end_object();
  out += '\n';
}

// False when the line is bad; the answer says why and the run goes on.
bool answer_line(const Session& session, std::string_view text, std::size_t number, std::string& out) {
  Value id;
  const std::size_t before = out.size();
  try {
    Line line = split(catalog::read_settings(text, "line " + std::to_string(number)));
    id = std::move(line.id);
    write_answer(out, id, estimate(session, line.settings, line.gpu));
    return true;
  } catch (const Error& error) {
    out.resize(before);
    write_failure(out, id, error);
  } catch (const std::exception& error) {
    out.resize(before);
    write_failure(out, id, Error(ErrorCode::internal, error.what(), "please report this line"));
  }
  return false;
}

// Next line without its end; false at the end of the file. A line beyond the limit is cut, so that memory stays bounded.
bool next_line(std::FILE* file, std::string& line) {
  line.clear();
  int c = 0;
  while ((c = std::getc(file)) != EOF && c != '\n') {
    if (line.size() <= k_longest_line) {
      line += static_cast<char>(c);
    }
  }
  return c != EOF || !line.empty();
}

int run_lines(const Session& session, const std::string& path) {
  const InputFile file = open_input(path.empty() ? "-" : path);
  if (!file) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "'", "give the path of a readable file, or - for standard input");
  }
  bool all_good = true;
  std::string line;
  std::string out;
  for (std::size_t number = 1; next_line(file.get(), line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    all_good = answer_line(session, line, number, out) && all_good;
    if (out.size() >= k_flush_at) {
      write_all(STDOUT_FILENO, out);
      out.clear();
    }
  }
  write_all(STDOUT_FILENO, out);
  if (std::ferror(file.get()) != 0) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "' to its end",
                "give the path of a readable file, or - for standard input");
  }
  return all_good ? 0 : exit_status(ErrorCode::bad_data);
}

}  // namespace

int run_estimate(const Arguments& arguments) {
  std::optional<std::string> jsonl;
  FlagGroups groups;
  groups.workload = true;
  groups.some_preferences = {"gpu"};
  groups.output = true;
  groups.ranking = false;
  groups.own = {{"jsonl", "FILE", "read one request a line from FILE (- or nothing: stdin)", true, &jsonl}};
  const CommandLine line = read_command_line("estimate", "Memory and speed of a workload, without ranking.", groups, arguments);
  const Session session(line.data);
  if (jsonl) {
    if (!line.workload.empty() || !line.preferences.empty()) {
      throw Error(ErrorCode::conflict, "--jsonl takes its settings from the lines, not from flags",
                  "put '" + (line.workload.empty() ? line.preferences : line.workload).front().key + "' into each line");
    }
    if (!line.output.outputs.empty() || line.output.format.value_or(Format::jsonl) != Format::jsonl) {
      throw Error(ErrorCode::conflict, "--jsonl writes one answer a line to standard output; --output and --format have no effect with it",
                  "leave them out, and redirect: > FILE");
    }
    return run_lines(session, *jsonl);
  }
  const std::string gpu = line.preferences.empty() ? "" : *line.preferences.front().value.text();
  if (!line.preferences.empty() && gpu.find_first_not_of(' ') == std::string::npos) {
    throw Error(ErrorCode::invalid_value, "--gpu '" + gpu + "' names no card", "give a card's id or name; gpuadvise list gpus");
  }
  const report::Estimate result = estimate(session, line.workload, gpu);
  for (const OutputTarget& target : line.output.targets()) {
    std::string out;
    if (target.format == Format::json || target.format == Format::jsonl) {
      write_answer(out, Value{}, result);
    } else if (target.format == Format::table) {
      const report::TextStyle style{terminal_width(STDOUT_FILENO), wants_colour(line.output.colour, STDOUT_FILENO), line.output.verbose};
      out = report::estimate_text(result, style);
    } else {
      throw Error(ErrorCode::usage, "estimate prints table, json or jsonl", "use recommend for other formats");
    }
    write_output(target.path, out);
  }
  return 0;
}

}  // namespace gpuadvise::cli
