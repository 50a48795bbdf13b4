// Any bytes as an ONNX model: read, followed and profiled.
#include <gpuadvise/error.hpp>

#include "import/onnx.hpp"

#include <cstddef>
#include <cstdint>

using namespace gpuadvise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const importer::MemoryBytes source("model.onnx", std::string_view(reinterpret_cast<const char*>(data), size));
    static_cast<void>(importer::onnx_model(source));
  } catch (const Error&) {
  }
  return 0;
}
