// A record as JSON text for `show`: as its data file has it (with sources), else from its fields.
#pragma once

#include "catalog/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

[[nodiscard]] std::string gpu_record_text(const Catalog& catalog, const Gpu& gpu);
[[nodiscard]] std::string model_record_text(const Catalog& catalog, const Model& model);
// A model as a data file has it, with what equals its default left out: the content of a "models" file.
[[nodiscard]] std::string model_file_text(const Model& model, const std::vector<std::string>& sources);
[[nodiscard]] std::string_view price_kind_name(PriceKind kind);

}  // namespace gpuadvise::catalog
