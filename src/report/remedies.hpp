// Remedies in words and in JSON: what to change, what the job then needs, what it costs, and how it is written.
#pragma once

#include <gpuadvise/advice.hpp>

#include "report/json_writer.hpp"
#include "report/style.hpp"

#include <span>
#include <string>

namespace gpuadvise::report {

[[nodiscard]] std::string remedies_text(std::span<const Remedy> remedies, const TextStyle& style);
void write_remedy(JsonWriter& json, const Remedy& remedy);

}  // namespace gpuadvise::report
