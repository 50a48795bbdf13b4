#include "cli/configuration.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

namespace fs = std::filesystem;

std::string home_folder(const char* variable, const char* below_home) {
  if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0') {
    return folder;
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/" + below_home : std::string();
}

std::string flag_of(std::string_view name) {
  std::string flag(name);
  std::transform(flag.begin(), flag.end(), flag.begin(),
                 [](char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return flag;
}

void add_file(const std::string& path, std::vector<Configured>& into) {
  std::string text = catalog::read_text_file(path);
  if (text.find('\0') != std::string::npos) {
    throw Error(ErrorCode::bad_data, "a NUL byte", "settings are text in UTF-8, one a line, as batch = 32", path);
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) {
    text.erase(0, byte_order_mark.size());
  }
  std::istringstream file(text);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(file)) {
      std::string value;
      for (const std::string& input : item.inputs) {
        value += (value.empty() ? "" : ",") + input;
      }
      if (item.name != "++" && item.name != "--") {  // section marks
        into.push_back({flag_of(item.name), value, path});
      }
    }
  } catch (const CLI::Error& error) {
    throw Error(ErrorCode::bad_data, std::string("malformed configuration: ") + error.what(), "one setting a line, as batch = 32", path);
  }
}

void add_environment(std::vector<Configured>& into) {
  constexpr std::string_view prefix = "GPUADVISE_";
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with(prefix) && equals != std::string_view::npos && equals + 1 < text.size()) {
      const std::string_view name = text.substr(prefix.size(), equals - prefix.size());
      into.push_back({flag_of(name), std::string(text.substr(equals + 1)), "environment " + std::string(text.substr(0, equals))});
    }
  }
}

}  // namespace

std::string user_configuration_path() {
  const std::string folder = home_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder + "/gpuadvise/config.toml";
}

std::vector<std::string> user_data_files() {
  const std::string folder = home_folder("XDG_DATA_HOME", ".local/share");
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder + "/gpuadvise", missing)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Configured> read_configuration(const std::optional<std::string>& config_flag) {
  std::vector<Configured> configured;
  std::error_code missing;
  if (config_flag) {
    add_file(*config_flag, configured);
  } else if (const std::string own = user_configuration_path(); !own.empty() && fs::exists(own, missing)) {
    add_file(own, configured);
  }
  add_environment(configured);
  return configured;
}

}  // namespace gpuadvise::cli
