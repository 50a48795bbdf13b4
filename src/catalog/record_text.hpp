// A record as JSON text for `show`: as its data file has it (with sources), else from its fields.
#pragma once

#include "catalog/catalog.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::catalog {

[[nodiscard]] std::string gpu_record_text(const Catalog& catalog, const Gpu& gpu);
[[nodiscard]] std::string model_record_text(const Catalog& catalog, const Model& model);
[[nodiscard]] std::string_view price_kind_name(PriceKind kind);

}  // namespace gpuadvise::catalog
