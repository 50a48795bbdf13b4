// The one exception of the library. It is thrown at the seams (input, files, data) and caught once in the
// program, or once a line in batch mode.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gpuadvise {

enum class ErrorCode {
  usage,          // a flag or a combination of flags is wrong
  invalid_value,  // a value is malformed or out of range
  conflict,       // two settings exclude each other
  unknown_key,    // a key of a request or of the command line does not exist
  unknown_model,
  unknown_gpu,
  ambiguous_gpu,
  unsupported,      // well formed, but this program has no method for it
  bad_data,         // a catalog, price, rule or model file is malformed
  unreadable,       // a file cannot be read
  host_unreadable,  // the machine could not be inspected
  internal,
};

// Stable identifier used in JSON ("unknown_model").
[[nodiscard]] std::string_view to_string(ErrorCode code);
// Process exit status of contract: 2 usage, 3 bad data, 4 host, 70 internal.
[[nodiscard]] int exit_status(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string hint = {}, std::string where = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)), where_(std::move(where)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] std::string message() const { return what(); }
  // What to do instead; may be empty.
  [[nodiscard]] const std::string& hint() const { return hint_; }
  // "file:line:column" or a JSON path; may be empty.
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  ErrorCode code_;
  std::string hint_;
  std::string where_;
};

}  // namespace gpuadvise
