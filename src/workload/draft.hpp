// A request while it is being resolved: settings land here one by one, each remembers where it came from.
#pragma once

#include <gpuadvise/workload.hpp>

#include "workload/fault.hpp"
#include "workload/keys.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise::workload {

struct Draft {
  Request request;
  std::optional<Field> asked_field;  // the key field, where it was given
  std::optional<ImageSize> image;
  std::optional<ImageSize> resolution;
  std::optional<double> embedding_rows;
  std::optional<double> embedding_dim;
  std::optional<Precision> checkpoint;  // the type that a checkpoint's name or file states
  Faults faults;

  [[nodiscard]] bool given(WorkloadKey key) const { return request.origins[key] != Origin::unset; }
  // Said by the user or a file, not by a preset or a default.
  [[nodiscard]] bool stated(WorkloadKey key) const { return request.origins[key] >= Origin::file; }

  void fault(ErrorCode code, std::string_view key, std::string message, std::string hint = {}) {
    faults.push_back({code, std::string(key), std::move(message), std::move(hint)});
  }
  void note(std::string_view rule, Severity severity, std::string message) {
    request.findings.push_back({std::string(rule), severity, std::move(message)});
  }
};

// Understands one value and stores it; a fault is noted, not thrown.
void apply_value(Draft& draft, const KeySpec& spec, const Value& value, Origin origin);

}  // namespace gpuadvise::workload
