// Any bytes as a GGUF file.
#include <gpuadvise/error.hpp>

#include "import/fit_shape.hpp"
#include "import/gguf.hpp"
#include "import/gguf_shape.hpp"

#include <cstddef>
#include <cstdint>

using namespace gpuadvise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const importer::MemoryBytes source("model.gguf", std::string_view(reinterpret_cast<const char*>(data), size));
    const importer::GgufHeader header = importer::read_gguf(source);
    importer::GgufModel model = importer::gguf_model(header, header.tensors, "model.gguf");
    importer::fit_to_tensors(model.shape, model.facts, model.precision, model.findings);
  } catch (const Error&) {
  }
  return 0;
}
