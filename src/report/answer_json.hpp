// What every whole answer in JSON begins with.
#pragma once

#include <gpuadvise/units.hpp>
#include <gpuadvise/workload.hpp>

#include "report/json_writer.hpp"

#include <string_view>

namespace gpuadvise::report {

// Opens the object and writes schema_version and tool; the caller ends the object.
void begin_answer(JsonWriter& json, std::string_view data_version);
void write_request(JsonWriter& json, const Request& request);
// Ratios and shares carry no more than four significant digits: the rest would be noise.
[[nodiscard]] double rounded(double value);
void write_interval(JsonWriter& json, std::string_view name, const Interval& interval);

}  // namespace gpuadvise::report
