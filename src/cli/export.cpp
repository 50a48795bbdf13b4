// gpuadvise export: the job as code, configuration and commands of the program that runs it, with the numbers of the request.
#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>
#include <gpuadvise/units.hpp>

#include "advise/snippet.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"

#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// What is written must run on the card: said where it does not, and in the exit status.
std::string doubt(const Gpu& gpu, const Figures& figures) {
  const std::string figures_text = "needs " + format_gib(figures.memory.need.expected) + " and " + format_gib(figures.fit->usable_bytes) +
                                   " are usable on " + std::string(gpu.id);
  switch (figures.fit->verdict) {
    case Verdict::fits:
      return {};
    case Verdict::tight:
      return "warning: tight: " + figures_text + "\n";
    case Verdict::no:
      break;
  }
  return "warning: does not fit: " + figures_text + "; gpuadvise --candidates " + std::string(gpu.id) + " names what would\n";
}

}  // namespace

int run_export(const Arguments& arguments) {
  FlagGroups groups;
  groups.workload = true;
  groups.some_preferences = {"gpu"};
  const CommandLine line =
      read_command_line("export", "The job as code, configuration and commands of the program that runs it.", groups, arguments);
  const Session session(line.data);
  const Gpu& gpu = card_of(session, line, "export");
  const Request request = session.resolve(line.workload);
  Remedy job;
  job.gpu = &gpu;
  job.count = request.workload.all_gpus();
  job.workload = request.workload;
  const std::string text = advise::snippet(request, job);
  if (text.empty()) {
    throw Error(ErrorCode::usage, "nothing to export: no launch is known for this engine and model",
                "--engine vllm, sglang, tensorrt-llm, llama.cpp, transformers, diffusers or pytorch");
  }
  const Figures figures = estimate::evaluate(estimate::prepare(request.workload, request.model), &gpu, estimate::default_use(gpu, false));
  write_all(STDERR_FILENO, doubt(gpu, figures));
  write_all(STDOUT_FILENO, text);
  return figures.fit->verdict == Verdict::no ? 1 : 0;
}

}  // namespace gpuadvise::cli
