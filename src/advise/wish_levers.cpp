#include <gpuadvise/units.hpp>

#include "advise/candidates.hpp"
#include "advise/levers.hpp"
#include "advise/preferences.hpp"
#include "catalog/enum_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace gpuadvise::advise {
namespace {

using Proposals = std::vector<Settings>;

// What processor and drives take beside the boards; the same figure as in the rule about power supplies.
constexpr double k_rest_of_machine_w = 200.0;
constexpr double k_cents = 100.0;

void propose(Proposals& out, std::string_view key, Value value) {
  out.push_back({Setting{std::string(key), std::move(value), Origin::user}});
}

double rounded_up(double value, double per_unit = 1.0) {
  // A sum of prices may end a hair above the cent it is.
  return std::ceil(value * per_unit - 1e-9) / per_unit;
}

bool buying(const Situation& s) {
  return s.rejection.source == Sourcing::buy;
}

// The least budget, in the user's currency, of which `usd` are left once the reserve is kept back.
double budget_for(double usd, const Preferences& wants) {
  double budget = rounded_up(usd / (1.0 - wants.reserve_share) * wants.fx);
  while (budget / wants.fx * (1.0 - wants.reserve_share) < usd) {
    budget += 1.0;
  }
  return budget;
}

void budgets(const Situation& s, Proposals& out) {
  const std::optional<double> spendable = s.preferences.spendable_usd();
  const Costs& cost = s.rejection.cost;
  if (!buying(s) || !spendable || !cost.purchase_usd) {
    return;
  }
  // One of them first; where the number is open and one does not hold the job, more of them.
  for (const Spread& way : spreads(s.request)) {
    const double usd = *cost.purchase_usd * way.gpus / std::max(1.0, s.request.workload.gpus);
    if (usd > *spendable) {
      propose(out, "budget", budget_for(usd, s.preferences));
    }
  }
}

void unknown_price(const Situation& s, Proposals& out) {
  const std::optional<double> spendable = s.preferences.spendable_usd();
  if (buying(s) && spendable && !s.rejection.cost.purchase_usd) {
    const double most = std::floor(*spendable / std::max(1.0, s.rejection.cost.boards));
    if (most >= 1.0) {
      propose(out, "price", std::string(s.rejection.gpu->id) + "=" + std::to_string(static_cast<long long>(most)));
    }
  }
}

void hourly_budget(const Situation& s, Proposals& out) {
  const std::optional<double>& rent = s.rejection.cost.rent_usd_per_hour;
  const std::optional<double>& limit = s.preferences.budget_per_hour_usd;
  if (!buying(s) && rent && limit && *rent > *limit) {
    propose(out, "budget_per_hour", rounded_up(*rent * s.preferences.fx, k_cents));
  }
}

void run_budget(const Situation& s, Proposals& out) {
  const Costs& cost = s.rejection.cost;
  const std::optional<double>& run = buying(s) ? cost.run_energy_usd : cost.rent_run_usd;
  const std::optional<double>& limit = s.preferences.budget_per_run_usd;
  if (run && limit && *run > *limit) {
    propose(out, "budget_per_run", rounded_up(*run * s.preferences.fx, k_cents));
  }
}

void time_limits(const Situation& s, Proposals& out) {
  const std::optional<double>& hours = s.rejection.cost.run_hours;
  if (hours && s.preferences.deadline_hours && *hours > *s.preferences.deadline_hours) {
    propose(out, "deadline_hours", rounded_up(*hours, 10.0));
  }
  const auto& figures = s.rejection.figures;
  if (figures && figures->speed && s.preferences.min_speed && figures->speed->throughput.expected < *s.preferences.min_speed) {
    // Two significant digits, rounded down, are what a person would write.
    const double speed = figures->speed->throughput.expected;
    const double unit = std::pow(10.0, std::floor(std::log10(speed)) - 1.0);
    propose(out, "min_speed", std::floor(speed / unit) * unit);
  }
}

void machine_room(const Situation& s, Proposals& out) {
  const Gpu& gpu = *s.rejection.gpu;
  const Costs& cost = s.rejection.cost;
  const Preferences& wants = s.preferences;
  if (!buying(s)) {
    return;
  }
  if (cost.power_w && wants.max_power_w && *cost.power_w > *wants.max_power_w) {
    propose(out, "max_power_w", rounded_up(*cost.power_w));
  }
  if (wants.psu_w && cost.boards > 0.0) {
    const double advised = cost.boards == 1.0 ? gpu.recommended_psu_w.value_or(0.0) : 0.0;
    const double least = std::max(advised, cost.power_w.value_or(0.0) + k_rest_of_machine_w);
    if (least > *wants.psu_w) {
      propose(out, "psu_w", rounded_up(least));
    }
  }
  if (gpu.length_mm && wants.max_length_mm && *gpu.length_mm > *wants.max_length_mm) {
    propose(out, "max_length_mm", rounded_up(*gpu.length_mm));
  }
  if (gpu.slot_width && wants.slots && *gpu.slot_width * cost.boards > *wants.slots) {
    propose(out, "slots", rounded_up(*gpu.slot_width * cost.boards));
  }
}

void forms(const Situation& s, Proposals& out) {
  if (!buying(s)) {
    return;
  }
  for (const MachineForm form : {MachineForm::desktop, MachineForm::server, MachineForm::laptop}) {
    if (form != s.preferences.form) {
      propose(out, "form", std::string(to_string(form)));
    }
  }
}

template <class E>
void widened(std::string_view key, const std::vector<E>& asked, E own, Proposals& out) {
  if (asked.empty() || std::find(asked.begin(), asked.end(), own) != asked.end()) {
    return;
  }
  Value::List names;
  for (const E each : asked) {
    names.emplace_back(std::string(catalog::enum_name(each)));
  }
  names.emplace_back(std::string(catalog::enum_name(own)));
  propose(out, key, std::move(names));
}

void kinds(const Situation& s, Proposals& out) {
  widened("vendor", s.preferences.vendors, s.rejection.gpu->vendor, out);
  widened("segment", s.preferences.segments, s.rejection.gpu->segment, out);
}

void sourcing(const Situation& s, Proposals& out) {
  if (!buying(s) && !s.rejection.cost.rent_usd_per_hour) {
    propose(out, "source", "buy");
  } else if (buying(s) && s.rejection.cost.rent_usd_per_hour && s.preferences.origin(PreferenceKey::source) < Origin::file) {
    propose(out, "source", "rent");
  }
}

void strictness(const Situation& s, Proposals& out) {
  const auto& figures = s.rejection.figures;
  if (s.preferences.strict && figures && figures->fit && figures->fit->verdict == Verdict::tight) {
    propose(out, "strict", false);
  }
}

constexpr auto k_wishes = std::to_array<void (*)(const Situation&, Proposals&)>(
    {strictness, kinds, budgets, unknown_price, hourly_budget, run_budget, time_limits, machine_room, forms, sourcing});

}  // namespace

