#include "catalog/near_name.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace gpuadvise::catalog {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string squeezed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_word(c)) {
      out.push_back(lower(c));
    }
  }
  return out;
}

// Optimal string alignment with three rolling rows; a swap is one edit, as typing errors are.
std::size_t aligned_distance(std::string_view from, std::string_view to, std::size_t limit) {
  const std::size_t gap = from.size() > to.size() ? from.size() - to.size() : to.size() - from.size();
  if (gap > limit) {
    return limit + 1;
  }
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0U : 1U);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      best = std::min(best, row[j]);
    }
    if (best > limit) {
      return limit + 1;
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[to.size()], limit + 1);
}

// Words of at least `shortest` characters, longest first.
std::vector<std::string> words_by_length(std::string_view text, std::size_t shortest) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_word(text[i])) {
      word.push_back(lower(text[i]));
      continue;
    }
    if (word.size() >= shortest) {
      words.push_back(word);
    }
    word.clear();
  }
  std::stable_sort(words.begin(), words.end(), [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return words;
}

struct Ranked {
  std::size_t score;
  std::string_view name;
};

std::vector<std::string_view> best_of(std::vector<Ranked>& ranked, std::size_t limit) {
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.score != b.score ? a.score < b.score : a.name < b.name; });
  std::vector<std::string_view> names;
  for (const Ranked& entry : ranked) {
    if (names.size() == limit) {
      break;
    }
    if (names.empty() || names.back() != entry.name) {
      names.push_back(entry.name);
    }
  }
  return names;
}

std::vector<Ranked> containing(std::string_view part, std::span<const std::string_view> candidates) {
  std::vector<Ranked> hits;
  for (const std::string_view candidate : candidates) {
    const std::string key = squeezed(candidate);
    if (key.find(part) != std::string::npos) {
      hits.push_back({key.size(), candidate});
    }
  }
  return hits;
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit) {
  return aligned_distance(squeezed(from), squeezed(to), limit);
}

std::vector<std::string_view> near_names(std::string_view text, std::span<const std::string_view> candidates, std::size_t limit) {
  constexpr std::size_t k_shortest_part = 3;  // two letters occur in nearly every name
  const std::string key = squeezed(text);
  if (key.empty()) {
    return {};
  }
  const std::size_t allowed = std::max<std::size_t>(1, key.size() / 4);
  std::vector<Ranked> near;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = aligned_distance(key, squeezed(candidate), allowed);
    if (distance <= allowed) {
      near.push_back({distance, candidate});
    }
  }
  if (near.empty() && key.size() >= k_shortest_part) {
    near = containing(key, candidates);
  }
  for (const std::string& word : words_by_length(text, k_shortest_part)) {
    if (!near.empty()) {
      break;
    }
    near = containing(word, candidates);
  }
  return best_of(near, limit);
}

}  // namespace gpuadvise::catalog
