#include "report/columns.hpp"

#include <gpuadvise/units.hpp>

#include "advise/mixed.hpp"
#include "advise/reasons.hpp"
#include "catalog/enum_names.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::report {
namespace {

std::string gib(double bytes) {
  return format_significant(bytes / k_gib);
}

std::string dash_or(const std::optional<double>& value, std::string (*print)(double)) {
  return value ? print(*value) : "-";
}

Value maybe(const std::optional<double>& value) {
  return value ? Value(*value) : Value{};
}

std::string plain(double value) {
  return format_significant(value);
}

std::string candidate_name(const Recommendation& r) {
  return candidate_text(r);
}

std::string need_have(const Recommendation& r) {
  const Fit& fit = *r.figures.fit;
  return gib(r.figures.memory.need.expected) + " / " + gib(fit.usable_bytes);
}

std::string fit_word(const Recommendation& r) {
  return std::string(to_string(r.figures.fit->verdict));
}

std::string speed_range(const Recommendation& r) {
  if (!r.figures.speed) {
    return "-";
  }
  const Interval& rate = r.figures.speed->throughput;
  return format_significant(rate.expected, 2) + " (" + format_significant(rate.low, 2) + "-" + format_significant(rate.high, 2) + ")";
}

std::string percent(double share) {
  return format_significant(100.0 * share, 2) + " %";
}

Value speed_value(const Recommendation& r, double Interval::*member) {
  return r.figures.speed ? Value(r.figures.speed->throughput.*member) : Value{};
}

// Year and month are enough for the age of a price.
std::string month(std::string_view date) {
  return std::string(date.substr(0, 7));
}

constexpr auto k_columns = std::to_array<Column>({
    {"rank", "#", Align::right, 1, [](const Recommendation& r) { return std::to_string(r.rank); },
     [](const Recommendation& r) { return Value(static_cast<double>(r.rank)); }},
    {"gpu", "GPU", Align::left, 1, candidate_name, [](const Recommendation& r) { return Value(std::string(r.gpu->id)); }},
    {"count", "count", Align::right, 0, nullptr, [](const Recommendation& r) { return Value(r.count); }},
    {"source", "source", Align::left, 0, nullptr, [](const Recommendation& r) { return Value(std::string(to_string(r.source))); }},
    {"need_have", "need / have GiB", Align::right, 1, need_have, nullptr},
    {"verdict", "fit", Align::left, 1, fit_word, [](const Recommendation& r) { return Value(fit_word(r)); }},
    {"probability", "sure", Align::right, 5, [](const Recommendation& r) { return percent(r.figures.fit->probability); },
     [](const Recommendation& r) { return Value(r.figures.fit->probability); }},
    {"throughput", "speed", Align::right, 1, speed_range, [](const Recommendation& r) { return speed_value(r, &Interval::expected); }},
    {"price_usd", "price", Align::right, 1, price_text, [](const Recommendation& r) { return maybe(r.cost.purchase_usd); }},
    {"score", "score", Align::right, 2, [](const Recommendation& r) { return format_significant(r.score.total, 2); },
     [](const Recommendation& r) { return Value(r.score.total); }},
    {"power_w", "W", Align::right, 3, [](const Recommendation& r) { return dash_or(r.cost.power_w, plain); },
     [](const Recommendation& r) { return maybe(r.cost.power_w); }},
    {"usd_per_million", "$/million", Align::right, 4, [](const Recommendation& r) { return dash_or(advise::paid_per_million(r), plain); },
     [](const Recommendation& r) { return maybe(advise::paid_per_million(r)); }},
    {"bandwidth_gb_s", "GB/s", Align::right, 6, [](const Recommendation& r) { return plain(r.gpu->memory_bandwidth_gb_s); },
     [](const Recommendation& r) { return Value(r.gpu->memory_bandwidth_gb_s); }},
    {"need_bytes_low", "", Align::right, 0, nullptr, [](const Recommendation& r) { return Value(std::round(r.figures.memory.need.low)); }},
    {"need_bytes", "", Align::right, 0, nullptr, [](const Recommendation& r) { return Value(std::round(r.figures.memory.need.expected)); }},
    {"need_bytes_high", "", Align::right, 0, nullptr,
     [](const Recommendation& r) { return Value(std::round(r.figures.memory.need.high)); }},
    {"usable_bytes", "", Align::right, 0, nullptr, [](const Recommendation& r) { return Value(std::round(r.figures.fit->usable_bytes)); }},
    {"throughput_low", "", Align::right, 0, nullptr, [](const Recommendation& r) { return speed_value(r, &Interval::low); }},
    {"throughput_high", "", Align::right, 0, nullptr, [](const Recommendation& r) { return speed_value(r, &Interval::high); }},
    {"throughput_unit", "", Align::left, 0, nullptr,
     [](const Recommendation& r) { return r.figures.speed ? Value(std::string(to_string(r.figures.speed->unit))) : Value{}; }},
    {"price_kind", "", Align::left, 0, nullptr,
     [](const Recommendation& r) { return r.cost.price ? Value(std::string(catalog::enum_name(r.cost.price->kind))) : Value{}; }},
    {"price_as_of", "", Align::left, 0, nullptr,
     [](const Recommendation& r) { return r.cost.price ? Value(std::string(r.cost.price->as_of)) : Value{}; }},
    {"rent_usd_per_hour", "rent $/h", Align::right, 7, [](const Recommendation& r) { return dash_or(r.cost.rent_usd_per_hour, plain); },
     [](const Recommendation& r) { return maybe(r.cost.rent_usd_per_hour); }},
    {"pareto", "pareto", Align::left, 0, nullptr, [](const Recommendation& r) { return Value(r.pareto); }},
});

}  // namespace

std::span<const Column> columns() {
  return k_columns;
}

const Column* find_column(std::string_view key) {
  for (const Column& column : k_columns) {
    if (column.key == key) {
      return &column;
    }
  }
  return nullptr;
}

std::string price_text(const Recommendation& candidate) {
  const Costs& cost = candidate.cost;
  if (candidate.source == Sourcing::rent) {
    return cost.rent_usd_per_hour ? format_usd(*cost.rent_usd_per_hour) + "/h " + month(cost.offer ? cost.offer->as_of : "") : "-";
  }
  // Of what is owned the kind and the date of a price say nothing.
  if (!candidate.mixed.empty() || cost.purchase_usd == 0.0) {
    return "$0 yours";
  }
  if (!cost.price || !cost.purchase_usd) {
    return "-";
  }
  static constexpr std::array<std::string_view, 5> words{"new", "launch", "used", "estimate", "yours"};
  std::string text = format_usd(*cost.purchase_usd) + " " + std::string(words[static_cast<std::size_t>(cost.price->kind)]);
  if (!cost.price->as_of.empty()) {
    text += " " + month(cost.price->as_of);
  }
  return text;
}

std::string candidate_text(const Recommendation& candidate) {
  return candidate.mixed.empty() ? candidate_text(*candidate.gpu, candidate.count) : advise::mixed_words(candidate.mixed);
}

std::string candidate_text(const Gpu& gpu, double count) {
  return count > 1.0 ? std::to_string(std::llround(count)) + "x " + std::string(gpu.id) : std::string(gpu.id);
}

}  // namespace gpuadvise::report
