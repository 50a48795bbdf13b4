// A model's own file, or its folder, as a model that can be estimated.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>

#include "catalog/text_pool.hpp"
#include "import/tensor_facts.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gpuadvise::importer {

struct ImportedModel {
  Model model;               // its texts live in `texts`
  std::string quantization;  // the precision that the file states, as requests write it; may be empty
  std::vector<Finding> findings;
  // What was read, for people.
  std::string format;        // "GGUF", "safetensors" ...
  std::string architecture;  // as the file names it
  std::vector<std::string> files;
  TensorFacts tensors;  // empty where only a configuration was read
  std::shared_ptr<catalog::TextPool> texts;
};

// config.json (or its folder), .safetensors or its index, .gguf, .onnx; headers only, in milliseconds whatever their size.
// Throws Error{unreadable, bad_data, unsupported}.
[[nodiscard]] ImportedModel import_model(const std::string& path);

}  // namespace gpuadvise::importer
