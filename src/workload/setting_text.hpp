// Settings as a user would write them.
#pragma once

#include <gpuadvise/value.hpp>
#include <gpuadvise/workload.hpp>

#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::workload {

// "8", "true", "q,v"; empty for null.
[[nodiscard]] std::string text_of(const Value& value);
// "grad_checkpointing" -> "grad-checkpointing".
[[nodiscard]] std::string flag_name(std::string_view key);
// "--batch 8", "--no-compile".
[[nodiscard]] std::string flag_text(const Setting& setting);

}  // namespace gpuadvise::workload
