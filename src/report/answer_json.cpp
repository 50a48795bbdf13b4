#include "report/answer_json.hpp"

#include <gpuadvise/version.hpp>

#include "report/request_json.hpp"

#include <cmath>

namespace gpuadvise::report {

void begin_answer(JsonWriter& json, std::string_view data_version) {
  json.begin_object();
  json.field("schema_version", 1);
  json.key("tool");
  json.begin_object();
  json.field("name", "gpuadvise");
  json.field("version", k_version);
  json.field("data_version", data_version);
  json.end_object();
}

void write_request(JsonWriter& json, const Request& request) {
  json.key("request");
  json.begin_object();
  write_request_members(json, request);
  json.end_object();
}

double rounded(double value) {
  if (value == 0.0 || !std::isfinite(value)) {
    return value;
  }
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(std::fabs(value))));
  return scale > 1e15 || scale < 1e-15 ? value : std::round(value * scale) / scale;
}

void write_interval(JsonWriter& json, std::string_view name, const Interval& interval) {
  json.key(name);
  json.begin_object();
  json.field("low", rounded(interval.low));
  json.field("expected", rounded(interval.expected));
  json.field("high", rounded(interval.high));
  json.end_object();
}

}  // namespace gpuadvise::report
