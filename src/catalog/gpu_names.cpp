#include "catalog/gpu_names.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/enum_names.hpp"
#include "catalog/gpu_name_words.hpp"
#include "catalog/near_name.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace gpuadvise::catalog {
namespace {

using Indexes = std::vector<std::uint32_t>;

constexpr std::size_t k_suggestions = 3;

// A lookup in progress: the tables and the text in its forms.
struct Search {
  std::span<const GpuName> names;
  std::span<const Gpu> gpus;
  std::vector<std::string> words;
  std::string full;
  std::string brief;
  bool says_laptop = false;
};

void add(Indexes& list, std::uint32_t gpu) {
  if (std::find(list.begin(), list.end(), gpu) == list.end()) {
    list.push_back(gpu);
  }
}

enum class Brief : bool { no, yes };

// Cards of that very name, brief names left out or not.
Indexes named(std::span<const GpuName> names, std::string_view key, Brief brief) {
  Indexes found;
  auto entry =
      std::lower_bound(names.begin(), names.end(), key, [](const GpuName& name, std::string_view text) { return name.normalised < text; });
  for (; entry != names.end() && entry->normalised == key; ++entry) {
    if (brief == Brief::yes || entry->kind != NameKind::brief) {
      add(found, entry->gpu);
    }
  }
  return found;
}

bool is_laptop(const Search& search, std::uint32_t gpu) {
  return search.gpus[gpu].segment == Segment::laptop;
}

bool has_word(const Search& search, std::uint32_t gpu, std::string_view word) {
  return std::any_of(search.names.begin(), search.names.end(),
                     [&](const GpuName& name) { return name.gpu == gpu && contains_word(name.normalised, word); });
}

bool memory_is(const Gpu& gpu, double gib) {
  return std::abs(gpu.memory_gib - gib) < 0.5;
}

bool answers_to(const Search& search, std::uint32_t gpu, std::string_view word) {
  if (has_word(search, gpu, word)) {
    return true;
  }
  if (const auto gib = memory_word(word)) {
    return memory_is(search.gpus[gpu], *gib);
  }
  if (word == "laptop" || word == "maxq") {
    return is_laptop(search, gpu);
  }
  return word == enum_name(search.gpus[gpu].form_factor);
}

// Drops laptop parts unless the text asks for them, and cards of another brand than the text names ("RTX 6600" is no Radeon).
Indexes suitable(const Search& search, const Indexes& found) {
  Indexes kept;
  for (const std::uint32_t gpu : found) {
    const bool brand = std::all_of(search.words.begin(), search.words.end(),
                                   [&](const std::string& word) { return !is_series_word(word) || has_word(search, gpu, word); });
    if (brand && (search.says_laptop || !is_laptop(search, gpu))) {
      kept.push_back(gpu);
    }
  }
  return kept;
}

// The variants of an ambiguous name; "Quadro 6000" keeps only those that are called Quadro.
std::optional<GpuLookup> ambiguous_variants(const Search& search, std::span<const AmbiguousName> ambiguous) {
  for (const AmbiguousName& name : ambiguous) {
    if (name.normalised != search.brief) {
      continue;
    }
    const Indexes all(name.gpus.begin(), name.gpus.end());
    Indexes kept;
    for (const std::uint32_t gpu : suitable(search, all)) {
      if (std::all_of(search.words.begin(), search.words.end(),
                      [&](const std::string& word) { return !is_brand_word(word) || has_word(search, gpu, word); })) {
        kept.push_back(gpu);
      }
    }
    return GpuLookup{kept.empty() ? all : kept, kept.size() == 1 ? std::string_view() : name.hint, {}};
  }
  return std::nullopt;
}

// "RTX 4090 24GB": a size that only repeats what the card has changes nothing.
Indexes named_without_memory(const Search& search) {
  std::string rest;
  std::optional<double> gib;
  for (const std::string& word : search.words) {
    if (const auto size = memory_word(word)) {
      gib = size;
    } else {
      rest += (rest.empty() ? "" : " ") + word;
    }
  }
  Indexes found;
  if (!gib || rest.empty()) {
    return found;
  }
  for (const std::uint32_t gpu : named(search.names, rest, Brief::no)) {
    if (memory_is(search.gpus[gpu], *gib)) {
      found.push_back(gpu);
    }
  }
  return found;
}

Indexes holding_all_words(const Search& search) {
  Indexes found;
  if (search.words.empty()) {
    return found;
  }
  for (std::uint32_t gpu = 0; gpu < search.gpus.size(); ++gpu) {
    if (std::all_of(search.words.begin(), search.words.end(),
                    [&](const std::string& word) { return is_maker_word(word) || answers_to(search, gpu, word); })) {
      found.push_back(gpu);
    }
  }
  return found;
}

// Where only the laptop rule kept a text from its cards, those come first.
std::vector<std::string_view> suggestions(const Search& search) {
  std::vector<std::string_view> ids;
  for (const std::uint32_t gpu : holding_all_words(search)) {
    if (ids.size() < k_suggestions && is_laptop(search, gpu)) {
      ids.push_back(search.gpus[gpu].id);
    }
  }
  if (!ids.empty()) {
    return ids;
  }
  std::vector<std::string_view> all;
  all.reserve(search.gpus.size());
  for (const Gpu& gpu : search.gpus) {
    all.push_back(gpu.id);
  }
  return near_names(search.full, all, k_suggestions);
}

// A maker, a brand, a memory size or "laptop" alone names no card.
bool names_a_class(const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return is_maker_word(word) || is_brand_word(word) || memory_word(word) || word == "laptop" || word == "maxq";
  });
}

}  // namespace

