// What a candidate costs to buy, to run and to rent. Unknown is nullopt.
#pragma once

#include <gpuadvise/gpu.hpp>

#include <optional>

namespace gpuadvise {

struct Costs {
  std::optional<Price> price;          // of one board, the one judged by
  double boards = 1.0;                 // boards for all GPUs of the candidate
  std::optional<double> purchase_usd;  // price x boards
  std::optional<double> power_w;       // boards' power limit together
  std::optional<double> run_hours;     // when the amount of work is given
  std::optional<double> run_energy_kwh;
  std::optional<double> run_energy_usd;
  std::optional<double> energy_usd_per_year;
  std::optional<double> total_usd;          // purchase, host and energy over the years of use
  std::optional<double> usd_per_million;    // total_usd for a million units of throughput (images, tokens ...)
  std::optional<CloudOffer> offer;          // cheapest way to rent this many GPUs
  std::optional<double> rent_usd_per_hour;  // all GPUs
  std::optional<double> rent_run_usd;
  std::optional<double> rent_usd_per_million;
  std::optional<double> break_even_hours;  // hours of use after which buying is cheaper than renting
};

}  // namespace gpuadvise
