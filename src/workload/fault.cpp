#include "workload/fault.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace gpuadvise::workload {
namespace {

constexpr std::size_t k_longest_quote = 60;
constexpr int k_deepest_quote = 3;

std::string joined_message(const Faults& faults) {
  if (faults.empty()) {
    return "the request is faulty";
  }
  if (faults.size() == 1) {
    return faults.front().message;
  }
  std::string text;
  for (const Fault& fault : faults) {
    text += (text.empty() ? "" : "\n") + fault.message + (fault.hint.empty() ? "" : " (" + fault.hint + ")");
  }
  return text;
}

std::string plain(const Value& value, int depth) {
  if (const auto* text = value.text()) {
    return *text;
  }
  if (const auto* number = value.number()) {
    return number_text(*number);
  }
  if (const auto* flag = value.boolean()) {
    return *flag ? "true" : "false";
  }
  const auto* list = value.list();
  if (list == nullptr) {
    return "null";
  }
  if (depth == k_deepest_quote) {
    return "[...]";
  }
  std::string text = "[";
  for (const Value& item : *list) {
    text += (text.size() > 1 ? ", " : "") + plain(item, depth + 1);
    if (text.size() > k_longest_quote) {
      break;
    }
  }
  return text + "]";
}

}  // namespace

RequestError::RequestError(Faults faults)
    : Error(faults.empty() ? ErrorCode::invalid_value : faults.front().code, joined_message(faults),
            faults.size() == 1 ? faults.front().hint : std::string()),
      faults_(std::move(faults)) {}

std::string quoted(const Value& value) {
  std::string text = plain(value, 0);
  if (text.size() > k_longest_quote) {
    // Cut between characters, not inside one.
    std::size_t end = k_longest_quote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    text = text.substr(0, end) + "...";
  }
  return "'" + text + "'";
}

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  std::array<char, 32> buffer{};
  const bool whole = std::fabs(value) < 1e15 && value == std::floor(value);
  const int length = std::snprintf(buffer.data(), buffer.size(), whole ? "%.0f" : "%.6g", value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace gpuadvise::workload
