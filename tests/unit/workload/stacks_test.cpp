// The presets in data/stacks name keys and values that exist.
#include "catch.hpp"
#include "workload/draft.hpp"
#include "workload/keys.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace gpuadvise::workload {

TEST_CASE("every preset of a training program is understood") {
  std::size_t rows = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPUADVISE_SOURCE_DIR "/data/stacks")) {
    std::ifstream file(entry.path());
    const auto document = nlohmann::json::parse(file);
    for (const auto& row : document.at("presets")) {
      const auto key = row.at("key").get<std::string>();
      const auto stack = row.at("stack").get<std::string>();
      INFO(stack << " " << key);
      const KeySpec* spec = find_key(key);
      REQUIRE(spec != nullptr);
      CHECK(find_choice(spec_of(WorkloadKey::stack).choices, stack));
      Draft draft;
      apply_value(draft, *spec, row.at("value").get<std::string>(), Origin::preset);
      CHECK(draft.faults.empty());
      ++rows;
    }
  }
  CHECK(rows >= 30);
}

}  // namespace gpuadvise::workload
