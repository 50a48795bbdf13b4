#include "cli/commands.hpp"

#include <array>

namespace gpuadvise::cli {
namespace {

constexpr auto k_commands = std::to_array<Command>({
    {"recommend", "rank cards for a job (the same as no command)", run_recommend},
    {"estimate", "memory and speed of a job, without ranking; batch mode", run_estimate},
    {"check", "does a job fit on these cards", run_check},
    {"solve", "find the largest batch, sequence, image ... that fits a card", run_solve},
    {"matrix", "fit and speed over a grid of settings and cards", run_matrix},
    {"explain", "where the figures of one card come from, and what moves them", run_explain},
    {"compare", "cards side by side for one job", run_compare},
    {"list", "gpus, models, rules, precisions, offers, formats", run_list},
    {"show", "all facts of one card or model, with their sources", run_show},
    {"compat", "does a build of PyTorch run on these cards; which do", run_compat},
    {"setup", "the commands that install PyTorch for a card, and a check of the result", run_setup},
    {"doctor", "known faults in a log: cause, deciding fact, fix", run_doctor},
    {"import", "what a model's own file says: config.json, safetensors, gguf, onnx", run_import},
    {"lint", "check a data file", run_lint},
    {"host", "the GPUs of this machine, or of a tool's saved output", run_host},
    {"export", "the job as code, configuration and commands for its program", run_export},
    {"config", "settings that come from the environment and the settings file", run_config},
    {"completion", "a completion script for bash, zsh or fish", run_completion},
    {"help", "help on a topic or a command", run_help},
});

}  // namespace

std::span<const Command> commands() {
  return k_commands;
}

}  // namespace gpuadvise::cli
