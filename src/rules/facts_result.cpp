// memory.*, capacity.*, speed.* and cost.*: what the estimate says of a candidate.
#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "rules/facts.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::rules {
namespace {

Datum gib(double bytes) {
  return number(bytes / k_gib);
}

// Sustained reading of usual drives: PCIe 3 x4, and the SATA interface (priors; their makers' figures are 3.5 and 0.55).
constexpr double k_nvme_bytes_per_s = 3e9;
constexpr double k_sata_bytes_per_s = 0.5e9;
constexpr double k_seconds_per_minute = 60;

template <class Read>
Datum of_figures(const Subject& subject, Read read) {
  return subject.figures != nullptr ? read(*subject.figures) : Datum{};
}

template <class Read>
Datum of_fit(const Subject& subject, Read read) {
  return subject.figures != nullptr && subject.figures->fit ? read(*subject.figures, *subject.figures->fit) : Datum{};
}

template <class Read>
Datum of_speed(const Subject& subject, Read read) {
  return subject.figures != nullptr && subject.figures->speed ? read(*subject.figures->speed) : Datum{};
}

template <class Read>
Datum of_cost(const Subject& subject, Read read) {
  return subject.cost != nullptr ? read(*subject.cost) : Datum{};
}

// Throughput against the reference card's, on the same request.
Datum speed_ratio(const Subject& s) {
  if (s.figures == nullptr || !s.figures->speed || s.reference_throughput <= 0.0) {
    return {};
  }
  return number(s.figures->speed->throughput.expected / s.reference_throughput);
}

Datum per_watt_ratio(const Subject& s) {
  const Datum ratio = speed_ratio(s);
  if (ratio.is_null() || s.cost == nullptr || !s.cost->power_w || s.reference_power_w <= 0.0) {
    return {};
  }
  return number(ratio.number * s.reference_power_w / *s.cost->power_w);
}

// What the price objective compares: the purchase, or, where renting is in question, everything paid over the years of use.
Datum compared_price(const Subject& s) {
  if (s.cost == nullptr || s.preferences == nullptr) {
    return {};
  }
  if (s.source == Sourcing::rent) {
    const Preferences& p = *s.preferences;
    const double hours = p.hours_per_day * 365.0 * p.years;
    return s.cost->rent_usd_per_hour ? number(*s.cost->rent_usd_per_hour * hours) : Datum{};
  }
  return number(s.preferences->source == Sourcing::buy ? s.cost->purchase_usd : s.cost->total_usd);
}

Datum budget_needed(const Subject& s) {
  return s.preferences != nullptr && s.cost != nullptr && s.cost->purchase_usd
             ? number(*s.cost->purchase_usd / (1.0 - s.preferences->reserve_share))
             : Datum{};
}

Datum over_budget(const Subject& s) {
  const std::optional<double> spendable = s.preferences != nullptr ? s.preferences->spendable_usd() : std::nullopt;
  return spendable && s.cost != nullptr && s.cost->purchase_usd ? number(*s.cost->purchase_usd - *spendable) : Datum{};
}

// Of one board what its maker asks for. Peaks of several boards add up: guides ask for 1000 W with two boards of 250 W, which restart a
// machine on 850 W, and for 1200 W with two of 350 W; steps of 50 W. Prior, n = 4 machines.
Datum advised_supply(const Subject& s) {
  if (s.gpu == nullptr || s.cost == nullptr || !s.cost->power_w) {
    return {};
  }
  if (s.cost->boards <= 1.0) {
    return number(s.gpu->recommended_psu_w);
  }
  return number(std::ceil((1.4 * *s.cost->power_w + 300.0) / 50.0) * 50.0);
}

constexpr std::uint8_t k_figures = scope::card | scope::figures;
constexpr std::uint8_t k_price = scope::card | scope::price;

// A list of parameters cannot stand in parentheses of its own.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FACT(reader, scopes, name, kind, meaning, parameters, expression)                                                      \
  Fact {                                                                                                                       \
    name, Kind::kind, scopes, meaning, [](const Subject& s) { return reader(s, [] parameters { return Datum(expression); }); } \
  }
// NOLINTEND(bugprone-macro-parentheses)
#define MEMORY_FACT(name, kind, meaning, expression) FACT(of_figures, k_figures, name, kind, meaning, (const Figures& f), expression)
#define FIT_FACT(name, kind, meaning, expression) \
  FACT(of_fit, k_figures, name, kind, meaning, ([[maybe_unused]] const Figures& f, const Fit& fit), expression)
#define SPEED_FACT(name, kind, meaning, expression) FACT(of_speed, k_figures, name, kind, meaning, (const SpeedFigures& v), expression)
#define COST_FACT(name, scopes, kind, meaning, expression) FACT(of_cost, scopes, name, kind, meaning, (const Costs& c), expression)

constexpr auto k_facts = std::to_array<Fact>({
    MEMORY_FACT("memory.need_gib", number, "what a card must have", gib(f.memory.need.expected)),
    MEMORY_FACT("memory.need_high_gib", number, "upper end of the need", gib(f.memory.need.high)),
    MEMORY_FACT("memory.allocated_gib", number, "live tensors at the peak", gib(f.memory.allocated.expected)),
    MEMORY_FACT("memory.weights_gib", number, "weights", gib(f.memory.components.weights)),
    MEMORY_FACT("memory.load_gib", number, "weights of all GPUs, as they are read", gib(f.memory.all_gpus.components.weights)),
    MEMORY_FACT("memory.load_nvme_s", number, "seconds to read them from an NVMe drive",
                number(f.memory.all_gpus.components.weights / k_nvme_bytes_per_s)),
    MEMORY_FACT("memory.load_sata_min", number, "minutes to read them from a SATA drive",
                number(f.memory.all_gpus.components.weights / k_sata_bytes_per_s / k_seconds_per_minute)),
    MEMORY_FACT("memory.optimizer_gib", number, "optimizer states", gib(f.memory.components.optimizer_states)),
    MEMORY_FACT("memory.activations_gib", number, "activations", gib(f.memory.components.activations)),
    MEMORY_FACT("memory.logits_gib", number, "logits", gib(f.memory.components.logits)),
    MEMORY_FACT("memory.kv_cache_gib", number, "key-value cache", gib(f.memory.components.kv_cache)),
    MEMORY_FACT("memory.host_gib", number, "memory of the host", gib(f.memory.host_bytes)),
    FIT_FACT("memory.visible_gib", number, "what the driver offers", gib(fit.visible_bytes)),
    FIT_FACT("memory.usable_gib", number, "what the job may use", gib(fit.usable_bytes)),
    FIT_FACT("memory.shortfall_gib", number, "need less usable; negative where it fits", gib(f.memory.need.expected - fit.usable_bytes)),
    FIT_FACT("memory.spare_gib", number, "usable less need", gib(fit.usable_bytes - f.memory.need.expected)),
    FIT_FACT("memory.headroom", number, "usable over need", number(fit.usable_bytes / f.memory.need.expected)),
    FIT_FACT("memory.probability", number, "that it fits", number(fit.probability)),
    FIT_FACT("memory.probability_percent", number, "the same in percent", number(fit.probability * 100.0)),
    FIT_FACT("memory.verdict", text, "fits, tight, no", text(to_string(fit.verdict))),
    MEMORY_FACT("capacity.max_concurrency", number, "requests in flight", number(f.capacity.max_concurrency)),
    SPEED_FACT("speed.throughput", number, "images, samples, tokens or iterations a second, all GPUs", number(v.throughput.expected)),
    SPEED_FACT("speed.unit", text, "unit of the throughput", text(to_string(v.unit))),
    SPEED_FACT("speed.step_seconds", number, "one step", number(v.step_seconds.expected)),
    SPEED_FACT("speed.decode_tokens_per_s", number, "generated tokens a second of one request",
               v.decode_tokens_per_s ? number(v.decode_tokens_per_s->expected) : Datum{}),
    SPEED_FACT("speed.bound", text, "compute, bandwidth, launch, communication", text(to_string(v.bound))),
    SPEED_FACT("speed.host_share", number, "share of the step spent starting kernels", number(v.shares.host)),
    SPEED_FACT("speed.communication_share", number, "share of the step spent between GPUs", number(v.shares.communication)),
    SPEED_FACT("speed.scaling_efficiency", number, "several GPUs against one", number(v.scaling_efficiency)),
    SPEED_FACT("speed.prior", boolean, "rests on constants without a measurement of such a card", boolean(v.prior)),
    Fact{"speed.ratio", Kind::number, k_figures, "throughput against the reference card's", speed_ratio},
    Fact{"speed.per_watt_ratio", Kind::number, k_figures, "throughput a watt against the reference card's", per_watt_ratio},
    COST_FACT("cost.price_usd", k_price, number, "price of one board", c.price ? number(c.price->usd) : Datum{}),
    COST_FACT("cost.price_kind", k_price, text, "new-retail, launch, used, estimate, user",
              c.price ? text(catalog::enum_name(c.price->kind)) : Datum{}),
    COST_FACT("cost.price_as_of", k_price, text, "date of the price", c.price ? text(c.price->as_of) : Datum{}),
    COST_FACT("cost.boards", k_price, number, "boards", number(c.boards)),
    COST_FACT("cost.purchase_usd", k_price, number, "price of all boards", number(c.purchase_usd)),
    Fact{"cost.advised_psu_w", Kind::number, k_price, "supply that carries the boards and their short peaks", advised_supply},
    COST_FACT("cost.power_w", k_price, number, "power of all boards", number(c.power_w)),
    COST_FACT("cost.rent_usd_per_hour", k_price, number, "cheapest rent of all GPUs", number(c.rent_usd_per_hour)),
    COST_FACT("cost.rent_provider", k_price, text, "who rents it", c.offer ? text(c.offer->provider) : Datum{}),
    COST_FACT("cost.run_hours", k_figures, number, "duration of the run", number(c.run_hours)),
    COST_FACT("cost.run_energy_usd", k_figures, number, "electricity of the run", number(c.run_energy_usd)),
    COST_FACT("cost.rent_run_usd", k_figures, number, "rent of the run", number(c.rent_run_usd)),
    COST_FACT("cost.energy_usd_per_year", k_price, number, "electricity of a year", number(c.energy_usd_per_year)),
    COST_FACT("cost.total_usd", k_price, number, "purchase, host and energy over the years of use", number(c.total_usd)),
    COST_FACT("cost.usd_per_million", k_figures, number, "cost of a million units of work", number(c.usd_per_million)),
    COST_FACT("cost.break_even_hours", k_price, number, "hours after which buying is cheaper", number(c.break_even_hours)),
    Fact{"cost.over_budget_usd", Kind::number, k_price, "purchase less what may be spent", over_budget},
    Fact{"cost.budget_needed_usd", Kind::number, k_price, "budget that would do, with its reserve", budget_needed},
    Fact{"cost.compared_usd", Kind::number, k_price, "what the price objective compares", compared_price},
});
static_assert(k_facts.size() < 256);

#undef COST_FACT
#undef SPEED_FACT
#undef FIT_FACT
#undef MEMORY_FACT
#undef FACT

}  // namespace

std::span<const Fact> result_facts() {
  return k_facts;
}

}  // namespace gpuadvise::rules
