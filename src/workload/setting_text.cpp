#include "workload/setting_text.hpp"

#include "workload/fault.hpp"

#include <algorithm>

namespace gpuadvise::workload {

std::string text_of(const Value& value) {
  if (const Value::List* list = value.list()) {
    std::string out;
    for (const Value& each : *list) {
      out += (out.empty() ? "" : ",") + text_of(each);
    }
    return out;
  }
  if (const bool* flag = value.boolean()) {
    return *flag ? "true" : "false";
  }
  if (const double* number = value.number()) {
    return number_text(*number);
  }
  return value.text() != nullptr ? *value.text() : std::string();
}

std::string flag_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string flag_text(const Setting& setting) {
  if (const bool* on = setting.value.boolean()) {
    return (*on ? "--" : "--no-") + flag_name(setting.key);
  }
  return "--" + flag_name(setting.key) + " " + text_of(setting.value);
}

}  // namespace gpuadvise::workload
