// Any bytes as a file of rules or objectives: compiled, or an Error that names what is wrong.
#include <gpuadvise/error.hpp>

#include "rules/compile.hpp"
#include "rules/objectives.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    static_cast<void>(gpuadvise::rules::compile_rules({{"fuzz", text}}));
  } catch (const gpuadvise::Error&) {
  }
  try {
    static_cast<void>(gpuadvise::rules::compile_objectives(text, "fuzz"));
  } catch (const gpuadvise::Error&) {
  }
  return 0;
}
