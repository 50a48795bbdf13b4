// Rejected candidates and cards that were asked about, in full.
#pragma once

#include "report/json_writer.hpp"
#include "report/recommend.hpp"

#include <string>

namespace gpuadvise::report {

// One paragraph a card of --why-not; empty where none was asked about.
[[nodiscard]] std::string why_not_text(const Recommended& answer, const TextStyle& style);

void write_rejection(JsonWriter& json, const Rejection& rejection);
void write_why_not(JsonWriter& json, const WhyNot& entry, const Advice& advice);

}  // namespace gpuadvise::report
