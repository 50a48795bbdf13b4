#include "estimate/cost/cost.hpp"

#include "catch.hpp"

#include <array>
#include <span>

namespace gpuadvise::estimate {
namespace {

Gpu card() {
  Gpu gpu;
  gpu.id = "card";
  gpu.tdp_w = 250.0;
  return gpu;
}

constexpr CostTerms k_terms{0.20, 10.0, 2.0, 500.0};

CloudOffer offer(double gpus, double usd, std::string_view kind) {
  CloudOffer out;
  out.gpus = gpus;
  out.usd_per_gpu_hour = usd;
  out.kind = kind;
  return out;
}

}  // namespace

TEST_CASE("owning costs boards, host and electricity", "[cost]") {
  const Costs costs = ownership_costs(card(), 2.0, Price{"card", 1000.0, PriceKind::new_retail, "2026-06", "shop"}, {}, k_terms);
  CHECK(*costs.purchase_usd == 2000.0);
  CHECK(*costs.power_w == 500.0);
  // 0.5 kW x 0.8 mean load x 3650 h x 0.20
  CHECK(*costs.energy_usd_per_year == Approx(292.0));
  CHECK(*costs.total_usd == Approx(2000.0 + 500.0 + 584.0));
  CHECK_FALSE(costs.rent_usd_per_hour.has_value());
}

TEST_CASE("two GPUs of one board are paid once", "[cost]") {
  Gpu gpu = card();
  gpu.gpus_per_board = 2.0;
  const Price price{"card", 1000.0, PriceKind::used, "2026-06", "market"};
  CHECK(*ownership_costs(gpu, 1.0, price, {}, k_terms).purchase_usd == 1000.0);
  CHECK(*ownership_costs(gpu, 2.0, price, {}, k_terms).purchase_usd == 1000.0);
  CHECK(*ownership_costs(gpu, 3.0, price, {}, k_terms).purchase_usd == 2000.0);
}

TEST_CASE("renting takes whole instances, on demand before spot", "[cost]") {
  const std::array<CloudOffer, 3> offers{offer(1.0, 0.5, "spot"), offer(8.0, 0.9, "on-demand"), offer(1.0, 1.0, "on-demand")};
  const Costs one = ownership_costs(card(), 1.0, std::nullopt, offers, k_terms);
  CHECK(*one.rent_usd_per_hour == Approx(1.0));
  CHECK_FALSE(one.purchase_usd.has_value());
  const Costs eight = ownership_costs(card(), 8.0, std::nullopt, offers, k_terms);
  CHECK(*eight.rent_usd_per_hour == Approx(7.2));
}

TEST_CASE("machines named for their one GPU are not rented for several", "[cost]") {
  std::array<CloudOffer, 2> offers{offer(1.0, 0.2, "on-demand"), offer(1.0, 0.5, "on-demand")};
  offers[0].instance = "1x Card";
  offers[1].instance = "Card";
  CHECK(*ownership_costs(card(), 1.0, std::nullopt, offers, k_terms).rent_usd_per_hour == Approx(0.2));
  CHECK(*ownership_costs(card(), 4.0, std::nullopt, offers, k_terms).rent_usd_per_hour == Approx(2.0));
  CHECK_FALSE(ownership_costs(card(), 4.0, std::nullopt, std::span(offers).first(1), k_terms).rent_usd_per_hour.has_value());
}

TEST_CASE("break-even is where rent less electricity has paid for the card", "[cost]") {
  const std::array<CloudOffer, 1> offers{offer(1.0, 0.54, "on-demand")};
  const Costs costs = ownership_costs(card(), 1.0, Price{"card", 1000.0, PriceKind::used, "", ""}, offers, k_terms);
  CHECK(*costs.break_even_hours == Approx(1500.0 / (0.54 - 0.04)));
}

TEST_CASE("the run's hours, energy and rent follow the stated amount of work", "[cost]") {
  SpeedFigures speed;
  speed.step_seconds = {0.1, 0.2, 0.3};
  speed.throughput = {80.0, 100.0, 120.0};
  Workload workload;
  Costs costs;
  costs.power_w = 1000.0;
  costs.rent_usd_per_hour = 2.0;
  add_run_costs(costs, workload, speed, k_terms);
  CHECK_FALSE(costs.run_hours.has_value());
  workload.dataset_size = 72000.0;
  workload.epochs = 5.0;
  add_run_costs(costs, workload, speed, k_terms);
  CHECK(*costs.run_hours == Approx(1.0));
  CHECK(*costs.rent_run_usd == Approx(2.0));
  CHECK(*costs.run_energy_kwh > 0.5);
}

TEST_CASE("work costs what is paid over the years, divided by what is done", "[cost]") {
  SpeedFigures speed;
  speed.throughput = {80.0, 100.0, 120.0};
  Costs costs = ownership_costs(card(), 1.0, Price{"card", 1000.0, PriceKind::used, "", ""}, {}, k_terms);
  add_run_costs(costs, Workload{}, speed, k_terms);
  CHECK(*costs.usd_per_million == Approx(*costs.total_usd / (100.0 * 3600.0 * 7300.0) * 1e6));
}

}  // namespace gpuadvise::estimate
