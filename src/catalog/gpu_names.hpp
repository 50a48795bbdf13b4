// What people, drivers and PCI listings call a card, and which cards a text means. Works on a sorted table without parsing.
#pragma once

#include <gpuadvise/fixed_list.hpp>
#include <gpuadvise/gpu.hpp>

#include "catalog/data_reader.hpp"
#include "catalog/text_pool.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// brief: a name without its maker and brand ("4090", "a100 80gb").
enum class NameKind : std::uint8_t { id, name, alias, driver, pci, brief };

struct GpuName {
  std::string_view normalised;
  std::uint32_t gpu = 0;  // index into the table of cards
  NameKind kind = NameKind::id;
};

// A name that people use for several cards.
struct AmbiguousName {
  std::string_view normalised;  // brief
  FixedList<std::uint32_t, 12> gpus;
  std::string_view hint;
};

struct GpuLookup {
  std::vector<std::uint32_t> gpus;            // one = exact; several = the variants of an ambiguous name; none = unknown
  std::string_view hint;                      // what tells the variants apart; may be empty
  std::vector<std::string_view> suggestions;  // ids near an unknown text

  [[nodiscard]] bool exact() const { return gpus.size() == 1; }
  [[nodiscard]] bool ambiguous() const { return gpus.size() > 1; }
  [[nodiscard]] bool unknown() const { return gpus.empty(); }
};

// Lower case words: punctuation and "GPU" dropped, "Mobile" = "laptop", "24 GB" = "24G" = "24gb", "RTX4090Ti" = "rtx 4090 ti", "SXM4" =
// "sxm".
[[nodiscard]] std::string normalise_gpu_name(std::string_view text);
// Without the words for maker and brand. Equal to the normalised text where nothing else would remain.
[[nodiscard]] std::string brief_gpu_name(std::string_view normalised);

// All names of the cards, sorted by (normalised, kind, gpu). The texts are kept in `texts`.
[[nodiscard]] std::vector<GpuName> build_gpu_names(std::span<const GpuRecord> gpus, TextPool& texts);
// Sorted by (normalised, first card). Throws Error{bad_data} for an id that is no card.
[[nodiscard]] std::vector<AmbiguousName> build_ambiguous_names(std::span<const AmbiguousRecord> rows, std::span<const GpuRecord> gpus,
                                                               TextPool& texts);

// An exact id, name, alias, driver name or PCI id wins; then an ambiguous name; then the brief name; then every card whose names
// hold all the words. Laptop parts answer only to their exact names and to texts that say laptop, mobile or Max-Q.
[[nodiscard]] GpuLookup resolve_gpu(std::string_view text, std::span<const GpuName> names, std::span<const Gpu> gpus,
                                    std::span<const AmbiguousName> ambiguous);

}  // namespace gpuadvise::catalog
