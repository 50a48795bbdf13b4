// The shipped catalog and the reading of requests against it, for tests that search over whole requests.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/workload.hpp>

#include "catalog/catalog.hpp"
#include "catalog/gpu_price.hpp"
#include "catalog/stack_preset.hpp"
#include "rules/builtin.hpp"
#include "rules/engine.hpp"
#include "workload/catalog_models.hpp"
#include "workload/resolve.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpuadvise::advise::test {

class RealCatalog {
 public:
  RealCatalog() : catalog_(catalog::Sources{}), models_(catalog_), rules_(rules::builtin_rules()) {}
  RealCatalog(const RealCatalog&) = delete;
  RealCatalog& operator=(const RealCatalog&) = delete;

  [[nodiscard]] Request resolve(std::span<const Setting> settings) const {
    return workload::resolve(settings, models_, catalog::builtin_stack_presets());
  }
  [[nodiscard]] const Gpu& gpu(std::string_view id) const { return catalog_.find_gpu(id); }
  [[nodiscard]] const catalog::Catalog& catalog() const { return catalog_; }
  [[nodiscard]] CatalogView view() const {
    CatalogView view;
    view.gpus = catalog_.gpus();
    view.price = [this](const Gpu& gpu, Condition condition) { return catalog::choose_price(gpu, catalog_.prices(gpu.id), condition); };
    view.offers = [this](const Gpu& gpu) { return catalog_.offers(gpu.id); };
    view.find = [this](std::string_view text) { return catalog_.find_gpus(text); };
    view.rules = &rules_;
    view.objectives = &rules::builtin_objectives();
    return view;
  }

 private:
  catalog::Catalog catalog_;
  workload::CatalogModels models_;
  rules::RuleSet rules_;
};

inline std::vector<Setting> settings(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  std::vector<Setting> out;
  for (const auto& pair : pairs) {
    out.push_back({pair.first, Value(pair.second), Origin::user});
  }
  return out;
}

}  // namespace gpuadvise::advise::test
