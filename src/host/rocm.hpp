// rocm-smi and amd-smi, as text and as JSON, and JSON in the manner of the systeminformation library.
#pragma once

#include "host/machine.hpp"

#include <optional>

namespace gpuadvise::host {

// nullopt where the text is another kind of output.
[[nodiscard]] std::optional<Machine> read_rocm_text(std::string_view text);
// Throws Error{bad_data} for broken JSON; nullopt for JSON of another kind.
[[nodiscard]] std::optional<Machine> read_gpu_json(std::string_view text, const std::string& file);

}  // namespace gpuadvise::host
