// What is wrong with a request: all of it, in one exception.
#pragma once

#include <gpuadvise/error.hpp>
#include <gpuadvise/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::workload {

struct Fault {
  ErrorCode code = ErrorCode::invalid_value;
  std::string key;  // the setting, or the first of two that exclude each other
  std::string message;
  std::string hint;  // what to do instead; may be empty
};

using Faults = std::vector<Fault>;

// Thrown for one or more faults. As an Error it carries the first fault's code; with several, one message a line, each with
// its hint, so that a reader of Error alone still sees everything.
class RequestError : public Error {
 public:
  explicit RequestError(Faults faults);
  [[nodiscard]] const Faults& faults() const { return faults_; }

 private:
  Faults faults_;
};

// "batch '0'": the setting as it was given, for messages. Long values are cut.
[[nodiscard]] std::string quoted(const Value& value);
// 8192 -> "8192", 1e99 -> "1e+99", 0.9 -> "0.9".
[[nodiscard]] std::string number_text(double value);

}  // namespace gpuadvise::workload
