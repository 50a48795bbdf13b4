// Any bytes as a log, in pieces of any size: the same findings as in one piece, never a crash; and as a message of
// exhausted memory.
#include "software/diagnosis.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuadvise::software;
  if (size == 0) {
    return 0;
  }
  const std::size_t piece = 1 + data[0];
  const std::string_view log(reinterpret_cast<const char*>(data) + 1, size - 1);
  LogScanner whole(known_errors());
  whole.feed(log);
  whole.finish();
  LogScanner parts(known_errors());
  for (std::size_t at = 0; at < log.size(); at += piece) {
    parts.feed(log.substr(at, piece));
  }
  parts.finish();
  const LogReport report = diagnose(facts(), whole, known_errors(), {});
  if (report.found.size() != diagnose(facts(), parts, known_errors(), {}).found.size()) {
    std::abort();
  }
  if (const auto memory = parse_out_of_memory(log); memory && memory->idle_bytes().value_or(0.0) < 0.0) {
    std::abort();
  }
  static_cast<void>(card_names(whole.card_lines()));
  static_cast<void>(parse_version(log));
  return 0;
}
