// The header of a safetensors file, and the index of a model in several of them. No tensor data is read.
#pragma once

#include "import/byte_source.hpp"
#include "import/tensor_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::importer {

struct SafetensorsHeader {
  std::vector<FileTensor> tensors;
  bool truncated = false;  // the data end before the last tensor does: an unfinished download
  bool holes = false;      // bytes between tensors that no tensor has
};

// Throws Error{bad_data} with the byte where the header cannot be meant.
[[nodiscard]] SafetensorsHeader read_safetensors(const ByteSource& source);

// The files that model.safetensors.index.json names, each once, in order. Only plain names are taken. Throws Error{bad_data}.
[[nodiscard]] std::vector<std::string> shard_names(std::string_view text, const std::string& file);

}  // namespace gpuadvise::importer
