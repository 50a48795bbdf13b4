#include "advise/preferences.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gpuadvise {
namespace {

constexpr auto k_sourcing = std::to_array<std::string_view>({"buy", "rent", "both"});
constexpr auto k_condition = std::to_array<std::string_view>({"any", "new", "used"});
constexpr auto k_form = std::to_array<std::string_view>({"desktop", "laptop", "sff", "server"});
constexpr auto k_prefer = std::to_array<std::string_view>({"balanced", "value", "speed", "memory", "efficiency"});
constexpr auto k_tier = std::to_array<std::string_view>({"none", "student", "pro", "lab", "enterprise"});
constexpr auto k_system = std::to_array<std::string_view>({"linux", "windows", "macos", "wsl2"});

template <std::size_t N, class E>
std::string_view name_in(const std::array<std::string_view, N>& names, E value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view to_string(Sourcing sourcing) {
  return name_in(k_sourcing, sourcing);
}
std::string_view to_string(Condition condition) {
  return name_in(k_condition, condition);
}
std::string_view to_string(MachineForm form) {
  return name_in(k_form, form);
}
std::string_view to_string(Prefer prefer) {
  return name_in(k_prefer, prefer);
}
std::string_view to_string(Tier tier) {
  return name_in(k_tier, tier);
}
std::string_view to_string(HostSystem system) {
  return name_in(k_system, system);
}

namespace advise {
namespace {

using K = PreferenceKey;
using P = PreferenceKind;

constexpr double k_most_usd = 1e9;

constexpr PreferenceSpec usd(K key, std::string_view name, std::string_view help) {
  return {key, name, P::usd, "USD", help, {}, 0.0, k_most_usd};
}
constexpr PreferenceSpec number(K key, std::string_view name, std::string_view unit, std::string_view help, double low, double high) {
  return {key, name, P::number, unit, help, {}, low, high};
}
constexpr PreferenceSpec choice(K key, std::string_view name, std::string_view help, std::span<const std::string_view> choices) {
  return {key, name, P::choice, {}, help, choices, 0.0, 0.0};
}
constexpr PreferenceSpec text(K key, std::string_view name, std::string_view help, P kind = P::text,
                              std::span<const std::string_view> choices = {}) {
  return {key, name, kind, {}, help, choices, 0.0, 0.0};
}

constexpr auto k_specs = std::to_array<PreferenceSpec>({
    usd(K::budget, "budget", "what all GPUs of a candidate may cost"),
    usd(K::budget_per_hour, "budget_per_hour", "what an hour may cost to rent"),
    usd(K::budget_per_run, "budget_per_run", "what the whole run may cost"),
    {K::reserve_share, "reserve_share", P::share, "0..1", "share of the budget kept for renewal", {}, 0.0, 0.95},
    choice(K::source, "source", "buy, rent, or compare both", k_sourcing),
    choice(K::condition, "condition", "new or used cards", k_condition),
    choice(K::form, "form", "machine the card goes into", k_form),
    text(K::vendor, "vendor", "only these vendors", P::names, catalog::EnumNames<Vendor>::names),
    text(K::segment, "segment", "only these kinds of card", P::names, catalog::EnumNames<Segment>::names),
    choice(K::tier, "tier", "preset of constraints and weights", k_tier),
    choice(K::prefer, "prefer", "what counts most", k_prefer),
    text(K::candidates, "candidates", "only these cards", P::names),
    text(K::exclude, "exclude", "not these cards", P::names),
    text(K::gpu, "gpu", "the card of a question about one card", P::names),
    text(K::have, "have", "cards in the machine, or host", P::names),
    number(K::max_power_w, "max_power_w", "W", "power limit for all GPUs", 1.0, 1e6),
    number(K::psu_w, "psu_w", "W", "power supply of the machine", 1.0, 1e6),
    number(K::slots, "slots", "", "free slots", 1.0, 64.0),
    number(K::max_length_mm, "max_length_mm", "mm", "room for the board", 1.0, 2000.0),
    number(K::ram_gib, "ram_gib", "GiB", "memory of the machine", 0.5, 1e6),
    number(K::pcie, "pcie", "generation", "PCI Express generation of the machine", 1.0, 7.0),
    choice(K::os, "os", "operating system", k_system),
    text(K::torch, "torch", "PyTorch release, as 2.8: excludes what cannot run it"),
    text(K::cuda, "cuda", "CUDA or build of PyTorch: 12.8, cu128, rocm6.4, xpu"),
    text(K::driver, "driver", "NVIDIA driver of the machine, as 535 or 535.104.05"),
    text(K::python, "python", "Python in use, as 3.12"),
    text(K::price, "price", "your price of a card: NAME=USD", P::prices),
    text(K::prices, "prices", "file of prices laid over the shipped ones", P::names),
    text(K::currency, "currency", "currency of budgets and output"),
    number(K::fx, "fx", "per USD", "units of the currency for one US dollar", 1e-6, 1e9),
    text(K::as_of, "as_of", "date of the prices you give, as 2026-01"),
    number(K::electricity_usd_per_kwh, "electricity_usd_per_kwh", "USD/kWh", "price of electricity", 0.0, 100.0),
    number(K::hours_per_day, "hours_per_day", "h", "hours of use a day", 0.0, 24.0),
    number(K::years, "years", "years", "years of use", 0.01, 50.0),
    {K::host_cost_usd, "host_cost_usd", P::usd, "USD", "rest of the machine", {}, 0.0, k_most_usd},
    number(K::min_speed, "min_speed", "throughput", "least throughput, in the unit of the answer", 0.0, 1e15),
    number(K::deadline_hours, "deadline_hours", "h", "the run must end within", 1e-6, 1e7),
    text(K::strict, "strict", "tight counts as no", P::boolean),
});
static_assert(k_specs.size() == k_preference_keys);

// What may be left off the end of a key on the command line.
constexpr auto k_units = std::to_array<std::string_view>({"_w", "_mm", "_gib", "_hours", "_usd", "_usd_per_kwh"});

}  // namespace

std::string canonical(std::string_view name) {
  std::string out(name);
  for (char& each : out) {
    each = each == '-' ? '_' : (each >= 'A' && each <= 'Z') ? static_cast<char>(each + ('a' - 'A')) : each;
  }
  return out;
}

std::span<const PreferenceSpec> preference_keys() {
  return k_specs;
}

const PreferenceSpec* find_preference(std::string_view name) {
  const std::string wanted = canonical(name);
  for (const PreferenceSpec& spec : k_specs) {
    if (spec.name == wanted) {
      return &spec;
    }
    if (spec.name.starts_with(wanted) && std::find(k_units.begin(), k_units.end(), spec.name.substr(wanted.size())) != k_units.end()) {
      return &spec;
    }
  }
  return nullptr;
}

namespace {

template <class T>
Value names_value(const std::vector<T>& items) {
  Value::List list;
  for (const T& item : items) {
    if constexpr (std::is_enum_v<T>) {
      list.emplace_back(std::string(catalog::enum_name(item)));
    } else if constexpr (std::is_same_v<T, PriceOverride>) {
      list.emplace_back(item.gpu + "=" + format_significant(item.usd, 6));
    } else {
      list.emplace_back(item);
    }
  }
  return list.empty() ? Value{} : Value(std::move(list));
}

Value number_value(const std::optional<double>& value) {
  return value ? Value(*value) : Value{};
}

Value text_value(std::string_view value) {
  return value.empty() ? Value{} : Value(std::string(value));
}

}  // namespace

// One case a key; -Wswitch finds the one that is forgotten.
// NOLINTNEXTLINE(readability-function-size)
Value preference_value(const Preferences& p, PreferenceKey key) {
  switch (key) {
    case K::budget:
      return number_value(p.budget_usd);
    case K::budget_per_hour:
      return number_value(p.budget_per_hour_usd);
    case K::budget_per_run:
      return number_value(p.budget_per_run_usd);
    case K::reserve_share:
      return p.reserve_share;
    case K::source:
      return text_value(to_string(p.source));
    case K::condition:
      return text_value(to_string(p.condition));
    case K::form:
      return text_value(to_string(p.form));
    case K::vendor:
      return names_value(p.vendors);
    case K::segment:
      return names_value(p.segments);
    case K::tier:
      return p.tier == Tier::none ? Value{} : text_value(to_string(p.tier));
    case K::prefer:
      return text_value(to_string(p.prefer));
    case K::candidates:
      return names_value(p.candidates);
    case K::exclude:
      return names_value(p.exclude);
    case K::gpu:
      return names_value(p.gpus);
    case K::have:
      return names_value(p.have);
    case K::max_power_w:
      return number_value(p.max_power_w);
    case K::psu_w:
      return number_value(p.psu_w);
    case K::slots:
      return number_value(p.slots);
    case K::max_length_mm:
      return number_value(p.max_length_mm);
    case K::ram_gib:
      return number_value(p.ram_gib);
    case K::pcie:
      return number_value(p.pcie_generation);
    case K::os:
      return text_value(to_string(p.os));
    case K::torch:
      return text_value(p.torch);
    case K::cuda:
      return text_value(p.cuda);
    case K::driver:
      return text_value(p.driver);
    case K::python:
      return text_value(p.python);
    case K::price:
      return names_value(p.price_overrides);
    case K::prices:
      return names_value(p.price_files);
    case K::currency:
      return text_value(p.currency);
    case K::fx:
      return p.fx;
    case K::as_of:
      return text_value(p.as_of);
    case K::electricity_usd_per_kwh:
      return p.electricity_usd_per_kwh;
    case K::hours_per_day:
      return p.hours_per_day;
    case K::years:
      return p.years;
    case K::host_cost_usd:
      return p.host_cost_usd;
    case K::min_speed:
      return number_value(p.min_speed);
    case K::deadline_hours:
      return number_value(p.deadline_hours);
    case K::strict:
      return p.strict;
    case K::count_:
      break;
  }
  return {};
}

}  // namespace advise
}  // namespace gpuadvise
