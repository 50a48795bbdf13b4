// Each function returns the text of one generated source file.
#pragma once

#include "catalog/data_reader.hpp"
#include "catalog/stack_preset.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::compile {

struct DataFile {
  std::string path;  // relative to data/
  std::string absolute;
  std::string text;
};

inline constexpr std::size_t k_model_shards = 8;

[[nodiscard]] std::string gpu_table(const catalog::CatalogData& data);
[[nodiscard]] std::string price_table(const catalog::CatalogData& data);
[[nodiscard]] std::string offer_table(const catalog::CatalogData& data);
[[nodiscard]] std::string model_shard(const catalog::CatalogData& data, std::size_t shard);
[[nodiscard]] std::string model_index(const catalog::CatalogData& data);
// Names of cards and models, sorted for look-up.
[[nodiscard]] std::string name_tables(catalog::CatalogData& data);
[[nodiscard]] std::string stack_table(const std::vector<catalog::StackPreset>& presets);
[[nodiscard]] std::string file_table(const std::vector<DataFile>& files);

}  // namespace gpuadvise::compile
