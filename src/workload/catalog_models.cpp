#include "workload/catalog_models.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/near_name.hpp"
#include "model/inferred_network.hpp"
#include "model/named.hpp"

#include <algorithm>
#include <utility>

namespace gpuadvise::workload {
namespace {

model::NamedModelOptions options_of(const Workload& workload, std::string_view config) {
  return {config, workload.image, workload.classes, workload.frozen, workload.stack};
}

FoundModel from_catalog(catalog::FoundModel found) {
  return {found.model, std::move(found.used_id), std::move(found.quantization), !found.exact};
}

}  // namespace

std::optional<FoundModel> CatalogModels::find(const ModelQuery& query) const {
  auto listed = catalog_.find_model(query.text);
  if (listed && listed->exact) {
    return from_catalog(std::move(*listed));
  }
  // A composed network is a better answer than a listed one of which part of the name was left out.
  if (auto named = model::named_model(query.text, options_of(query.given, query.config))) {
    std::string id(named->id);
    return FoundModel{*named, std::move(id), {}, false};
  }
  if (listed) {
    return from_catalog(std::move(*listed));
  }
  return std::nullopt;
}

std::vector<std::string> CatalogModels::near(std::string_view text) const {
  std::vector<std::string> near = catalog_.near_models(text);
  if (near.empty()) {
    for (const std::string_view id : catalog::near_names(text, model::named_model_ids(), 3)) {
      near.emplace_back(id);
    }
  }
  return near;
}

std::optional<Model> CatalogModels::infer(double params, std::optional<double> active, Field field) const {
  return model::infer_model(params, active, field);
}

FoundModel CatalogModels::read_file(std::string_view path) const {
  auto known = files_.find(path);
  if (known == files_.end()) {
    try {
      known = files_.emplace(path, importer::import_model(std::string(path))).first;
    } catch (const Error& error) {
      // A fault of a request has no place of its own: it goes into the message.
      const std::string where = error.where().empty() ? "" : " (" + error.where() + ")";
      throw Error(error.code(), error.message() + where, error.hint(), error.where());
    }
  }
  const importer::ImportedModel& file = known->second;
  return {file.model, std::string(file.model.id), file.quantization, false, file.findings};
}

void CatalogModels::refine(Request& request) const {
  // Composed networks hold for one image size and number of classes: count again with what was resolved.
  const ImageProfile* profile = request.model.image();
  if (profile == nullptr || profile->source == ProfileSource::traced || request.model_text.empty()) {
    return;
  }
  const auto listed = catalog_.find_model(request.model_text);
  if (listed && listed->exact) {
    return;
  }
  if (auto named = model::named_model(request.model_text, options_of(request.workload, request.config))) {
    request.model = *named;
  }
}

}  // namespace gpuadvise::workload
