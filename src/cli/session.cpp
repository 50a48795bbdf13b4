#include "cli/session.hpp"

#include "catalog/data_reader.hpp"
#include "cli/configuration.hpp"
#include "workload/resolve.hpp"

#include <cstdlib>
#include <filesystem>

namespace gpuadvise::cli {

catalog::Sources sources_of(const DataWishes& wishes) {
  catalog::Sources sources = wishes.sources;
  if (wishes.user_data) {
    const auto own = user_data_files();
    sources.overlays.insert(sources.overlays.begin(), own.begin(), own.end());
  }
  return sources;
}

Session::Session(const DataWishes& wishes) : catalog_(sources_of(wishes)), models_(catalog_), presets_(catalog::builtin_stack_presets()) {
  if (!wishes.sources.data_dir) {
    return;
  }
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(*wishes.sources.data_dir + "/stacks", missing)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == ".json") {
      const auto rows = catalog::read_stack_presets(catalog::read_text_file(path), path, texts_);
      own_presets_.insert(own_presets_.end(), rows.begin(), rows.end());
    }
  }
  presets_ = own_presets_;
}

Request Session::resolve(std::span<const Setting> settings) const {
  return workload::resolve(settings, models_, presets_);
}

}  // namespace gpuadvise::cli
