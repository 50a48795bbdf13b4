#include "catalog/discount.hpp"

#include "catalog/gpu_lint.hpp"
#include "catalog/json_fields.hpp"
#include "catalog/parse_json.hpp"

#include <array>

namespace gpuadvise::catalog {

template <class V, MaybeConst<Discount> T>
void visit_fields(V&& v, T& x) {
  v("provider", x.provider);
  v("gpu", x.gpu);
  v("kind", x.kind);
  v("off_min", x.off_min);
  v("off_max", x.off_max);
  v("as_of", x.as_of);
  v("source", x.source);
}

namespace {

constexpr auto k_provenance = std::to_array<std::string_view>({"rows", "note"});

Discount read_discount(const nlohmann::json& row, ReadContext& context, const std::string& path) {
  Discount discount;
  read_record(row, discount, context, path, k_provenance);
  if (discount.provider.empty() || discount.kind.empty()) {
    refuse(context, path, "a discount needs its provider and kind");
  }
  if (!(discount.off_min >= 0.0 && discount.off_min <= discount.off_max && discount.off_max <= 1.0)) {
    refuse(context, path, "off_min and off_max must be shares, 0 <= off_min <= off_max <= 1");
  }
  if (!is_date(discount.as_of)) {
    refuse(context, path, "as_of '" + std::string(discount.as_of) + "' is no date (2024, 2024-03, 2024-03-15)");
  }
  return discount;
}

}  // namespace

std::vector<Discount> read_discounts(std::string_view json_text, const std::string& file, TextPool& texts) {
  const nlohmann::json root = parse_json(json_text, file);
  ReadContext context{texts, file};
  const auto rows = root.is_object() ? root.find("discounts") : root.end();
  if (rows == root.end() || !rows->is_array()) {
    refuse(context, "discounts", "expected a list");
  }
  std::vector<Discount> discounts;
  discounts.reserve(rows->size());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    discounts.push_back(read_discount((*rows)[i], context, "discounts[" + std::to_string(i) + "]"));
  }
  return discounts;
}

}  // namespace gpuadvise::catalog
