#include "catalog/near_name.hpp"

#include "units/lower_case.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gpuadvise::catalog {
namespace {

// Names are ASCII; the C library's own tests would ask the locale for each character of thousands of names.
void squeeze(std::string_view text, std::string& into) {
  into.clear();
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      into.push_back(lower_case(c));
    }
  }
}

std::string squeezed(std::string_view text) {
  std::string out;
  squeeze(text, out);
  return out;
}

// Optimal string alignment with three rolling rows; a swap is one edit, as typing errors are. Only cells within `limit` of the
// diagonal can lie on a path that is short enough. Keeps its rows, for a search through many names.
class Aligner {
 public:
  [[nodiscard]] std::size_t distance(std::string_view from, std::string_view to, std::size_t limit) {
    const std::size_t gap = from.size() > to.size() ? from.size() - to.size() : to.size() - from.size();
    const std::size_t too_far = limit + 1;
    if (gap > limit) {
      return too_far;
    }
    before_.assign(to.size() + 2, too_far);
    last_.assign(to.size() + 2, too_far);
    row_.assign(to.size() + 2, too_far);
    for (std::size_t j = 0; j <= std::min(to.size(), limit); ++j) {
      last_[j] = j;
    }
    for (std::size_t i = 1; i <= from.size(); ++i) {
      const std::size_t first = i > limit ? i - limit : 0;
      const std::size_t final = std::min(to.size(), i + limit);
      std::size_t best = too_far;
      for (std::size_t j = first; j <= final; ++j) {
        row_[j] = j == 0 ? i : cell(from, to, i, j, j == first);
        best = std::min(best, row_[j]);
      }
      row_[final + 1] = too_far;
      if (best > limit) {
        return too_far;
      }
      std::swap(before_, last_);
      std::swap(last_, row_);
    }
    return std::min(last_[to.size()], too_far);
  }

 private:
  // `edge`: the cell to the left lies outside the band.
  [[nodiscard]] std::size_t cell(std::string_view from, std::string_view to, std::size_t i, std::size_t j, bool edge) const {
    std::size_t least = std::min(last_[j - 1] + (from[i - 1] == to[j - 1] ? 0U : 1U), last_[j] + 1);
    if (!edge) {
      least = std::min(least, row_[j - 1] + 1);
    }
    if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
      least = std::min(least, before_[j - 2] + 1);
    }
    return least;
  }

  std::vector<std::size_t> before_, last_, row_;
};

// Words of at least `shortest` characters, longest first.
std::vector<std::string> words_by_length(std::string_view text, std::size_t shortest) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_letter_or_digit(text[i])) {
      word.push_back(lower_case(text[i]));
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
  return Aligner().distance(squeezed(from), squeezed(to), limit);
}

std::vector<std::string_view> near_names(std::string_view text, std::span<const std::string_view> candidates, std::size_t limit) {
  constexpr std::size_t k_shortest_part = 3;  // two letters occur in nearly every name
  const std::string key = squeezed(text);
  if (key.empty()) {
    return {};
  }
  const std::size_t allowed = std::max<std::size_t>(1, key.size() / 4);
  std::vector<Ranked> near;
  Aligner aligner;
  std::string name;
  for (const std::string_view candidate : candidates) {
    squeeze(candidate, name);
    const std::size_t distance = aligner.distance(key, name, allowed);
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