namespace {

// Amounts are numbers; versions, which look like numbers, are texts.
Value numeric_where_asked(const Setting& setting) {
  const PreferenceSpec* spec = find_preference(setting.key);
  const bool amount = spec != nullptr && (spec->kind == PreferenceKind::usd || spec->kind == PreferenceKind::number);
  const auto number = amount && setting.value.text() != nullptr ? parse_number(*setting.value.text()) : std::nullopt;
  return number ? Value(*number) : setting.value;
}

}  // namespace

bool Situation::by_memory() const {
  return rejection.figures && rejection.figures->fit && !assessor.acceptable(*rejection.figures);
}

Workload Situation::workload() const {
  return spread_over(request.workload, {request.workload.gpus, request.workload.strategy}, needs_fp16(request, *rejection.gpu));
}

std::vector<Settings> wish_levers(const Situation& situation) {
  Proposals out;
  for (const auto wish : k_wishes) {
    // No case or shop gives a card more memory.
    if (!situation.by_memory() || wish == strictness || wish == budgets) {
      wish(situation, out);
    }
  }
  return out;
}

Settings replaced(std::span<const Setting> settings, std::span<const Setting> changes) {
  Settings out(settings.begin(), settings.end());
  for (const Setting& change : changes) {
    std::erase_if(out, [&change](const Setting& setting) { return setting.key == change.key; });
    out.push_back(change);
  }
  return out;
}

Settings settings_in(std::string_view words) {
  Settings out;
  for (std::size_t at = words.find("--"); at != std::string_view::npos; at = words.find("--", at + 2)) {
    std::string_view rest = words.substr(at + 2);
    const std::string_view name = rest.substr(0, rest.find_first_of(" )=,;"));
    rest = rest.substr(std::min(rest.size(), name.size() + 1));
    const std::string_view value = rest.substr(0, rest.find_first_of(" );"));
    if (name.starts_with("no-")) {
      out.push_back({std::string(name.substr(3)), Value(false), Origin::user});
    } else if (!name.empty()) {
      const bool none = value.empty() || value.starts_with("--");
      out.push_back({std::string(name), none ? Value(true) : Value(std::string(value)), Origin::user});
    }
  }
  for (Setting& setting : out) {
    std::replace(setting.key.begin(), setting.key.end(), '-', '_');
    setting.value = numeric_where_asked(setting);
  }
  return out;
}

}  // namespace gpuadvise::advise
