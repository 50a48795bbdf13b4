// A resolved request back in the contract's words, for output.
#pragma once

#include <gpuadvise/workload.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::workload {

struct Described {
  WorkloadKey key = WorkloadKey::model;
  std::string_view name;
  Value value;
  Origin origin = Origin::unset;
};

// Every key that has a value, in the contract's order.
[[nodiscard]] std::vector<Described> describe(const Request& request);
// One key's value as JSON would hold it; null when it has none.
[[nodiscard]] Value value_of(const Request& request, WorkloadKey key);
// The same as text: "amp-fp16", "224", "8".
[[nodiscard]] std::string value_text(const Request& request, WorkloadKey key);
// "user", "file", "default", "preset", "inferred".
[[nodiscard]] std::string_view to_string(Origin origin);
// "resnet50, train*, amp-fp16, batch 32, 224x224*, sgd-momentum* (* assumed)": what was asked, in a line.
// division: what to say of how several GPUs divide the job, where the request does not settle it.
[[nodiscard]] std::string summary(const Request& request, std::string_view division = {});

}  // namespace gpuadvise::workload
