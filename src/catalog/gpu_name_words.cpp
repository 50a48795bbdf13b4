#include "catalog/gpu_name_words.hpp"

#include "catalog/gpu_names.hpp"
#include "units/joined.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace gpuadvise::catalog {
namespace {

constexpr auto k_makers = std::to_array<std::string_view>({"nvidia", "amd", "intel", "apple", "huawei", "moore", "threads"});
constexpr auto k_series = std::to_array<std::string_view>({"rtx", "gtx", "rx"});
constexpr auto k_brands =
    std::to_array<std::string_view>({"geforce", "quadro", "tesla", "radeon", "instinct", "arc", "rtx", "gtx", "gt", "rx"});
// Words that carry no meaning in a card's name.
constexpr auto k_noise = std::to_array<std::string_view>({"gpu", "gpus", "generation", "gen", "graphics", "card", "tm", "edition"});
// Brands that people write without the space.
constexpr auto k_glued_front = std::to_array<std::string_view>({"geforce", "quadro", "radeon", "titan", "tesla", "rtx", "gtx", "rx", "gt"});
constexpr auto k_glued_end = std::to_array<std::string_view>({"tisuper", "super", "xtx", "gre", "xt", "ti", "d"});
constexpr auto k_apple_tiers = std::to_array<std::string_view>({"pro", "max", "ultra"});

bool among(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Letters and digits in lower case and '+'; anything else parts words. "(R)" and "(TM)" vanish.
std::vector<std::string> raw_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'A' && c <= 'Z') {
      words.back() += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || is_digit(c) || c == '+') {
      words.back() += c;
    } else {
      if (c == '(' && text.substr(i, 3) == "(R)") {
        i += 2;
      }
      if (!words.back().empty()) {
        words.emplace_back();
      }
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

// "rtx4090ti" -> "rtx", "4090", "ti"; "m4max" -> "m4", "max".
void part(std::string_view word, std::vector<std::string>& into) {
  for (const std::string_view front : k_glued_front) {
    if (word.size() > front.size() && word.starts_with(front) && (is_digit(word[front.size()]) || front.size() > 3)) {
      into.emplace_back(front);
      word.remove_prefix(front.size());
      break;
    }
  }
  if (word.size() > 2 && word[0] == 'm' && is_digit(word[1]) && among(k_apple_tiers, word.substr(2))) {
    into.emplace_back(word.substr(0, 2));
    into.emplace_back(word.substr(2));
    return;
  }
  for (const std::string_view end : k_glued_end) {
    if (word.size() >= end.size() + 3 && word.ends_with(end) && all_digits(word.substr(0, word.size() - end.size()))) {
      into.emplace_back(word.substr(0, word.size() - end.size()));
      if (end == "tisuper") {
        into.insert(into.end(), {"ti", "super"});
      } else {
        into.emplace_back(end);
      }
      return;
    }
  }
  into.emplace_back(word);
}

bool is_gb(std::string_view word) {
  return word == "gb" || word == "gib" || word == "g";
}

// "24g", "24gib" -> "24gb"; "sxm4" -> "sxm"; "mobile" -> "laptop".
std::string canonical(std::string_view word) {
  const std::size_t digits = std::find_if_not(word.begin(), word.end(), is_digit) - word.begin();
  if (digits > 0 && is_gb(word.substr(digits))) {
    return std::string(word.substr(0, digits)) + "gb";
  }
  if (word.size() == 4 && word.starts_with("sxm") && is_digit(word[3])) {
    return "sxm";
  }
  return word == "mobile" || word == "notebook" ? "laptop" : std::string(word);
}

}  // namespace

std::string normalise_gpu_name(std::string_view text) {
  std::vector<std::string> parted;
  for (const std::string& word : raw_words(text)) {
    part(word, parted);
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < parted.size(); ++i) {
    std::string word = parted[i];
    const std::string_view next = i + 1 < parted.size() ? std::string_view(parted[i + 1]) : std::string_view();
    if (all_digits(word) && word.size() <= 3 && is_gb(next)) {
      word += "gb";
      ++i;
    } else if (word == "max" && next == "q") {
      word = "maxq";
      ++i;
    }
    word = canonical(word);
    if (!among(k_noise, word)) {
      words.push_back(std::move(word));
    }
  }
  return joined(words, " ");
}

std::string brief_gpu_name(std::string_view normalised) {
  std::vector<std::string> kept;
  for (std::string& word : words_of(normalised)) {
    if (!is_maker_word(word) && !is_brand_word(word)) {
      kept.push_back(std::move(word));
    }
  }
  return kept.empty() ? std::string(normalised) : joined(kept, " ");
}

std::vector<std::string> words_of(std::string_view normalised) {
  std::vector<std::string> words;
  while (!normalised.empty()) {
    const std::size_t end = std::min(normalised.find(' '), normalised.size());
    words.emplace_back(normalised.substr(0, end));
    normalised.remove_prefix(std::min(end + 1, normalised.size()));
  }
  return words;
}

bool contains_word(std::string_view normalised, std::string_view word) {
  for (std::size_t at = normalised.find(word); at != std::string_view::npos; at = normalised.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || normalised[at - 1] == ' ') && (end == normalised.size() || normalised[end] == ' ')) {
      return true;
    }
  }
  return false;
}

bool is_maker_word(std::string_view word) {
  return among(k_makers, word);
}

bool is_brand_word(std::string_view word) {
  return among(k_brands, word);
}

bool is_series_word(std::string_view word) {
  return among(k_series, word);
}

std::optional<double> memory_word(std::string_view word) {
  if (word.size() < 3 || !word.ends_with("gb") || !all_digits(word.substr(0, word.size() - 2))) {
    return std::nullopt;
  }
  double gib = 0.0;
  std::from_chars(word.data(), word.data() + word.size() - 2, gib);
  return gib;
}

std::optional<std::string> pci_device_id(std::string_view text) {
  const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  if (text.size() == 9 && (text[4] == ':' || text[4] == '-') && std::all_of(text.begin(), text.begin() + 4, is_hex)) {
    text.remove_prefix(5);  // the vendor's part
  } else if (text.size() == 6 && (text.starts_with("0x") || text.starts_with("0X"))) {
    text.remove_prefix(2);
  } else {
    return std::nullopt;
  }
  if (!std::all_of(text.begin(), text.end(), is_hex)) {
    return std::nullopt;
  }
  std::string id = "0x";
  for (const char c : text) {
    id += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return id;
}

}  // namespace gpuadvise::catalog
