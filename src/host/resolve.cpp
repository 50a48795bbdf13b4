#include "host/resolve.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "catalog/gpu_name_words.hpp"
#include "catalog/gpu_names.hpp"
#include "host/lines.hpp"
#include "host/rocm_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::host {
namespace {

using Cards = std::vector<const Gpu*>;

// Drivers keep some memory back (up to 3 %) and inline ECC takes a sixteenth; two sizes of one card differ by more.
constexpr double k_least_share = 0.90;
constexpr double k_most_share = 1.03;

std::string memory_text(double bytes) {
  return format_significant(bytes / k_gib) + " GiB";
}

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool says_laptop(std::string_view name) {
  const std::string text = lower_case(name);
  return contains_text(text, "laptop") || contains_text(text, "mobile") || contains_text(text, "max-q") || contains_text(text, "notebook");
}

// Words that make another card of a name: "RTX 2080" is no "RTX 2080 Ti".
bool adds_a_tier(std::string_view printed, std::string_view card) {
  static constexpr auto tiers =
      std::to_array<std::string_view>({"ti", "super", "xt", "xtx", "gre", "ada", "laptop", "maxq", "pro", "d", "ultra"});
  const std::string said = catalog::normalise_gpu_name(printed);
  const std::string is = catalog::normalise_gpu_name(card);
  return std::any_of(tiers.begin(), tiers.end(),
                     [&](std::string_view tier) { return catalog::contains_word(is, tier) && !catalog::contains_word(said, tier); });
}

Cards by_text(std::string_view text, const catalog::Catalog& catalog) {
  try {
    return catalog.find_gpus(text);
  } catch (const Error&) {
    return {};
  }
}

Cards by_name(std::string_view name, const catalog::Catalog& catalog) {
  Cards found = by_text(name, catalog);
  if (found.size() == 1 && adds_a_tier(name, found.front()->name) && found.front()->id != name) {
    found.clear();
  }
  return found;
}

// "Tesla V100-SXM2...": the table had no room for the rest.
std::optional<std::string_view> cut_short(std::string_view name) {
  return name.ends_with("...") ? std::optional<std::string_view>(trim(name.substr(0, name.size() - 3))) : std::nullopt;
}

std::string without_maker(const std::string& normalised) {
  constexpr std::string_view maker = "nvidia ";
  return normalised.starts_with(maker) ? normalised.substr(maker.size()) : normalised;
}

Cards by_start(std::string_view start, const catalog::Catalog& catalog) {
  const std::string wanted = without_maker(catalog::normalise_gpu_name(start));
  Cards found;
  for (const Gpu& gpu : catalog.gpus()) {
    if (gpu.vendor == Vendor::nvidia && without_maker(catalog::normalise_gpu_name(gpu.name)).starts_with(wanted)) {
      found.push_back(&gpu);
    }
  }
  return found;
}

// lspci's style: "Navi 22 [Radeon RX 6700/6700 XT / 6800M]" names every card of the chip.
Cards by_bracket(std::string_view name, const catalog::Catalog& catalog) {
  const auto open = name.find('[');
  const auto close = name.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return {};
  }
  Cards found;
  for (const std::string_view part : split(name.substr(open + 1, close - open - 1), '/')) {
    for (const Gpu* gpu : part.empty() ? Cards{} : by_name(part, catalog)) {
      if (std::find(found.begin(), found.end(), gpu) == found.end()) {
        found.push_back(gpu);
      }
    }
  }
  return found;
}

// "GRID A100D-80C", "NVIDIA A40-48Q", "GRID T4-16Q": the board, and a profile with the memory in GB and the licence's letter.
struct VirtualGpu {
  std::string board;
  std::string profile;
};

std::optional<VirtualGpu> virtual_gpu(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos || dash + 3 > name.size() + 1) {
    return std::nullopt;
  }
  const std::string_view profile = name.substr(dash + 1);
  const auto digits = profile.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || digits > 3 || digits + 1 != profile.size() ||
      !contains_text("QCBA", profile.substr(digits))) {
    return std::nullopt;
  }
  std::string_view board = name.substr(0, dash);
  for (const std::string_view maker : {"GRID ", "NVIDIA "}) {
    if (board.starts_with(maker)) {
      board.remove_prefix(maker.size());
    }
  }
  return VirtualGpu{std::string(board), lower_case(profile)};
}

// A100D and V100DX are the boards with the larger memory, X marks another form: the letters are no part of the board's name.
Cards by_board(std::string board, const catalog::Catalog& catalog) {
  Cards found = by_text(board, catalog);
  while (found.empty() && board.size() > 2 && contains_text("DXLS", board.substr(board.size() - 1))) {
    board.pop_back();
    found = by_text(board, catalog);
  }
  return found;
}

Cards named(HostGpu& gpu, const catalog::Catalog& catalog) {
  if (gpu.name.empty()) {
    return {};
  }
  if (const auto start = cut_short(gpu.name)) {
    return by_start(*start, catalog);
  }
  if (const auto virtual_card = virtual_gpu(gpu.name)) {
    if (Cards board = by_board(virtual_card->board, catalog); !board.empty()) {
      gpu.vgpu_profile = virtual_card->profile;
      return board;
    }
  }
  if (Cards bracket = by_bracket(gpu.name, catalog); !bracket.empty()) {
    return bracket;
  }
  return by_name(gpu.name, catalog);
}

