// Data files (data/**, or a user's overlay of the same form) to records. Throws Error{bad_data} naming file and path.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>

#include "catalog/text_pool.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

struct GpuRecord {
  Gpu gpu;
  std::vector<std::string_view> aliases;
  std::vector<std::string_view> driver_names;
  std::vector<std::string_view> pci_device_ids;
};

// A name that means several cards.
struct AmbiguousRecord {
  std::string_view name;
  std::vector<std::string_view> gpus;  // ids
  std::string_view hint;
};

struct ModelRecord {
  Model model;
  std::vector<std::string_view> aliases;
};

struct CatalogData {
  TextPool texts;
  std::vector<GpuRecord> gpus;
  std::vector<AmbiguousRecord> ambiguous;
  std::vector<Price> prices;
  std::vector<CloudOffer> offers;
  std::vector<ModelRecord> models;
};

// Adds what the text holds: any of "gpus", "ambiguous", "prices", "offers", "models". `file` names it in errors.
// Returns false when the text holds none of these (another kind of data file).
bool read_data(std::string_view text, const std::string& file, CatalogData& into);

// Whether a file of a data folder ("gpus/nvidia.json") holds what read_data reads; others are rules, software, history.
[[nodiscard]] bool holds_records(std::string_view path);

// Reads a whole file with a size limit of 64 MiB; "-" is standard input. Throws Error{unreadable}.
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace gpuadvise::catalog
