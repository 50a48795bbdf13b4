#include "report/separated.hpp"

#include "report/json_writer.hpp"

#include <algorithm>

namespace gpuadvise::report {
namespace {

std::string text_of(const Value& value) {
  if (value.is_null()) {
    return {};
  }
  if (const auto* text = value.text()) {
    return *text;
  }
  std::string number;
  JsonWriter(number).value(value);
  return number;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace

std::string separated_line(std::span<const Value> values, char separator) {
  std::string line;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string text = text_of(values[i]);
    if (separator == ',') {
      text = quoted(text);
    } else {
      std::replace_if(
          text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    }
    line += (i > 0 ? std::string(1, separator) : "") + text;
  }
  return line + "\n";
}

}  // namespace gpuadvise::report
