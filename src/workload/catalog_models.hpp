// Models for requests: the catalog's entries, then networks counted by name, then a typical shape of a size.
#pragma once

#include "catalog/catalog.hpp"
#include "workload/model_source.hpp"

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
};

}  // namespace gpuadvise::workload
