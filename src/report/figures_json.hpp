// Estimates as the contract's JSON objects; one shape for every command.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/finding.hpp>
#include <gpuadvise/workload.hpp>

#include "report/json_writer.hpp"

#include <span>

namespace gpuadvise::report {

void write_memory(JsonWriter& json, const MemoryFigures& memory);
void write_capacity(JsonWriter& json, const Capacity& capacity);
void write_fit(JsonWriter& json, const Fit& fit, std::string_view gpu_id);
void write_speed(JsonWriter& json, const SpeedFigures& speed);
// The same with the time of an epoch and of the run, where the amount of work is stated.
void write_speed(JsonWriter& json, const SpeedFigures& speed, const Workload& workload);
void write_findings(JsonWriter& json, std::span<const Finding> findings);

}  // namespace gpuadvise::report
