// Reads data/ with the program's own readers and writes the tables that are compiled into the library:
//   gpuadvise-compile-data DATA_DIR OUTPUT_DIR
#include <gpuadvise/error.hpp>

#include "compile/tables.hpp"
#include "rules/emit.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>

namespace {

namespace fs = std::filesystem;
using gpuadvise::catalog::CatalogData;
using gpuadvise::compile::DataFile;

std::vector<DataFile> find_files(const fs::path& folder) {
  std::vector<DataFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") {
      files.push_back({fs::relative(entry.path(), folder).generic_string(), fs::absolute(entry.path()).generic_string(),
                       gpuadvise::catalog::read_text_file(entry.path().string())});
    }
  }
  std::sort(files.begin(), files.end(), [](const DataFile& a, const DataFile& b) { return a.path < b.path; });
  return files;
}

CatalogData read_all(const std::vector<DataFile>& files) {
  CatalogData data;
  for (const DataFile& file : files) {
    if (gpuadvise::catalog::holds_records(file.path) && !gpuadvise::catalog::read_data(file.text, "data/" + file.path, data)) {
      throw gpuadvise::Error(gpuadvise::ErrorCode::bad_data, "no records found", {}, "data/" + file.path);
    }
  }
  using gpuadvise::CloudOffer;
  using gpuadvise::Price;
  std::stable_sort(data.prices.begin(), data.prices.end(), [](const Price& a, const Price& b) { return a.gpu_id < b.gpu_id; });
  std::stable_sort(data.offers.begin(), data.offers.end(), [](const CloudOffer& a, const CloudOffer& b) {
    return std::tie(a.gpu_id, a.usd_per_gpu_hour) < std::tie(b.gpu_id, b.usd_per_gpu_hour);
  });
  std::stable_sort(data.models.begin(), data.models.end(), [](const auto& a, const auto& b) { return a.model.id < b.model.id; });
  return data;
}

std::vector<gpuadvise::catalog::StackPreset> read_stacks(const std::vector<DataFile>& files, gpuadvise::catalog::TextPool& texts) {
  std::vector<gpuadvise::catalog::StackPreset> presets;
  for (const DataFile& file : files) {
    if (file.path.starts_with("stacks/")) {
      const auto rows = gpuadvise::catalog::read_stack_presets(file.text, "data/" + file.path, texts);
      presets.insert(presets.end(), rows.begin(), rows.end());
    }
  }
  return presets;
}

std::string rule_tables(const std::vector<DataFile>& files) {
  namespace rules = gpuadvise::rules;
  std::vector<rules::RuleFile> rule_files;
  rules::CompiledObjectives objectives;
  for (const DataFile& file : files) {
    if (file.path == "rules/objectives.json") {
      objectives = rules::compile_objectives(file.text, "data/" + file.path);
    } else if (file.path.starts_with("rules/")) {
      rule_files.push_back({"data/" + file.path, file.text});
    }
  }
  return rules::table_source(rules::compile_rules(rule_files), objectives.table);
}

// Left alone when nothing changed, so that nothing is compiled again.
void write(const fs::path& path, const std::string& text) {
  std::ifstream existing(path, std::ios::binary);
  if (existing && std::string(std::istreambuf_iterator<char>(existing), {}) == text) {
    fs::last_write_time(path, fs::file_time_type::clock::now());
    return;
  }
  std::ofstream(path, std::ios::binary) << text;
}

void compile(const fs::path& source, const fs::path& target) {
  namespace compile = gpuadvise::compile;
  const auto files = find_files(source);
  CatalogData data = read_all(files);
  fs::create_directories(target);
  write(target / "gpus.cpp", compile::gpu_table(data));
  write(target / "prices.cpp", compile::price_table(data));
  write(target / "offers.cpp", compile::offer_table(data));
  write(target / "models_index.cpp", compile::model_index(data));
  for (std::size_t shard = 0; shard < compile::k_model_shards; ++shard) {
    write(target / ("models_" + std::to_string(shard) + ".cpp"), compile::model_shard(data, shard));
  }
  write(target / "names.cpp", compile::name_tables(data));
  write(target / "stacks.cpp", compile::stack_table(read_stacks(files, data.texts)));
  write(target / "rules.cpp", rule_tables(files));
  write(target / "files.cpp", compile::file_table(files));
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 3) {
    std::cerr << "usage: gpuadvise-compile-data DATA_DIR OUTPUT_DIR\n";
    return 2;
  }
  try {
    compile(arguments[1], arguments[2]);
    return 0;
  } catch (const gpuadvise::Error& error) {
    std::cerr << "error: " << error.where() << ": " << error.message() << '\n';
    return gpuadvise::exit_status(error.code());
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 70;
  }
}
