// What every command that estimates needs: the data in force and the reading of requests against it.
#pragma once

#include <gpuadvise/estimate.hpp>
#include <gpuadvise/workload.hpp>

#include "catalog/catalog.hpp"
#include "catalog/stack_preset.hpp"
#include "cli/flags.hpp"
#include "software/releases.hpp"
#include "workload/catalog_models.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpuadvise::cli {

class Session {
 public:
  explicit Session(const DataWishes& wishes);

  [[nodiscard]] const catalog::Catalog& catalog() const { return catalog_; }
  // Throws workload::RequestError with every fault.
  [[nodiscard]] Request resolve(std::span<const Setting> settings) const;
  [[nodiscard]] std::span<const catalog::StackPreset> presets() const { return presets_; }
  // What is known of software: compiled in, or the data folder's, with the user's rows laid over it. Read when first asked.
  [[nodiscard]] const software::Facts& software() const;

 private:
  // Takes what a user's file says of software.
  [[nodiscard]] catalog::Sources with_software(catalog::Sources sources);

  std::vector<software::Facts> software_rows_;
  std::optional<std::string> data_dir_;
  mutable std::optional<software::Facts> own_software_;
  catalog::Catalog catalog_;
  workload::CatalogModels models_;
  catalog::TextPool texts_;
  std::vector<catalog::StackPreset> own_presets_;
  std::span<const catalog::StackPreset> presets_;
};

// The card of --gpu, for commands about one card (`command` names it in the error). Throws Error{usage, unknown_gpu, ambiguous_gpu}.
[[nodiscard]] const Gpu& card_of(const Session& session, const CommandLine& line, std::string_view command);

// The user's files of the data folder come first, then those of the command line.
[[nodiscard]] catalog::Sources sources_of(const DataWishes& wishes);

}  // namespace gpuadvise::cli
