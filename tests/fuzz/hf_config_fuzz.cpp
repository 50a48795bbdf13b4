// Any text as the config.json of a model.
#include <gpuadvise/error.hpp>

#include "import/hf_config.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(gpuadvise::importer::read_hf_config(text, "config.json"));
  } catch (const gpuadvise::Error&) {
  }
  return 0;
}
