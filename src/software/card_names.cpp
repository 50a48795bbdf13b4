#include "software/diagnosis.hpp"
#include "units/lower_case.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::software {
namespace {

constexpr std::size_t k_longest_name = 60;
constexpr std::size_t k_most_names = 16;

// The words that begin a name; the maker's comes before the brand's.
constexpr auto k_beginnings =
    std::to_array<std::string_view>({"nvidia ", "geforce ", "tesla ", "quadro ", "amd radeon ", "amd instinct ", "radeon ", "intel arc "});
// What ends one.
constexpr auto k_ends = std::to_array<std::string_view>(
    {"(", ")", ",", ";", "|", "'", "\"", "[", "]", ":", " with ", " which ", " is ", " has ", " - ", " off ", " on ", " gpu ", " and "});

// "Intel(R) Arc(TM) A770": the marks are no part of what the catalog calls it.
std::string without_marks(std::string line) {
  for (const std::string_view mark : {"(R)", "(r)", "(TM)", "(tm)"}) {
    for (auto at = line.find(mark); at != std::string::npos; at = line.find(mark, at)) {
      line.erase(at, mark.size());
    }
  }
  return line;
}

std::string name_at(std::string_view line, std::string_view low, std::size_t at, std::size_t beginning) {
  std::size_t end = std::min(line.size(), at + k_longest_name);
  for (const std::string_view stop : k_ends) {
    end = std::min(end, low.find(stop, at + beginning - 1));
  }
  std::string name(line.substr(at, end - at));
  name.erase(name.find_last_not_of(" .") + 1);
  return name;
}

}  // namespace

std::vector<std::string> card_names(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& whole : lines) {
    const std::string line = without_marks(whole);
    const std::string low = lower_case(line);
    for (const std::string_view beginning : k_beginnings) {
      const std::size_t at = low.find(beginning);
      std::string name = at == std::string::npos ? std::string() : name_at(line, low, at, beginning.size());
      const bool more_than_maker = name.size() > beginning.size();
      if (more_than_maker && names.size() < k_most_names && std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

bool LogReport::out_of_memory() const {
  return std::any_of(found.begin(), found.end(), [](const Diagnosis& diagnosis) { return diagnosis.error->memory; });
}

}  // namespace gpuadvise::software
