// Prices of whole computers: a chip that is sold with several memory sizes has as many prices.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace {

nlohmann::json read(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return nlohmann::json::parse(stream);
}

}  // namespace

TEST_CASE("the price of a chip sold with several memory sizes says that it is of the size of the entry", "[data]") {
  const std::filesystem::path data = std::filesystem::path(GPUADVISE_SOURCE_DIR) / "data";
  std::map<std::string, std::string> several;  // id -> the size that the entry stands for
  for (const auto& entry : std::filesystem::directory_iterator(data / "gpus")) {
    const nlohmann::json file = read(entry.path());
    for (const auto& gpu : file.value("gpus", nlohmann::json::array())) {
      if (gpu.value("memory_options_gib", nlohmann::json::array()).size() > 1) {
        several.emplace(gpu.at("id"), std::to_string(static_cast<int>(gpu.at("memory_gib").get<double>())) + " GB");
      }
    }
  }
  CHECK(several.count("apple-m2-ultra-76core") == 1);
  const nlohmann::json prices = read(data / "prices" / "current.json");
  for (const auto& price : prices.at("prices")) {
    const std::string id = price.at("gpu_id");
    INFO(id);
    if (const auto size = several.find(id); size != several.end()) {
      CHECK(price.value("market", std::string()).find(size->second) != std::string::npos);
    }
  }
}
