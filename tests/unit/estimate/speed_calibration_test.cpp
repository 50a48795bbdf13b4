// The table of constants and its documented source say the same.
#include "catch.hpp"
#include "estimate/speed/calibration.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <string>

using gpuadvise::estimate::Calibrated;
using gpuadvise::estimate::k_calibration;
using gpuadvise::estimate::Standing;

namespace {

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::counted:
      return "counted";
    case Standing::fitted:
      return "fitted";
    case Standing::prior:
      break;
  }
  return "prior";
}

nlohmann::json documented() {
  std::ifstream file(GPUADVISE_SOURCE_DIR "/data/calibration/speed.json");
  return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("Every speed constant equals its row in data/calibration/speed.json") {
  const auto rows = documented().at("constants");
  REQUIRE(rows.size() == k_calibration.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Calibrated& constant = k_calibration[i];
    INFO(constant.name);
    CHECK(rows[i].at("name") == std::string(constant.name));
    CHECK(rows[i].at("value") == constant.value);
    CHECK(rows[i].at("status") == std::string(name_of(constant.standing)));
    CHECK(rows[i].at("n") == constant.measurements);
  }
}

TEST_CASE("Speed constants that claim to be fitted rest on at least eight measurements of two sources") {
  std::set<std::string> names;
  const auto constants = documented().at("constants");
  for (const auto& entry : constants) {
    INFO(entry.at("name"));
    CHECK(names.insert(entry.at("name").get<std::string>()).second);
    CHECK(entry.at("value").get<double>() > 0.0);
    CHECK_FALSE(entry.at("unit").get<std::string>().empty());
    if (entry.at("status") == "fitted") {
      CHECK(entry.at("n").get<int>() >= 8);
      CHECK(entry.at("fitted_on").get<std::string>().find(',') != std::string::npos);
      CHECK(entry.contains("error"));
    }
  }
}
