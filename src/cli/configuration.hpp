// Settings that no flag gave: the environment (GPUADVISE_<FLAG>) and the configuration file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::cli {

struct Configured {
  std::string flag;  // "grad-checkpointing"
  std::string value;
  std::string where;  // "environment GPUADVISE_BATCH" or the file's path
};

// File first, environment after it (later entries win). `config_flag` names the file of --settings, which must exist; empty
// means the user's own ($XDG_CONFIG_HOME/gpuadvise/config.toml), which may not. Throws Error{bad_data, unreadable}.
[[nodiscard]] std::vector<Configured> read_configuration(const std::optional<std::string>& config_flag);

// $XDG_CONFIG_HOME/gpuadvise/config.toml, else ~/.config/...; empty without a home.
[[nodiscard]] std::string user_configuration_path();
// JSON files of $XDG_DATA_HOME/gpuadvise (else ~/.local/share/gpuadvise), sorted.
[[nodiscard]] std::vector<std::string> user_data_files();

}  // namespace gpuadvise::cli
