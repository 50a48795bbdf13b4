// Words for the small enumerations of results.
#include <gpuadvise/figures.hpp>
#include <gpuadvise/finding.hpp>

#include <array>
#include <string_view>

namespace gpuadvise {

std::string_view to_string(Severity severity) {
  static constexpr std::array<std::string_view, 4> names{"reject", "warn", "note", "advice"};
  return names[static_cast<std::size_t>(severity)];
}

std::string_view to_string(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> names{"fits", "tight", "no"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(ThroughputUnit unit) {
  static constexpr std::array<std::string_view, 4> names{"images/s", "samples/s", "tokens/s", "it/s"};
  return names[static_cast<std::size_t>(unit)];
}

std::string_view to_string(Bound bound) {
  static constexpr std::array<std::string_view, 4> names{"compute", "bandwidth", "launch", "communication"};
  return names[static_cast<std::size_t>(bound)];
}

}  // namespace gpuadvise
