#include "catalog/model_key.hpp"

#include "units/lower_case.hpp"

namespace gpuadvise::catalog {
namespace {

// The locale must not decide what a letter is.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char at(std::string_view text, std::size_t i) {
  return i < text.size() ? text[i] : '\0';
}

// "1_5", not "16_224": a version has one digit on either side.
bool is_version_underscore(std::string_view text, std::size_t i) {
  const bool left = i > 0 && is_digit(text[i - 1]) && !(i > 1 && (is_digit(text[i - 2]) || text[i - 2] == '.' || text[i - 2] == '_'));
  return left && is_digit(at(text, i + 1)) && !is_digit(at(text, i + 2));
}

bool is_point(std::string_view text, std::size_t i, bool underscore_is_point) {
  if (text[i] == '.') {
    return i > 0 && is_digit(text[i - 1]) && is_digit(at(text, i + 1));
  }
  return underscore_is_point && text[i] == '_' && is_version_underscore(text, i);
}

// Before text[i], an alphanumeric that follows another: does a new word begin?
bool begins_word(std::string_view text, std::size_t i) {
  const char before = text[i - 1];
  if (is_letter(before)) {
    return is_digit(text[i]);
  }
  return is_digit(before) && is_letter(text[i]) && is_letter(at(text, i + 1));
}

}  // namespace

std::size_t write_model_key(std::string_view text, char* out, std::size_t capacity, bool underscore_is_point) {
  std::size_t length = 0;
  const auto put = [&](char c) {
    if (length < capacity) {
      out[length] = c;
    }
    ++length;
  };
  bool parted = true;  // a separator here would be at the front or doubled
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_digit(c) || is_letter(c)) {
      if (!parted && (is_digit(text[i - 1]) || is_letter(text[i - 1])) && begins_word(text, i)) {
        put('-');
      }
      put(lower_case(c));
      parted = false;
    } else if (is_point(text, i, underscore_is_point)) {
      put('.');
    } else if (!parted) {
      put('-');
      parted = true;
    }
  }
  if (parted && length > 0) {
    --length;
  }
  return length <= capacity ? length : 0;
}

std::string model_key(std::string_view text, bool underscore_is_point) {
  std::string key(2 * text.size() + 1, '\0');
  key.resize(write_model_key(text, key.data(), key.size(), underscore_is_point));
  return key;
}

}  // namespace gpuadvise::catalog