Cards both(const Cards& a, const Cards& b) {
  Cards common;
  std::copy_if(a.begin(), a.end(), std::back_inserter(common),
               [&](const Gpu* gpu) { return std::find(b.begin(), b.end(), gpu) != b.end(); });
  return common;
}

// Keeps the cards for which the test holds, unless it holds for none.
template <class Test>
void narrow(Cards& cards, Test test) {
  Cards kept;
  std::copy_if(cards.begin(), cards.end(), std::back_inserter(kept), test);
  if (!kept.empty()) {
    cards = std::move(kept);
  }
}

bool memory_matches(const Gpu& card, double total_bytes) {
  const double expected = card.reported_memory_mib ? *card.reported_memory_mib * k_mib : card.memory_gib * k_gib;
  const double share = total_bytes / expected;
  return card.unified_memory || (share >= k_least_share && share <= k_most_share);
}

Cards candidates(HostGpu& gpu, const catalog::Catalog& catalog) {
  const Cards by_id = gpu.pci_device_id.empty() ? Cards{} : by_text(gpu.pci_device_id, catalog);
  const Cards by_words = named(gpu, catalog);
  Cards cards = by_id.empty() ? by_words : by_id;
  if (!by_id.empty() && !by_words.empty()) {
    if (Cards common = both(by_id, by_words); !common.empty()) {
      cards = std::move(common);
    }
  }
  if (gpu.total_bytes && gpu.vgpu_profile.empty()) {
    narrow(cards, [&](const Gpu* card) { return memory_matches(*card, *gpu.total_bytes); });
  }
  if (gpu.compute_capability) {
    narrow(cards, [&](const Gpu* card) { return std::abs(card->compute_capability.value_or(0.0) - *gpu.compute_capability) < 0.01; });
  }
  // A name that was cut short may have lost the word.
  if (!says_laptop(gpu.name) && !cut_short(gpu.name)) {
    narrow(cards, [](const Gpu* card) { return card->segment != Segment::laptop; });
  }
  // A cut name that leaves even the size open names a class, not a card.
  if (const auto start = cut_short(gpu.name); start && by_id.empty() && !gpu.total_bytes && by_start(*start, catalog).size() > 12) {
    cards.clear();
  }
  return cards;
}

void note_memory(HostGpu& gpu) {
  if (gpu.memory_refused) {
    gpu.notes.emplace_back("the tool prints no memory: usual where processor and GPU share it");
  }
  if (gpu.card == nullptr || !gpu.total_bytes || !gpu.vgpu_profile.empty() || memory_matches(*gpu.card, *gpu.total_bytes)) {
    return;
  }
  gpu.notes.push_back("memory as seen: " + memory_text(*gpu.total_bytes) + "; the card is sold with " +
                      memory_text(gpu.card->memory_gib * k_gib));
}

}  // namespace

void resolve(HostGpu& gpu, const catalog::Catalog& catalog) {
  Cards cards = candidates(gpu, catalog);
  gpu.card = cards.size() == 1 ? cards.front() : nullptr;
  gpu.integrated = cards.empty() && is_amd_processor_graphics(gpu);
  if (cards.size() > 1) {
    gpu.possible = std::move(cards);
    if (cut_short(gpu.name)) {
      gpu.notes.emplace_back("the table cut the name short: nvidia-smi -L prints all of it");
    }
  }
  if (gpu.integrated) {
    gpu.notes.emplace_back("graphics of the processor: no compute device");
  }
  if (!gpu.vgpu_profile.empty()) {
    gpu.notes.push_back("virtual GPU, profile " + gpu.vgpu_profile + ": it has part of the board's memory and shares its time");
  }
  if (gpu.mig_enabled && gpu.mig.empty()) {
    gpu.notes.emplace_back("MIG is on and this output lists no slices: nvidia-smi -L does");
  }
  note_memory(gpu);
}

void resolve(Machine& machine, const catalog::Catalog& catalog) {
  for (HostGpu& gpu : machine.gpus) {
    resolve(gpu, catalog);
  }
}

std::optional<MigProfile> parse_mig_profile(std::string_view profile) {
  const auto parts_end = profile.find("g.");
  const auto memory_end = profile.find("gb");
  if (parts_end == std::string_view::npos || memory_end == std::string_view::npos || memory_end < parts_end + 2) {
    return std::nullopt;
  }
  const auto parts = parse_index(profile.substr(0, parts_end));
  const auto memory = parse_index(profile.substr(parts_end + 2, memory_end - parts_end - 2));
  if (!parts || !memory || *parts < 1 || *parts > 7 || *memory < 1) {
    return std::nullopt;
  }
  return MigProfile{static_cast<double>(*parts), static_cast<double>(*memory)};
}

}  // namespace gpuadvise::host
