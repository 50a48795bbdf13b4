#include "cli/session.hpp"

#include "catalog/data_reader.hpp"
#include "cli/configuration.hpp"
#include "workload/resolve.hpp"

#include <array>
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

Session::Session(const DataWishes& wishes)
    : data_dir_(wishes.sources.data_dir),
      catalog_(with_software(sources_of(wishes))),
      models_(catalog_),
      presets_(catalog::builtin_stack_presets()) {
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

catalog::Sources Session::with_software(catalog::Sources sources) {
  sources.also = [this](std::string_view text, const std::string& file) {
    software::Facts rows = software::read_rows(text, file);
    software::Facts counted;
    std::string laid = software::lay_over(counted, software::Facts(rows));
    if (!laid.empty()) {
      software_rows_.push_back(std::move(rows));
    }
    return laid;
  };
  return sources;
}

const software::Facts& Session::software() const {
  if (own_software_) {
    return *own_software_;
  }
  std::array<std::string, 4> texts;
  bool folder = false;
  for (std::size_t i = 0; i < software::k_fact_files.size(); ++i) {
    const std::string path = data_dir_ ? *data_dir_ + "/software/" + std::string(software::k_fact_files[i]) : std::string();
    std::error_code missing;
    const bool own = data_dir_ && std::filesystem::exists(path, missing);
    texts[i] = own ? catalog::read_text_file(path) : std::string(software::builtin_software_file(software::k_fact_files[i]));
    folder = folder || own;
  }
  if (!folder && software_rows_.empty()) {
    return software::facts();
  }
  own_software_ = folder ? software::read_facts({texts[0], texts[1], texts[2], texts[3]}) : software::facts();
  for (const software::Facts& rows : software_rows_) {
    static_cast<void>(software::lay_over(*own_software_, software::Facts(rows)));
  }
  return *own_software_;
}

Request Session::resolve(std::span<const Setting> settings) const {
  return workload::resolve(settings, models_, presets_);
}

const Gpu& card_of(const Session& session, const CommandLine& line, std::string_view command) {
  if (line.preferences.empty() || line.preferences.front().value.text()->empty()) {
    throw Error(ErrorCode::usage, std::string(command) + " needs a card", "add --gpu CARD");
  }
  return session.catalog().find_gpu(*line.preferences.front().value.text());
}

}  // namespace gpuadvise::cli
