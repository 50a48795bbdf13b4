#include "catalog/price_lint.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "catalog/gpu_lint.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>

namespace gpuadvise::catalog {
namespace {

// From the cheapest used card to a whole station, and from a marketplace's oldest card to a rented superchip.
constexpr double k_least_usd = 5.0;
constexpr double k_most_usd = 1e6;
constexpr double k_least_usd_hour = 0.005;
constexpr double k_most_usd_hour = 100.0;
constexpr double k_most_gpus = 1024.0;

constexpr auto k_offer_kinds =
    std::to_array<std::string_view>({"on-demand", "spot", "marketplace", "reserved-1y", "reserved-3y", "reserved-3mo", "reserved-6mo",
                                     "flex-start", "capacity-block", "calendar-reservation"});

void reject(std::vector<Finding>& findings, std::string_view rule, std::string_view subject, const std::string& message) {
  findings.push_back({std::string(rule), Severity::reject, std::string(subject) + ": " + message});
}

template <class Row>
void check_common(const Row& row, std::span<const std::string_view> known_gpus, std::vector<Finding>& findings) {
  if (!known_gpus.empty() && std::find(known_gpus.begin(), known_gpus.end(), row.gpu_id) == known_gpus.end()) {
    reject(findings, "price-gpu", row.gpu_id, "no card has this id");
  }
  if (!row.as_of.empty() && !is_date(row.as_of)) {
    reject(findings, "price-date", row.gpu_id, "as_of '" + std::string(row.as_of) + "' is no date (2024, 2024-03, 2024-03-15)");
  }
  if (row.source.empty()) {
    findings.push_back({"price-source", Severity::warn, std::string(row.gpu_id) + ": no source"});
  }
}

}  // namespace

std::vector<Finding> lint_prices(std::span<const Price> prices, std::span<const std::string_view> known_gpus) {
  std::vector<Finding> findings;
  std::set<std::tuple<std::string_view, PriceKind, std::string_view, std::string_view>> seen;
  for (const Price& price : prices) {
    check_common(price, known_gpus, findings);
    if (!(price.usd >= k_least_usd && price.usd <= k_most_usd)) {
      reject(findings, "price-range", price.gpu_id, "a board for " + format_usd(price.usd) + " is not plausible");
    }
    if (price.as_of.empty() && price.kind != PriceKind::user) {
      reject(findings, "price-date", price.gpu_id, "a price needs its date in as_of");
    }
    if (!seen.emplace(price.gpu_id, price.kind, price.as_of, price.source).second) {
      findings.push_back({"price-repeated", Severity::warn,
                          std::string(price.gpu_id) + ": a second " + std::string(enum_name(price.kind)) + " price of " +
                              std::string(price.as_of) + " from the same source"});
    }
  }
  return findings;
}

std::vector<Finding> lint_offers(std::span<const CloudOffer> offers, std::span<const std::string_view> known_gpus) {
  std::vector<Finding> findings;
  for (const CloudOffer& offer : offers) {
    check_common(offer, known_gpus, findings);
    if (!(offer.usd_per_gpu_hour >= k_least_usd_hour && offer.usd_per_gpu_hour <= k_most_usd_hour)) {
      reject(findings, "offer-range", offer.gpu_id, format_usd(offer.usd_per_gpu_hour) + " an hour is not plausible");
    }
    if (!(offer.gpus > 0.0 && offer.gpus <= k_most_gpus)) {
      reject(findings, "offer-gpus", offer.gpu_id, format_significant(offer.gpus) + " GPUs is not plausible");
    }
    if (offer.provider.empty()) {
      reject(findings, "offer-provider", offer.gpu_id, "an offer needs its provider");
    }
    if (std::find(k_offer_kinds.begin(), k_offer_kinds.end(), offer.kind) == k_offer_kinds.end()) {
      reject(findings, "offer-kind", offer.gpu_id, "unknown kind '" + std::string(offer.kind) + "'");
    }
  }
  return findings;
}

}  // namespace gpuadvise::catalog