GpuLookup resolve_gpu(std::string_view text, std::span<const GpuName> names, std::span<const Gpu> gpus,
                      std::span<const AmbiguousName> ambiguous) {
  if (const auto id = pci_device_id(text)) {
    if (Indexes found = named(names, *id, Brief::no); !found.empty()) {
      const std::string_view doubt = found.size() > 1 ? "one PCI id, several cards: the memory size tells them apart" : "";
      return {std::move(found), doubt, {}};
    }
  }
  Search search{names, gpus, {}, normalise_gpu_name(text), {}, false};
  search.brief = brief_gpu_name(search.full);
  search.words = words_of(search.full);
  search.says_laptop =
      std::any_of(search.words.begin(), search.words.end(), [](const std::string& word) { return word == "laptop" || word == "maxq"; });
  if (Indexes found = named(names, search.full, Brief::no); !found.empty()) {
    return {std::move(found), {}, {}};
  }
  if (auto variants = ambiguous_variants(search, ambiguous)) {
    return std::move(*variants);
  }
  if (Indexes found = suitable(search, named(names, search.brief, Brief::yes)); !found.empty()) {
    return {std::move(found), {}, {}};
  }
  if (Indexes found = named_without_memory(search); !found.empty()) {
    return {std::move(found), {}, {}};
  }
  if (names_a_class(search.words)) {
    return {};
  }
  if (Indexes found = suitable(search, holding_all_words(search)); !found.empty()) {
    return {std::move(found), {}, {}};
  }
  return {{}, {}, suggestions(search)};
}

std::vector<GpuName> build_gpu_names(std::span<const GpuRecord> gpus, TextPool& texts) {
  std::map<std::pair<std::string, std::uint32_t>, NameKind> unique;
  const auto enter = [&](std::string normalised, std::size_t gpu, NameKind kind) {
    if (!normalised.empty()) {
      unique.emplace(std::pair(std::move(normalised), static_cast<std::uint32_t>(gpu)), kind);  // the first kind stays
    }
  };
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const GpuRecord& record = gpus[i];
    enter(normalise_gpu_name(record.gpu.id), i, NameKind::id);
    enter(normalise_gpu_name(record.gpu.name), i, NameKind::name);
    for (const std::string_view alias : record.aliases) {
      enter(normalise_gpu_name(alias), i, NameKind::alias);
    }
    for (const std::string_view driver : record.driver_names) {
      enter(normalise_gpu_name(driver), i, NameKind::driver);
    }
    for (const std::string_view pci : record.pci_device_ids) {
      enter(pci_device_id(pci).value_or(""), i, NameKind::pci);
    }
  }
  const auto full = unique;
  for (const auto& [key, kind] : full) {
    if (kind != NameKind::pci) {
      enter(brief_gpu_name(key.first), key.second, NameKind::brief);
    }
  }
  std::vector<GpuName> names;
  names.reserve(unique.size());
  for (const auto& [key, kind] : unique) {
    names.push_back({texts.keep(key.first), key.second, kind});
  }
  std::sort(names.begin(), names.end(), [](const GpuName& a, const GpuName& b) {
    return std::tie(a.normalised, a.kind, a.gpu) < std::tie(b.normalised, b.kind, b.gpu);
  });
  return names;
}

std::vector<AmbiguousName> build_ambiguous_names(std::span<const AmbiguousRecord> rows, std::span<const GpuRecord> gpus, TextPool& texts) {
  std::vector<AmbiguousName> names;
  for (const AmbiguousRecord& row : rows) {
    AmbiguousName name;
    name.normalised = texts.keep(brief_gpu_name(normalise_gpu_name(row.name)));
    name.hint = row.hint;
    for (const std::string_view id : row.gpus) {
      const auto card = std::find_if(gpus.begin(), gpus.end(), [&](const GpuRecord& record) { return record.gpu.id == id; });
      if (card == gpus.end()) {
        throw Error(ErrorCode::bad_data,
                    "the ambiguous name '" + std::string(row.name) + "' lists '" + std::string(id) + "', which is no card");
      }
      if (name.gpus.size() == name.gpus.capacity()) {
        throw Error(ErrorCode::bad_data, "the ambiguous name '" + std::string(row.name) + "' lists too many cards");
      }
      name.gpus.push_back(static_cast<std::uint32_t>(card - gpus.begin()));
    }
    names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [](const AmbiguousName& a, const AmbiguousName& b) { return a.normalised < b.normalised; });
  return names;
}

}  // namespace gpuadvise::catalog
