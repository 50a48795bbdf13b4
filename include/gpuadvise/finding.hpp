// Something the user should know: which rule said it, how grave it is, and the words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuadvise {

enum class Severity : std::uint8_t { reject, warn, note, advice };
[[nodiscard]] std::string_view to_string(Severity severity);

struct Finding {
  std::string rule;
  Severity severity = Severity::note;
  std::string message;
};

}  // namespace gpuadvise
