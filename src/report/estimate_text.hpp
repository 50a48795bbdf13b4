// The answer of `estimate`: for people, and the members of its JSON object.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

#include "report/json_writer.hpp"
#include "report/style.hpp"

#include <string>

namespace gpuadvise::report {

struct Estimate {
  Request request;
  const Gpu* gpu = nullptr;
  Figures figures;
};

void write_estimate_members(JsonWriter& json, const Estimate& estimate);
[[nodiscard]] std::string estimate_text(const Estimate& estimate, const TextStyle& style);

// "weights 0.10 + activations 2.9 + runtime 0.7 = 3.7 GiB": the parts that matter, and the device figure they sum to.
[[nodiscard]] std::string memory_sum(const MemoryFigures& memory);

}  // namespace gpuadvise::report
