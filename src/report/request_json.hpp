// A request as resolved, each value with where it came from; errors as objects.
#pragma once

#include <gpuadvise/error.hpp>
#include <gpuadvise/workload.hpp>

#include "report/json_writer.hpp"

namespace gpuadvise::report {

// The members of an object that is open already.
void write_request_members(JsonWriter& json, const Request& request);
// {"code", "message", "hint"} and, with several faults, "faults".
void write_error(JsonWriter& json, const Error& error);

}  // namespace gpuadvise::report
