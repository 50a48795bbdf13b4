#include "estimate/cost/cost.hpp"

#include "estimate/speed/run_time.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

constexpr double k_days_per_year = 365.0;
constexpr double k_seconds_per_hour = 3600.0;
constexpr double k_million = 1e6;

// Mean draw over the board's limit while a job runs; prior: guides reckon with 0.7, power-limited cards hold 1.0 in matrix products.
constexpr double k_mean_load = 0.8;

double boards_of(const Gpu& gpu, double count) {
  return std::ceil(count / std::max(gpu.gpus_per_board, 1.0));
}

// Whole instances must be rented.
double rented_gpus(const CloudOffer& offer, double count) {
  const double gpus = std::max(offer.gpus, 1.0);
  return gpus * std::ceil(count / gpus);
}

double hourly(const CloudOffer& offer, double count) {
  return offer.usd_per_gpu_hour * rented_gpus(offer, count);
}

// A machine named for its one GPU ("1x A100") joins no others; a plain rate for each GPU is offered in machines of several, too.
bool joins(const CloudOffer& offer, double count) {
  return count <= 1.0 || !offer.instance.starts_with("1x ");
}

// Spot capacity can be withdrawn and commitments bind, so on-demand offers come first.
bool on_demand(const CloudOffer& offer) {
  return offer.kind.empty() || offer.kind.starts_with("on-demand") || offer.kind.starts_with("on_demand");
}

const CloudOffer* cheapest(std::span<const CloudOffer> offers, double count) {
  const CloudOffer* best = nullptr;
  for (const CloudOffer& offer : offers) {
    if (offer.usd_per_gpu_hour <= 0.0 || !joins(offer, count)) {
      continue;
    }
    const bool better =
        best == nullptr || (on_demand(offer) != on_demand(*best) ? on_demand(offer) : hourly(offer, count) < hourly(*best, count));
    if (better) {
      best = &offer;
    }
  }
  return best;
}

void add_break_even(Costs& costs, const CostTerms& terms) {
  if (!costs.purchase_usd || !costs.rent_usd_per_hour) {
    return;
  }
  const double energy_per_hour = costs.power_w.value_or(0.0) / 1000.0 * k_mean_load * terms.electricity_usd_per_kwh;
  const double saved = *costs.rent_usd_per_hour - energy_per_hour;
  if (saved > 0.0) {
    costs.break_even_hours = (*costs.purchase_usd + terms.host_usd) / saved;
  }
}

}  // namespace

Costs ownership_costs(const Gpu& gpu, double count, const std::optional<Price>& price, std::span<const CloudOffer> offers,
                      const CostTerms& terms, double owned_boards) {
  Costs costs;
  costs.boards = boards_of(gpu, count);
  costs.price = price;
  if (gpu.tdp_w) {
    costs.power_w = *gpu.tdp_w * costs.boards;
    const double hours = terms.hours_per_day * k_days_per_year;
    costs.energy_usd_per_year = *costs.power_w / 1000.0 * k_mean_load * hours * terms.electricity_usd_per_kwh;
  }
  const double to_buy = std::max(0.0, costs.boards - owned_boards);
  if (price || to_buy <= 0.0) {
    costs.purchase_usd = to_buy > 0.0 ? price->usd * to_buy : 0.0;
    costs.total_usd = *costs.purchase_usd + terms.host_usd + costs.energy_usd_per_year.value_or(0.0) * terms.years;
  }
  if (const CloudOffer* offer = cheapest(offers, count)) {
    costs.offer = *offer;
    costs.rent_usd_per_hour = hourly(*offer, count);
  }
  add_break_even(costs, terms);
  return costs;
}

void add_run_costs(Costs& costs, const Workload& workload, const SpeedFigures& speed, const CostTerms& terms) {
  if (const std::optional<Interval> seconds = run_time(workload, speed).run_seconds) {
    const double hours = seconds->expected / k_seconds_per_hour;
    costs.run_hours = hours;
    if (costs.power_w) {
      costs.run_energy_kwh = *costs.power_w / 1000.0 * k_mean_load * hours;
      costs.run_energy_usd = *costs.run_energy_kwh * terms.electricity_usd_per_kwh;
    }
    if (costs.rent_usd_per_hour) {
      costs.rent_run_usd = *costs.rent_usd_per_hour * hours;
    }
  }
  const double per_hour = speed.throughput.expected * k_seconds_per_hour;
  if (per_hour <= 0.0) {
    return;
  }
  const double hours_of_use = terms.hours_per_day * k_days_per_year * terms.years;
  if (costs.total_usd && hours_of_use > 0.0) {
    costs.usd_per_million = *costs.total_usd / (per_hour * hours_of_use) * k_million;
  }
  if (costs.rent_usd_per_hour) {
    costs.rent_usd_per_million = *costs.rent_usd_per_hour / per_hour * k_million;
  }
}

}  // namespace gpuadvise::estimate
