#include <gpuadvise/units.hpp>

#include "advise/preferences.hpp"
#include "advise/tiers.hpp"
#include "units/joined.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace gpuadvise::advise {
namespace {

using K = PreferenceKey;
using P = PreferenceKind;

// One setting on its way to a value; every complaint names the key and the text as given.
class Reading {
 public:
  Reading(const PreferenceSpec& spec, const Value& value, workload::Faults& faults) : spec_(spec), value_(value), faults_(faults) {}

  [[nodiscard]] std::optional<double> number() {
    const std::optional<double> parsed = value_.number()            ? std::optional<double>(*value_.number())
                                         : value_.text() == nullptr ? std::nullopt
                                         : spec_.kind == P::usd     ? parse_usd(*value_.text())
                                         : spec_.kind == P::share   ? share(*value_.text())
                                                                    : parse_number(*value_.text());
    if (!parsed || !std::isfinite(*parsed)) {
      complain("is no number", spec_.unit.empty() ? "" : "in " + std::string(spec_.unit));
      return std::nullopt;
    }
    if (*parsed < spec_.low || *parsed > spec_.high || (*parsed == 0.0 && spec_.key == K::budget)) {
      complain("is out of range",
               (spec_.key == K::budget ? "more than " : "from ") + format_significant(spec_.low) + " to " + format_significant(spec_.high));
      return std::nullopt;
    }
    return parsed;
  }

  [[nodiscard]] std::optional<bool> boolean() {
    if (value_.boolean() != nullptr) {
      return *value_.boolean();
    }
    const std::string word = value_.text() != nullptr ? canonical(*value_.text()) : "";
    const bool yes = word == "true" || word == "on" || word == "1" || word == "yes" || (value_.number() && *value_.number() == 1.0);
    const bool no = word == "false" || word == "off" || word == "0" || word == "no" || (value_.number() && *value_.number() == 0.0);
    if (!yes && !no) {
      complain("is neither true nor false", "one of true, false, on, off, 1, 0");
      return std::nullopt;
    }
    return yes;
  }

  [[nodiscard]] std::optional<std::string> text() {
    if (value_.text() != nullptr && !value_.text()->empty()) {
      return *value_.text();
    }
    if (value_.number() != nullptr) {
      return format_significant(*value_.number(), 6);
    }
    complain("is no text", "");
    return std::nullopt;
  }

  // 2026, 2026-01 or 2026-01-31.
  [[nodiscard]] std::optional<std::string> date() {
    std::optional<std::string> given = text();
    if (!given) {
      return std::nullopt;
    }
    constexpr std::string_view form = "dddd-dd-dd";
    bool good = given->size() == 4 || given->size() == 7 || given->size() == form.size();
    for (std::size_t i = 0; good && i < given->size(); ++i) {
      good = form[i] == 'd' ? (*given)[i] >= '0' && (*given)[i] <= '9' : (*given)[i] == form[i];
    }
    const auto part = [&](std::size_t at) { return given->size() > at ? ((*given)[at] - '0') * 10 + ((*given)[at + 1] - '0') : 1; };
    if (!good || part(5) < 1 || part(5) > 12 || part(8) < 1 || part(8) > 31) {
      complain("is no date", "as 2026-01 or 2026-01-31");
      return std::nullopt;
    }
    return given;
  }

  // A list, or one text with commas.
  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> out;
    if (value_.text() != nullptr) {
      split(*value_.text(), out);
    } else if (value_.list() != nullptr) {
      for (const Value& each : *value_.list()) {
        if (each.text() == nullptr) {
          complain("must be a list of names", "");
          return {};
        }
        out.push_back(*each.text());
      }
    }
    if (out.empty()) {
      complain("names nothing", "");
    }
    return out;
  }

  [[nodiscard]] std::optional<std::size_t> choice() {
    const std::string word = value_.text() != nullptr ? canonical(*value_.text()) : "";
    return choice_of(spec_.key == K::tier ? tier_word(word) : word, shown());
  }

  [[nodiscard]] std::optional<std::size_t> choice_of(std::string_view word, const std::string& as_given) {
    for (std::size_t i = 0; i < spec_.choices.size(); ++i) {
      if (canonical(spec_.choices[i]) == word) {
        return i;
      }
    }
    faults_.push_back({ErrorCode::invalid_value, std::string(spec_.name), "unknown " + std::string(spec_.name) + " '" + as_given + "'",
                       "one of " + joined(spec_.choices)});
    return std::nullopt;
  }

  void complain(const std::string& what, const std::string& hint) {
    faults_.push_back({ErrorCode::invalid_value, std::string(spec_.name), std::string(spec_.name) + " '" + shown() + "' " + what, hint});
  }

