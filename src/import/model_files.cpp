#include "import/model_files.hpp"

#include <gpuadvise/error.hpp>

#include "import/byte_source.hpp"
#include "import/safetensors.hpp"
#include "units/lower_case.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace gpuadvise::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_largest_index = 64UL * 1024 * 1024;
constexpr std::size_t k_most_entries = 10'000;  // of a folder
constexpr unsigned k_most_parts = 1000;

[[noreturn]] void refuse_pickle(const std::string& path) {
  throw Error(
      ErrorCode::unsupported,
      "'" + path + "' is a Python pickle (.pt, .pth, .bin, .ckpt): reading one runs the code inside it, so it is not read",
      "save the weights as safetensors (safetensors.torch.save_file(model.state_dict(), 'model.safetensors')) and give that, or name "
      "the model with --model, or its size with --params");
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string head_of(const std::string& path) {
  const auto source = open_file(path);
  return source->text(0, static_cast<std::size_t>(std::min<std::uint64_t>(source->size(), 16)));
}

FileKind kind_of_json(const std::string& path) {
  const std::string name = lower_case(fs::path(path).filename().string());
  if (name == "model_index.json") {
    throw Error(ErrorCode::unsupported, "'" + path + "' describes a diffusion pipeline of several models",
                "name the pipeline with --model");
  }
  if (name.find("adapter_config") != std::string::npos) {
    throw Error(ErrorCode::unsupported, "'" + path + "' describes an adapter, not a model",
                "give the base model's file or name; an adapter adds --lora-rank");
  }
  return name.ends_with(".index.json") ? FileKind::safetensors_index : FileKind::config;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return FileKind::folder;
  }
  const std::string head = head_of(path);
  const std::string name = lower_case(path);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (head.starts_with("GGUF")) {
    return FileKind::gguf;
  }
  if (ends(".pt") || ends(".pth") || ends(".bin") || ends(".ckpt") || ends(".pkl") || head.starts_with("PK\x03\x04") ||
      head.starts_with("\x80\x02") || head.starts_with("\x80\x03") || head.starts_with("\x80\x04")) {
    refuse_pickle(path);
  }
  if (ends(".json")) {
    return kind_of_json(path);
  }
  if (ends(".safetensors") || (head.size() > 8 && head[8] == '{' && head[7] == '\0')) {
    return FileKind::safetensors;
  }
  if (ends(".gguf")) {
    return FileKind::gguf;
  }
  if (ends(".onnx")) {
    return FileKind::onnx;
  }
  if (!head.empty() && head.front() == '{') {
    return FileKind::config;
  }
  throw Error(ErrorCode::unsupported, "'" + path + "' is no model file of a known kind",
              "config.json, .safetensors, .safetensors.index.json, .gguf and .onnx are read, and folders of them");
}

void add_shards(const std::string& index, ModelFiles& files) {
  const auto source = open_file(index);
  if (source->size() > k_largest_index) {
    throw Error(ErrorCode::bad_data, "larger than 64 MiB: not the index of a model", {}, index);
  }
  const std::string text = source->text(0, static_cast<std::size_t>(source->size()));
  for (const std::string& name : shard_names(text, index)) {
    const std::string shard = (fs::path(parent_of(index)) / name).string();
    (is_file(shard) ? files.weights : files.missing).push_back(is_file(shard) ? shard : name);
  }
}

ModelFiles files_in(const std::string& folder) {
  ModelFiles files;
  const fs::path base(folder);
  if (is_file(base / "model_index.json")) {
    throw Error(ErrorCode::unsupported, "'" + folder + "' holds a diffusion pipeline of several models", "name the pipeline with --model");
  }
  if (is_file(base / "config.json")) {
    files.config = (base / "config.json").string();
  }
  if (is_file(base / "model.safetensors.index.json")) {
    add_shards((base / "model.safetensors.index.json").string(), files);
    return files;
  }
  std::vector<std::string> tensors;
  std::vector<std::string> ggufs;
  std::error_code fault;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(base, fault), end; !fault && entry != end && seen < k_most_entries; entry.increment(fault), ++seen) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".safetensors") && is_file(entry->path())) {
      tensors.push_back(entry->path().string());
    } else if (name.ends_with(".gguf") && !name.starts_with("mmproj") && is_file(entry->path())) {
      ggufs.push_back(entry->path().string());
    }
  }
  std::sort(tensors.begin(), tensors.end());
  std::sort(ggufs.begin(), ggufs.end());
  // The same weights may lie there twice (consolidated.safetensors): one file, the usual name first.
  const auto usual = std::find(tensors.begin(), tensors.end(), (base / "model.safetensors").string());
  if (usual != tensors.end()) {
    files.weights = {*usual};
  } else if (tensors.size() == 1) {
    files.weights = tensors;
  }
  if (!ggufs.empty() && gguf_parts(ggufs.front()).size() == ggufs.size()) {
    files.gguf = ggufs.front();
  }
  if (!files.config && files.weights.empty() && !files.gguf) {
    throw Error(ErrorCode::unsupported, "'" + folder + "' holds no config.json, no index and no single weight file",
                "give the folder of one model, or one file");
  }
  return files;
}

std::vector<std::string> gguf_parts(const std::string& path) {
  // "-00001-of-00003.gguf"
  constexpr std::size_t k_tail = 20;
  const std::string name = fs::path(path).filename().string();
  if (name.size() <= k_tail) {
    return {path};
  }
  const std::string tail = name.substr(name.size() - k_tail);
  const auto number = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = at; i < at + 5; ++i) {
      if (tail[i] < '0' || tail[i] > '9') {
        return 0U;
      }
      value = value * 10 + static_cast<unsigned>(tail[i] - '0');
    }
    return value;
  };
  const unsigned parts = number(10);
  if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || tail.substr(15) != ".gguf" || number(1) == 0 || parts == 0 || parts > k_most_parts) {
    return {path};
  }
  std::vector<std::string> paths;
  for (unsigned part = 1; part <= parts; ++part) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "-%05u-of-%05u.gguf", part, parts);
    paths.push_back((fs::path(parent_of(path)) / (name.substr(0, name.size() - k_tail) + text.data())).string());
  }
  return paths;
}

std::string id_of_path(const std::string& path) {
  fs::path file = fs::path(path).lexically_normal();
  if (!file.has_filename()) {
    file = file.parent_path();
  }
  std::string name = file.filename().string();
  for (const std::string_view end : {".index.json", ".json", ".safetensors", ".gguf", ".onnx", ".config"}) {
    if (name.ends_with(end) && name.size() > end.size()) {
      name.resize(name.size() - end.size());
    }
  }
  const bool says_nothing = name == "config" || name == "model" || name == "pytorch_model" || name == "diffusion_pytorch_model";
  if (says_nothing && file.has_parent_path() && file.parent_path().has_filename() && file.parent_path().filename() != "..") {
    name = file.parent_path().filename().string();
  }
  std::string id;
  for (const char raw : lower_case(name)) {
    const bool kept = (raw >= 'a' && raw <= 'z') || (raw >= '0' && raw <= '9') || raw == '.' || raw == '_' || raw == '-';
    id += kept ? raw : '-';
  }
  const auto first = id.find_first_not_of("-._");
  id = first == std::string::npos ? "model" : id.substr(first);
  return id.substr(0, 100);
}

}  // namespace gpuadvise::importer
