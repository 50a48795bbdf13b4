// Any bytes as a line of batch mode: settings or an Error, never a crash.
#include <gpuadvise/error.hpp>

#include "catalog/settings_json.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(gpuadvise::catalog::read_settings({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const gpuadvise::Error&) {
  }
  return 0;
}
