#include "catalog/parse_json.hpp"

#include <gpuadvise/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace gpuadvise::catalog {
namespace {

using nlohmann::json;

// The library copies and frees nested values recursively: deep nesting would exhaust the stack.
constexpr int k_deepest = 64;

// Characters that steer a terminal: C0 without tab, line feed and carriage return, DEL, and C1 as UTF-8 writes it.
bool holds_control(std::string_view text) {
  unsigned char before = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F || (before == 0xC2 && byte >= 0x80 && byte < 0xA0)) {
      return true;
    }
    before = byte;
  }
  return false;
}

// Watches the parse for what the library accepts silently.
class Watch {
 public:
  Watch(const std::string& file, ControlCharacters controls) : file_(file), controls_(controls) {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > k_deepest) {
      throw Error(ErrorCode::bad_data, "nested deeper than " + std::to_string(k_deepest) + " levels", {}, file_);
    }
    if (controls_ == ControlCharacters::refused && parsed.is_string() &&
        (event == json::parse_event_t::key || event == json::parse_event_t::value) && holds_control(parsed.get_ref<const std::string&>())) {
      throw Error(ErrorCode::bad_data, "a text with a control character", "names and notes are printed: leave such characters out", file_);
    }
    if (event == json::parse_event_t::object_start) {
      keys_.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys_.pop_back();
    } else if (event == json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      throw Error(ErrorCode::bad_data, "duplicate key '" + parsed.get<std::string>() + "'", "keep one of them", file_);
    }
    return true;
  }

 private:
  const std::string& file_;
  ControlCharacters controls_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value - why; last read: 'x'"
std::string parse_fault(std::string_view message) {
  if (message.starts_with("[json.exception.out_of_range")) {
    return "not valid JSON: a number is too large" + std::string(message.substr(std::min(message.find(" parsing"), message.size())));
  }
  const auto column = message.find("column ");
  const auto colon = message.find(": ", column == std::string_view::npos ? 0 : column);
  return "not valid JSON: " + std::string(colon == std::string_view::npos ? message : message.substr(colon + 2));
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const auto column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return std::to_string(line) + ":" + std::to_string(std::max<std::size_t>(column, 1));
}

json parse_json(std::string_view text, const std::string& file, ControlCharacters controls) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorCode::bad_data, "the file is empty", "expected JSON", file);
  }
  // The parser takes a NUL byte for the end of the text.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    throw Error(ErrorCode::bad_data, "a NUL byte", "expected JSON text", file + ":" + line_and_column(text, nul));
  }
  try {
    Watch watch(file, controls);
    return json::parse(text, std::ref(watch));
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    throw Error(ErrorCode::bad_data, parse_fault(error.what()), {}, file + ":" + line_and_column(text, offset));
  } catch (const json::out_of_range&) {
    // The library has no position for it.
    throw Error(ErrorCode::bad_data, "not valid JSON: a number is too large", {}, file);
  }
}

}  // namespace gpuadvise::catalog