 private:
  // 0.2, "20%".
  [[nodiscard]] static std::optional<double> share(std::string_view given) {
    if (!given.empty() && given.back() == '%') {
      const std::optional<double> percent = parse_number(given.substr(0, given.size() - 1));
      return percent ? std::optional<double>(*percent / 100.0) : std::nullopt;
    }
    return parse_number(given);
  }

  static void split(std::string_view given, std::vector<std::string>& out) {
    while (!given.empty()) {
      const std::size_t comma = given.find(',');
      std::string_view part = given.substr(0, comma);
      const std::size_t start = part.find_first_not_of(' ');
      if (start != std::string_view::npos) {
        part = part.substr(start, part.find_last_not_of(' ') - start + 1);
        out.emplace_back(part);
      }
      given = comma == std::string_view::npos ? std::string_view{} : given.substr(comma + 1);
    }
  }

  [[nodiscard]] std::string shown() const {
    if (value_.text() != nullptr) {
      return *value_.text();
    }
    if (value_.number() != nullptr) {
      return format_significant(*value_.number(), 6);
    }
    return value_.boolean() != nullptr ? (*value_.boolean() ? "true" : "false") : value_.list() != nullptr ? "[...]" : "null";
  }

  const PreferenceSpec& spec_;
  const Value& value_;
  workload::Faults& faults_;
};

template <class T>
void assign(T& to, const std::optional<T>& value) {
  if (value) {
    to = *value;
  }
}
void assign(std::optional<double>& to, const std::optional<double>& value) {
  if (value) {
    to = value;
  }
}
template <class E>
void assign_choice(E& to, Reading& reading) {
  if (const std::optional<std::size_t> index = reading.choice()) {
    to = static_cast<E>(*index);
  }
}
template <class E>
void assign_words(std::vector<E>& to, Reading& reading) {
  to.clear();
  for (const std::string& word : reading.names()) {
    if (const std::optional<std::size_t> index = reading.choice_of(canonical(word), word)) {
      to.push_back(static_cast<E>(*index));
    }
  }
}

constexpr double k_most_price_usd = 1e7;

void read_prices(std::vector<PriceOverride>& to, Reading& reading) {
  for (const std::string& pair : reading.names()) {
    const std::size_t equals = pair.find('=');
    const std::optional<double> amount = equals == std::string::npos ? std::nullopt : parse_usd(std::string_view(pair).substr(equals + 1));
    if (!amount || equals == 0 || *amount <= 0.0) {
      reading.complain("is no price", "like rtx-3090=650");
      continue;
    }
    const std::string gpu = pair.substr(0, equals);
    if (*amount > k_most_price_usd) {
      reading.complain("is no plausible price of a board", "at most " + format_usd(k_most_price_usd));
      continue;
    }
    if (std::any_of(to.begin(), to.end(), [&gpu](const PriceOverride& other) { return other.gpu == gpu; })) {
      reading.complain("gives " + gpu + " two prices", "keep one of them");
      continue;
    }
    to.push_back({gpu, *amount});
  }
}

// "2x rtx-3090", as answers print it, is the card twice; "7900xtx" is a name.
void read_cards_at_hand(std::vector<std::string>& to, Reading& reading) {
  constexpr double most = 256;  // as many as a machine's tool may list
  to.clear();
  for (const std::string& name : reading.names()) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const double number = digits > 0 ? parse_number(name.substr(0, digits)).value_or(0.0) : 0.0;
    const bool counted = digits > 0 && number <= most && digits + 1 < name.size() && (name[digits] == 'x' || name[digits] == 'X');
    const double count = counted ? number : 1.0;
    const std::size_t start = counted ? std::min(name.find_first_not_of(' ', digits + 1), name.size()) : 0;
    if (count < 1.0 || static_cast<double>(to.size()) + count > most) {
      reading.complain("is no number of cards of a machine", "1 to 256 cards, as 2x rtx-3090,rtx-4090");
      return;
    }
    to.insert(to.end(), static_cast<std::size_t>(count), name.substr(start));
  }
}

