#include "host/lines.hpp"

#include <gpuadvise/units.hpp>

#include "host/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gpuadvise::host {
namespace {

constexpr double k_largest_bytes = 1e15;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (lower_case(c) >= 'a' && lower_case(c) <= 'f');
}

// Characters outside ASCII play no part in any of these formats: they become '?'.
std::string from_utf16(std::string_view raw, bool little_endian) {
  std::string text;
  for (std::size_t i = 2; i + 1 < raw.size(); i += 2) {
    const char low = raw[little_endian ? i : i + 1];
    const char high = raw[little_endian ? i + 1 : i];
    text += high == 0 && static_cast<unsigned char>(low) < 0x80 ? low : '?';
  }
  return text;
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool next_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) {
    return false;
  }
  const auto end = rest.find('\n');
  line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  return true;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!(text = trim(text)).empty()) {
    const auto end = std::find_if(text.begin(), text.end(), is_blank);
    out.push_back(text.substr(0, static_cast<std::size_t>(end - text.begin())));
    text.remove_prefix(out.back().size());
  }
  return out;
}

bool is_unknown(std::string_view cell) {
  static constexpr auto unknown = std::to_array<std::string_view>(
      {"", "n/a", "na", "not supported", "unknown error", "unknown", "none", "err!", "could not collect", "no cuda", "null",
       "insufficient permissions", "requested functionality has been deprecated", "gpu is lost"});
  std::string text = lower_case(trim(cell));
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  return std::find(unknown.begin(), unknown.end(), text) != unknown.end();
}

std::string known(std::string_view cell) {
  return is_unknown(cell) ? std::string() : printable(trim(cell));
}

std::optional<int> parse_index(std::string_view cell) {
  cell = trim(cell);
  int value = 0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (cell.empty() || status != std::errc{} || end != cell.data() + cell.size() || value < 0 || value >= 100000) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> parse_amount(std::string_view cell, double unit) {
  cell = trim(cell);
  double value = 0.0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value, std::chars_format::fixed);
  if (cell.empty() || status != std::errc{} || !std::isfinite(value) || value < 0.0) {
    return std::nullopt;
  }
  const std::string suffix = lower_case(trim(cell.substr(static_cast<std::size_t>(end - cell.data()))));
  double bytes = 0.0;
  if (suffix.empty()) {
    bytes = value * unit;
  } else if (suffix == "mib" || suffix == "mb" || suffix == "m") {
    bytes = value * k_mib;
  } else if (suffix == "gib" || suffix == "gb" || suffix == "g") {
    bytes = value * k_gib;
  } else if (suffix == "kib" || suffix == "kb" || suffix == "k") {
    bytes = value * k_kib;
  } else if (suffix == "b") {
    bytes = value;
  } else {
    return std::nullopt;
  }
  return bytes <= k_largest_bytes ? std::optional<double>(bytes) : std::nullopt;
}

std::string device_id(std::string_view cell) {
  cell = trim(cell);
  if (cell.starts_with("0x") || cell.starts_with("0X")) {
    cell.remove_prefix(2);
  }
  if ((cell.size() != 4 && cell.size() != 8) || !std::all_of(cell.begin(), cell.end(), is_hex)) {
    return {};
  }
  return "0x" + lower_case(cell.substr(0, 4));
}

std::string plain_text(std::string_view raw) {
  std::string decoded;
  if (raw.starts_with("\xFF\xFE") || raw.starts_with("\xFE\xFF")) {
    decoded = from_utf16(raw, raw.front() == '\xFF');
    raw = decoded;
  } else if (raw.starts_with("\xEF\xBB\xBF")) {
    raw.remove_prefix(3);
  }
  std::string text;
  text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\x1B') {  // ESC [ numbers ; numbers letter
      const auto letter = raw.find_first_not_of("[0123456789;", i + 1);
      i = letter == std::string_view::npos ? raw.size() : letter;
    } else if (raw[i] != '\0') {
      text += raw[i];
    }
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, k_longest_name)) {
    out += c >= ' ' && c < '\x7F' ? c : '?';
  }
  return out;
}

}  // namespace gpuadvise::host
