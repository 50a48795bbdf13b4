// What the user wants and has: every key of the contract's second section.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/value.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise {

enum class Sourcing : std::uint8_t { buy, rent, both };
enum class Condition : std::uint8_t { any, brand_new, used };
// The machine the card goes into.
enum class MachineForm : std::uint8_t { desktop, laptop, sff, server };
enum class Prefer : std::uint8_t { balanced, value, speed, memory, efficiency };
enum class Tier : std::uint8_t { none, entry, professional, lab, enterprise };
enum class HostSystem : std::uint8_t { linux_, windows, macos, wsl2 };
// WSL 2 runs on the driver of Windows, beside its desktop.
[[nodiscard]] constexpr bool has_windows_driver(HostSystem system) {
  return system == HostSystem::windows || system == HostSystem::wsl2;
}

[[nodiscard]] std::string_view to_string(Sourcing sourcing);
[[nodiscard]] std::string_view to_string(Condition condition);
[[nodiscard]] std::string_view to_string(MachineForm form);
[[nodiscard]] std::string_view to_string(Prefer prefer);
[[nodiscard]] std::string_view to_string(Tier tier);
[[nodiscard]] std::string_view to_string(HostSystem system);

enum class PreferenceKey : std::uint8_t {
  budget,
  budget_per_hour,
  budget_per_run,
  reserve_share,
  source,
  condition,
  form,
  vendor,
  segment,
  tier,
  prefer,
  candidates,
  exclude,
  gpu,
  have,
  max_power_w,
  psu_w,
  slots,
  max_length_mm,
  ram_gib,
  pcie,
  os,
  torch,
  cuda,
  driver,
  python,
  price,
  prices,
  currency,
  fx,
  as_of,
  electricity_usd_per_kwh,
  hours_per_day,
  years,
  host_cost_usd,
  min_speed,
  deadline_hours,
  strict,
  count_,
};
inline constexpr std::size_t k_preference_keys = static_cast<std::size_t>(PreferenceKey::count_);

// A price the user states for one board ("rtx-3090=650").
struct PriceOverride {
  std::string gpu;
  double usd = 0.0;
};

struct Preferences {
  std::optional<double> budget_usd;           // all GPUs of a candidate, before reserve_share is kept back
  std::optional<double> budget_per_hour_usd;  // renting
  std::optional<double> budget_per_run_usd;
  double reserve_share = 0.0;  // share of the budget kept for renewal, 0..1
  Sourcing source = Sourcing::buy;
  Condition condition = Condition::any;
  MachineForm form = MachineForm::desktop;
  std::vector<Vendor> vendors;    // empty = any
  std::vector<Segment> segments;  // empty = any
  Tier tier = Tier::none;
  Prefer prefer = Prefer::balanced;
  std::vector<std::string> candidates;
  std::vector<std::string> exclude;
  std::vector<std::string> gpus;  // the one card (or, for compat, cards) of a command
  std::vector<std::string> have;
  std::optional<double> max_power_w;  // all GPUs of a candidate
  std::optional<double> psu_w;
  std::optional<double> slots;
  std::optional<double> max_length_mm;
  std::optional<double> ram_gib;
  std::optional<double> pcie_generation;
  HostSystem os = HostSystem::linux_;
  std::string torch;
  std::string cuda;
  std::string driver;
  std::string python;
  std::vector<PriceOverride> price_overrides;
  std::vector<std::string> price_files;
  std::string currency = "USD";
  double fx = 1.0;  // units of `currency` for one US dollar
  std::string as_of;
  double electricity_usd_per_kwh = 0.17;
  double hours_per_day = 8.0;
  double years = 2.0;
  double host_cost_usd = 0.0;
  std::optional<double> min_speed;  // in the unit of the request's throughput
  std::optional<double> deadline_hours;
  bool strict = false;  // tight counts as no

  std::array<Origin, k_preference_keys> origins{};

  [[nodiscard]] Origin origin(PreferenceKey key) const { return origins[static_cast<std::size_t>(key)]; }
  // What may be spent now.
  [[nodiscard]] std::optional<double> spendable_usd() const {
    return budget_usd ? std::optional<double>(*budget_usd * (1.0 - reserve_share)) : std::nullopt;
  }
};

}  // namespace gpuadvise