// One case a key; -Wswitch finds the one that is forgotten.
// NOLINTNEXTLINE(readability-function-size)
void read_one(Preferences& p, K key, Reading& reading) {
  switch (key) {
    case K::budget:
      assign(p.budget_usd, reading.number());
      return;
    case K::budget_per_hour:
      assign(p.budget_per_hour_usd, reading.number());
      return;
    case K::budget_per_run:
      assign(p.budget_per_run_usd, reading.number());
      return;
    case K::reserve_share:
      assign(p.reserve_share, reading.number());
      return;
    case K::source:
      assign_choice(p.source, reading);
      return;
    case K::condition:
      assign_choice(p.condition, reading);
      return;
    case K::form:
      assign_choice(p.form, reading);
      return;
    case K::vendor:
      assign_words(p.vendors, reading);
      return;
    case K::segment:
      assign_words(p.segments, reading);
      return;
    case K::tier:
      assign_choice(p.tier, reading);
      return;
    case K::prefer:
      assign_choice(p.prefer, reading);
      return;
    case K::candidates:
      p.candidates = reading.names();
      return;
    case K::exclude:
      p.exclude = reading.names();
      return;
    case K::gpu:
      p.gpus = reading.names();
      return;
    case K::have:
      read_cards_at_hand(p.have, reading);
      return;
    case K::max_power_w:
      assign(p.max_power_w, reading.number());
      return;
    case K::psu_w:
      assign(p.psu_w, reading.number());
      return;
    case K::slots:
      assign(p.slots, reading.number());
      return;
    case K::max_length_mm:
      assign(p.max_length_mm, reading.number());
      return;
    case K::ram_gib:
      assign(p.ram_gib, reading.number());
      return;
    case K::pcie:
      assign(p.pcie_generation, reading.number());
      return;
    case K::os:
      assign_choice(p.os, reading);
      return;
    case K::torch:
      assign(p.torch, reading.text());
      return;
    case K::cuda:
      assign(p.cuda, reading.text());
      return;
    case K::driver:
      assign(p.driver, reading.text());
      return;
    case K::python:
      assign(p.python, reading.text());
      return;
    case K::price:
      read_prices(p.price_overrides, reading);
      return;
    case K::prices:
      p.price_files = reading.names();
      return;
    case K::currency:
      assign(p.currency, reading.text());
      return;
    case K::fx:
      assign(p.fx, reading.number());
      return;
    case K::as_of:
      assign(p.as_of, reading.date());
      return;
    case K::electricity_usd_per_kwh:
      assign(p.electricity_usd_per_kwh, reading.number());
      return;
    case K::hours_per_day:
      assign(p.hours_per_day, reading.number());
      return;
    case K::years:
      assign(p.years, reading.number());
      return;
    case K::host_cost_usd:
      assign(p.host_cost_usd, reading.number());
      return;
    case K::min_speed:
      assign(p.min_speed, reading.number());
      return;
    case K::deadline_hours:
      assign(p.deadline_hours, reading.number());
      return;
    case K::strict:
      assign(p.strict, reading.boolean());
      return;
    case K::count_:
      return;
  }
}

// Budgets are written in the user's currency, everything inside is US dollars.
void apply_currency(Preferences& p, workload::Faults& faults) {
  if (p.currency != "USD" && p.origin(K::fx) == Origin::unset) {
    faults.push_back(
        {ErrorCode::conflict, "currency", "currency '" + p.currency + "' needs fx, its units for one US dollar", "for example --fx 0.92"});
    return;
  }
  for (std::optional<double>* amount : {&p.budget_usd, &p.budget_per_hour_usd, &p.budget_per_run_usd}) {
    if (*amount) {
      **amount /= p.fx;
    }
  }
}

}  // namespace

namespace {

void read_settings(Preferences& preferences, std::span<const Setting> settings, workload::Faults& faults) {
  for (const Setting& setting : settings) {
    const PreferenceSpec* spec = find_preference(setting.key);
    if (spec == nullptr || setting.value.is_null()) {
      continue;
    }
    preferences.origins[static_cast<std::size_t>(spec->key)] = setting.origin;
    Reading reading(*spec, setting.value, faults);
    read_one(preferences, spec->key, reading);
  }
}

}  // namespace

Preferences read_preferences(std::span<const Setting> settings, workload::Faults& faults) {
  Preferences preferences;
  read_settings(preferences, settings, faults);
  apply_currency(preferences, faults);
  apply_tier(preferences);
  return preferences;
}

Preferences read_preferences(std::span<const Setting> settings) {
  workload::Faults faults;
  Preferences preferences = read_preferences(settings, faults);
  if (!faults.empty()) {
    throw workload::RequestError(std::move(faults));
  }
  return preferences;
}

Preferences with_settings(const Preferences& preferences, std::span<const Setting> settings) {
  Preferences changed = preferences;
  // Amounts in force are US dollars already, those that are set are in the user's currency.
  changed.budget_usd.reset();
  changed.budget_per_hour_usd.reset();
  changed.budget_per_run_usd.reset();
  workload::Faults faults;
  read_settings(changed, settings, faults);
  apply_currency(changed, faults);
  if (!faults.empty()) {
    throw workload::RequestError(std::move(faults));
  }
  const auto keep = [](std::optional<double>& to, const std::optional<double>& from) { to = to ? to : from; };
  keep(changed.budget_usd, preferences.budget_usd);
  keep(changed.budget_per_hour_usd, preferences.budget_per_hour_usd);
  keep(changed.budget_per_run_usd, preferences.budget_per_run_usd);
  return changed;
}

}  // namespace gpuadvise::advise
