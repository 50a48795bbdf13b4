// The shipped catalog, read once from the source tree.
#pragma once

#include "catalog/data_reader.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace data_test {

inline std::filesystem::path data_dir() {
  return std::filesystem::path(GPUADVISE_SOURCE_DIR) / "data";
}

inline std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  return files;
}

// GPUs, ambiguous names and the prices in force; no history.
inline const gpuadvise::catalog::CatalogData& shipped() {
  static const gpuadvise::catalog::CatalogData data = [] {
    gpuadvise::catalog::CatalogData read;
    std::vector<std::filesystem::path> files = json_files(data_dir() / "gpus");
    files.push_back(data_dir() / "prices/current.json");
    files.push_back(data_dir() / "prices/cloud.json");
    for (const auto& file : files) {
      gpuadvise::catalog::read_data(gpuadvise::catalog::read_text_file(file.string()), file.string(), read);
    }
    return read;
  }();
  return data;
}

inline const gpuadvise::Gpu* find_gpu(std::string_view id) {
  for (const auto& record : shipped().gpus) {
    if (record.gpu.id == id) {
      return &record.gpu;
    }
  }
  return nullptr;
}

}  // namespace data_test
