#include "software/oom.hpp"

#include <gpuadvise/units.hpp>

#include "software/error_patterns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace gpuadvise::software {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

// PyTorch prints binary units; the MPS backend writes GB for the same.
constexpr auto k_units = std::to_array<Unit>({{"kib", 0x1p10},
                                              {"mib", 0x1p20},
                                              {"gib", 0x1p30},
                                              {"tib", 0x1p40},
                                              {"kb", 0x1p10},
                                              {"mb", 0x1p20},
                                              {"gb", 0x1p30},
                                              {"tb", 0x1p40},
                                              {"bytes", 1.0}});

bool number_char(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

std::optional<double> parse_amount(std::string_view digits, std::string_view unit_text) {
  double value = 0.0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc() || end == digits.data() || !(value >= 0.0) || value > 1e12) {
    return std::nullopt;
  }
  for (const Unit& unit : k_units) {
    if (unit_text.starts_with(unit.name)) {
      return value * unit.bytes;
    }
  }
  return std::nullopt;
}

// "1.50 gib" at the start of the text.
std::optional<double> amount_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t length = 0;
  while (length < text.size() && length < 32 && number_char(text[length])) {
    ++length;
  }
  std::string_view rest = text.substr(length);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return length == 0 ? std::nullopt : parse_amount(text.substr(0, length), rest);
}

std::optional<double> amount_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string_view::npos ? std::nullopt : amount_at(text.substr(at + words.size()));
}

// "20.00 gib already allocated": the number stands before the words.
std::optional<double> amount_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view before = text.substr(0, at);
  const std::size_t unit_end = before.find_last_not_of(' ');
  if (unit_end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t unit = before.rfind(' ', unit_end);
  if (unit == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t digits_end = before.find_last_not_of(' ', unit);
  if (digits_end == std::string_view::npos || !number_char(before[digits_end])) {
    return std::nullopt;
  }
  std::size_t digits = digits_end;
  while (digits > 0 && number_char(before[digits - 1])) {
    --digits;
  }
  return parse_amount(before.substr(digits, digits_end - digits + 1), before.substr(unit + 1));
}

std::optional<double> first_of(std::initializer_list<std::optional<double>> amounts) {
  for (const auto& amount : amounts) {
    if (amount) {
      return amount;
    }
  }
  return std::nullopt;
}

std::optional<int> gpu_number(std::string_view text) {
  for (const std::string_view words : {"(gpu ", ". gpu ", " gpu "}) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) {
      continue;
    }
    int number = 0;
    const char* start = text.data() + at + words.size();
    const auto [end, fault] = std::from_chars(start, text.data() + text.size(), number);
    if (fault == std::errc() && end != start && number >= 0 && number < 1024) {
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> MemoryPicture::idle_bytes() const {
  if (!reserved_bytes || !allocated_bytes) {
    return std::nullopt;
  }
  return std::max(0.0, *reserved_bytes - *allocated_bytes);
}

bool MemoryPicture::fragmented() const {
  const auto idle = idle_bytes();
  return idle && ((asked_bytes && *idle >= *asked_bytes) || *idle > 0.1 * *reserved_bytes);
}

std::optional<double> MemoryPicture::others_bytes() const {
  if (!total_bytes || !free_bytes || !process_bytes) {
    return std::nullopt;
  }
  return std::max(0.0, *total_bytes - *free_bytes - *process_bytes);
}

std::optional<MemoryPicture> parse_out_of_memory(std::string_view raw) {
  const std::string text = normalised(raw.substr(0, 65536));
  if (text.find("out of memory") == std::string::npos && text.find("tried to allocate") == std::string::npos) {
    return std::nullopt;
  }
  MemoryPicture picture;
  picture.asked_bytes = amount_after(text, "tried to allocate ");
  picture.gpu = gpu_number(text);
  // 2.1 wrote "capacty".
  picture.total_bytes = first_of({amount_after(text, "total capacity of "), amount_after(text, "total capacty of "),
                                  amount_before(text, "total capacity"), amount_after(text, "max allowed: ")});
  picture.free_bytes = first_of({amount_after(text, "of which "), amount_before(text, "free;"), amount_before(text, "free)")});
  picture.process_bytes = amount_after(text, "this process has ");
  picture.allocated_bytes = first_of(
      {amount_after(text, "of the allocated memory "), amount_before(text, "already allocated"), amount_after(text, "mps allocated: ")});
  picture.reserved_bytes = first_of({amount_before(text, "reserved in total"), amount_before(text, "cached")});
  // The newer wording gives what is reserved beyond what is allocated.
  if (const auto idle = amount_before(text, "is reserved by pytorch but unallocated"); idle && picture.allocated_bytes) {
    picture.reserved_bytes = *picture.allocated_bytes + *idle;
  }
  return picture;
}

}  // namespace gpuadvise::software
