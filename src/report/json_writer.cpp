#include "report/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gpuadvise::report {
namespace {

// Length of the valid UTF-8 sequence at the start of the text, 0 when it is malformed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80U) {
    return 1;
  }
  if (lead >= 0xC2U && lead <= 0xDFU) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xE0U && lead <= 0xEFU) {
    const bool overlong = lead == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = lead == 0xEDU && byte(1) >= 0xA0U;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0U && lead <= 0xF4U) {
    const bool overlong = lead == 0xF0U && byte(1) < 0x90U;
    const bool beyond = lead == 0xF4U && byte(1) >= 0x90U;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20U && byte < 0x7fU && c != '"' && c != '\\';
}

// Appends the escape of the character at the start of the text; returns how many bytes it stood for.
std::size_t append_special(std::string& out, std::string_view text) {
  static constexpr std::string_view hex = "0123456789abcdef";
  const char c = text.front();
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (byte < 0x20U || byte == 0x7fU) {
    out += "\\u00";
    out += hex[byte >> 4U];
    out += hex[byte & 0xFU];
  } else if (const std::size_t length = utf8_length(text)) {
    out += text.substr(0, length);
    return length;
  } else {
    out += "\\ufffd";  // the user's own bytes may be anything
  }
  return 1;
}

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto run = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (!text.empty()) {
      text.remove_prefix(append_special(out, text));
    }
  }
}

template <class T>
void append_number(std::string& out, T number) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), result.ptr);
}

constexpr double k_exact_integers = 9007199254740992.0;  // 2^53

}  // namespace

void JsonWriter::newline() {
  if (style_ == Style::indented) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  }
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) {
    out_ += ',';
  }
  if (depth_ > 0) {
    newline();
  }
  first_ = false;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) {
    newline();
  }
  out_ += bracket;
  first_ = false;
}

void JsonWriter::key(std::string_view name) {
  separate();
  out_ += '"';
  out_ += name;
  out_ += style_ == Style::indented ? "\": " : "\":";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  out_ += '"';
  append_escaped(out_, text);
  out_ += '"';
}

void JsonWriter::value(bool flag) {
  separate();
  out_ += flag ? "true" : "false";
}

void JsonWriter::value(double number) {
  separate();
  if (!std::isfinite(number)) {
    out_ += "null";
  } else if (number == std::trunc(number) && std::fabs(number) < k_exact_integers) {
    append_number(out_, static_cast<long long>(number));
  } else {
    append_number(out_, number);
  }
}

void JsonWriter::value(const Value& any) {
  if (const auto* flag = any.boolean()) {
    value(*flag);
  } else if (const auto* number = any.number()) {
    value(*number);
  } else if (const auto* text = any.text()) {
    value(std::string_view(*text));
  } else if (const auto* list = any.list()) {
    begin_array();
    for (const Value& item : *list) {
      value(item);
    }
    end_array();
  } else {
    null();
  }
}

void JsonWriter::null() {
  separate();
  out_ += "null";
}

void JsonWriter::whole_field(std::string_view name, double number) {
  field(name, std::round(number));
}

}  // namespace gpuadvise::report
