// What renting costs less for a commitment: data/prices/discounts.json.
#pragma once

#include "catalog/text_pool.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

struct Discount {
  std::string_view provider;
  std::string_view gpu;   // as the provider names it; "general" = any
  std::string_view kind;  // reserved-1y, spot, savings-plan-3y ...
  double off_min = 0.0;   // share off the on-demand price
  double off_max = 0.0;
  std::string_view as_of;
  std::string_view source;
};

// Throws Error{bad_data} naming file and path, also for shares outside 0..1 and malformed dates.
[[nodiscard]] std::vector<Discount> read_discounts(std::string_view json_text, const std::string& file, TextPool& texts);

}  // namespace gpuadvise::catalog
