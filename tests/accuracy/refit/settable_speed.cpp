// The speed estimator with constants that can be set, for refits that leave cards out. It defines the one function that
// reads the table, so that the linker takes this one instead of the library's.
// Input: a line of a file's path with one request a line ({"gpu":..,"what":..,"request":{..}}), then commands:
//   names                the constants and their values
//   set INDEX VALUE
//   predict N INDEX...   expected figures, 0 where there is none
#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>

#include "advise/candidates.hpp"
#include "catalog/catalog.hpp"
#include "catalog/settings_json.hpp"
#include "catalog/stack_preset.hpp"
#include "estimate/speed/calibration.hpp"
#include "estimate/speed/speed.hpp"
#include "workload/catalog_models.hpp"
#include "workload/resolve.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::estimate {

std::array<double, k_calibration.size()> settable_values;

double constant(std::size_t index) {
  return settable_values[index];
}

}  // namespace gpuadvise::estimate

namespace {

using namespace gpuadvise;

struct Measurement {
  Request request;
  const Gpu* gpu = nullptr;
  std::string what;
};

Measurement read(const std::string& line, const catalog::Catalog& cards, const workload::CatalogModels& models) {
  const auto row = nlohmann::json::parse(line);
  Measurement measurement;
  measurement.what = row.at("what").get<std::string>();
  const auto settings = catalog::read_settings(row.at("request").dump(), "measurement");
  measurement.request = workload::resolve(settings, models, catalog::builtin_stack_presets());
  measurement.gpu = &cards.find_gpu(row.at("gpu").get<std::string>());
  Workload& workload = measurement.request.workload;
  if (advise::needs_fp16(measurement.request, *measurement.gpu)) {
    workload = advise::spread_over(workload, {workload.gpus, workload.strategy}, true);
  }
  return measurement;
}

double predicted(const Measurement& measurement) {
  if (measurement.gpu == nullptr) {
    return 0.0;
  }
  const auto speed = estimate::evaluate_speed(measurement.request.workload, measurement.request.model, *measurement.gpu);
  if (!speed) {
    return 0.0;
  }
  if (measurement.what == "step_seconds") {
    return speed->step_seconds.expected;
  }
  if (measurement.what == "decode") {
    return speed->decode_tokens_per_s ? speed->decode_tokens_per_s->expected : 0.0;
  }
  if (measurement.what == "prefill") {
    return speed->prefill_tokens_per_s ? speed->prefill_tokens_per_s->expected : 0.0;
  }
  return speed->throughput.expected;
}

std::vector<Measurement> read_all(const std::string& path, const catalog::Catalog& cards, const workload::CatalogModels& models) {
  std::vector<Measurement> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    try {
      all.push_back(read(line, cards, models));
    } catch (const Error&) {
      all.emplace_back();  // unanswered, as the program would leave it
    }
  }
  return all;
}

}  // namespace

int main() {
  for (std::size_t i = 0; i < estimate::k_calibration.size(); ++i) {
    estimate::settable_values[i] = estimate::k_calibration[i].value;
  }
  const catalog::Catalog cards(catalog::Sources{});
  const workload::CatalogModels models(cards);
  std::cout.precision(17);  // differences of predictions are taken
  std::string path;
  std::getline(std::cin, path);
  const std::vector<Measurement> measurements = read_all(path, cards, models);
  for (std::string command; std::cin >> command;) {
    if (command == "names") {
      for (const auto& row : estimate::k_calibration) {
        std::cout << row.name << ' ' << row.value << ' ';
      }
      std::cout << std::endl;
    } else if (command == "set") {
      std::size_t index = 0;
      std::cin >> index;
      std::cin >> estimate::settable_values.at(index);
    } else if (command == "predict") {
      std::size_t count = 0;
      std::cin >> count;
      for (std::size_t index = 0; count > 0 && std::cin >> index; --count) {
        std::cout << predicted(measurements.at(index)) << ' ';
      }
      std::cout << std::endl;
    }
  }
}
