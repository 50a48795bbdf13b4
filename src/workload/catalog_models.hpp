// Models for requests: the catalog's entries, then networks counted by name, then a typical shape of a size.
#pragma once

#include "catalog/catalog.hpp"
#include "import/import.hpp"
#include "workload/model_source.hpp"

#include <map>
#include <string>

namespace gpuadvise::workload {

class CatalogModels final : public ModelSource {
 public:
  explicit CatalogModels(const catalog::Catalog& catalog) : catalog_(catalog) {}

  [[nodiscard]] std::optional<FoundModel> find(const ModelQuery& query) const override;
  [[nodiscard]] std::vector<std::string> near(std::string_view text) const override;
  [[nodiscard]] std::optional<Model> infer(double params, std::optional<double> active, Field field) const override;
  [[nodiscard]] FoundModel read_file(std::string_view path) const override;
  void refine(Request& request) const override;

 private:
  const catalog::Catalog& catalog_;
  // Requests hold views into what was read; a file is read once, so that batch mode need not wait for the disk.
  mutable std::map<std::string, importer::ImportedModel, std::less<>> files_;
};

}  // namespace gpuadvise::workload
