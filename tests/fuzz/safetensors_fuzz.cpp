// Any bytes as a safetensors file, and as the index of several.
#include <gpuadvise/error.hpp>

#include "import/fit_shape.hpp"
#include "import/quantization.hpp"
#include "import/safetensors.hpp"

#include <cstddef>
#include <cstdint>

using namespace gpuadvise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const importer::MemoryBytes source("model.safetensors", bytes);
    const importer::SafetensorsHeader header = importer::read_safetensors(source);
    const importer::TensorFacts facts = importer::add_up(header.tensors, {});
    static_cast<void>(importer::precision_of_tensors(facts, {}));
    TransformerShape shape = importer::shape_of_tensors(facts);
    std::vector<Finding> findings;
    importer::fit_to_tensors(shape, facts, "bf16", findings);
  } catch (const Error&) {
  }
  try {
    static_cast<void>(importer::shard_names(bytes, "model.safetensors.index.json"));
  } catch (const Error&) {
  }
  return 0;
}
