#include <gpuadvise/error.hpp>

#include <array>

namespace gpuadvise {
namespace {

struct Row {
  ErrorCode code;
  std::string_view name;
  int status;
};

constexpr std::array<Row, 12> k_rows{{{ErrorCode::usage, "usage", 2},
                                      {ErrorCode::invalid_value, "invalid_value", 2},
                                      {ErrorCode::conflict, "conflict", 2},
                                      {ErrorCode::unknown_key, "unknown_key", 2},
                                      {ErrorCode::unknown_model, "unknown_model", 2},
                                      {ErrorCode::unknown_gpu, "unknown_gpu", 2},
                                      {ErrorCode::ambiguous_gpu, "ambiguous_gpu", 2},
                                      {ErrorCode::unsupported, "unsupported", 2},
                                      {ErrorCode::bad_data, "bad_data", 3},
                                      {ErrorCode::unreadable, "unreadable", 3},
                                      {ErrorCode::host_unreadable, "host_unreadable", 4},
                                      {ErrorCode::internal, "internal", 70}}};

const Row& row(ErrorCode code) {
  for (const Row& candidate : k_rows) {
    if (candidate.code == code) {
      return candidate;
    }
  }
  return k_rows.back();
}

}  // namespace

std::string_view to_string(ErrorCode code) {
  return row(code).name;
}

int exit_status(ErrorCode code) {
  return row(code).status;
}

}  // namespace gpuadvise
