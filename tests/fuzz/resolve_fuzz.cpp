// Any keys and values: a request or an Error, never a crash or a hang. A line of the input is one setting, key=value; values
// that begin with '#' are numbers, with '[' lists.
#include <gpuadvise/units.hpp>

#include "unit/workload/sample_models.hpp"
#include "workload/describe.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using gpuadvise::Value;

Value value_from(std::string_view text) {
  if (!text.empty() && text.front() == '#') {
    return std::strtod(std::string(text.substr(1)).c_str(), nullptr);
  }
  if (!text.empty() && text.front() == '[') {
    Value::List items;
    std::string_view rest = text.substr(1);
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      const std::string_view item = rest.substr(0, comma);
      const auto number = gpuadvise::parse_number(item);
      items.push_back(number ? Value(*number) : Value(std::string(item)));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return items;
  }
  return std::string(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<gpuadvise::Setting> settings;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const auto equals = line.find('=');
    settings.push_back({std::string(line.substr(0, equals)),
                        equals == std::string_view::npos ? Value() : value_from(line.substr(equals + 1)), gpuadvise::Origin::file});
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  try {
    const auto request = gpuadvise::workload::resolve(settings, gpuadvise::workload::SampleModels(), gpuadvise::workload::k_sample_presets);
    static_cast<void>(gpuadvise::workload::summary(request));
    static_cast<void>(gpuadvise::workload::describe(request));
  } catch (const gpuadvise::Error&) {
  }
  return 0;
}
