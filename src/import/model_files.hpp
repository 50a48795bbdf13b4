// Which files make up a model: what a path is, its neighbours, the parts of a split model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::importer {

enum class FileKind { config, safetensors, safetensors_index, gguf, onnx, folder };

// By the first bytes, then by the name. Throws Error{unreadable, unsupported}: pickles are refused with the reason.
[[nodiscard]] FileKind kind_of_file(const std::string& path);

struct ModelFiles {
  std::optional<std::string> config;
  std::vector<std::string> weights;  // safetensors, in order
  std::vector<std::string> missing;  // parts that an index names and the folder lacks
  std::optional<std::string> gguf;
};

// What of a model lies in a folder. Throws Error{bad_data, unsupported}.
[[nodiscard]] ModelFiles files_in(const std::string& folder);
// The parts that an index names, beside it.
void add_shards(const std::string& index, ModelFiles& files);

// The parts of "x-00001-of-00003.gguf"; the path alone where it is no such name.
[[nodiscard]] std::vector<std::string> gguf_parts(const std::string& path);

// A catalog id: from the file's name, or its folder's where the name says nothing ("config.json").
[[nodiscard]] std::string id_of_path(const std::string& path);

}  // namespace gpuadvise::importer
