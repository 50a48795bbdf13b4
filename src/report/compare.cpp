#include "report/compare.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "report/columns.hpp"
#include "report/grid.hpp"
#include "workload/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace gpuadvise::report {
namespace {

using advise::Compared;
using advise::Comparison;

constexpr std::size_t k_label_width = 20;
constexpr std::size_t k_card_width = 19;

std::string number(const std::optional<double>& value) {
  return value ? format_significant(*value) : "-";
}

std::string times(const std::optional<double>& value) {
  return value ? "x" + format_significant(*value, 2) : "-";
}

std::string range(const Interval& interval, double unit = 1.0) {
  return format_significant(interval.low / unit, 2) + "-" + format_significant(interval.high / unit, 2);
}

std::string price_of(const Compared& card) {
  if (!card.cost.price) {
    return "-";
  }
  const Price& price = *card.cost.price;
  std::string text = format_usd(price.usd) + " " + std::string(catalog::enum_name(price.kind));
  return price.kind == PriceKind::user ? format_usd(price.usd) + " given" : text;
}

// "$2.49 runpod", with the number of GPUs where it is for several.
std::string rent_of(const Compared& card) {
  if (!card.cost.rent_usd_per_hour || !card.cost.offer) {
    return "-";
  }
  const bool several = card.ranked && card.ranked->count > 1.0;
  return format_usd(*card.cost.rent_usd_per_hour) + (several ? fmt::format(" for {:.0f}, ", card.ranked->count) : " ") +
         std::string(card.cost.offer->provider);
}

std::string relation_of(const Compared& card) {
  if (card.relation == advise::Relation::base) {
    return "base";
  }
  if (!card.speed_ratio) {
    return "-";
  }
  const std::string ratio = "x" + range(*card.speed_ratio);
  return card.relation == advise::Relation::tie ? "tie, " + ratio : ratio;
}

// In brackets where the job does not fit: what it would be.
std::string speed_of(const Compared& card) {
  if (!card.figures.speed) {
    return "-";
  }
  const std::string speed = format_significant(card.figures.speed->throughput.expected);
  return card.figures.fit->verdict == Verdict::no ? "(" + speed + ")" : speed;
}

std::string place_of(const Compared& card) {
  if (card.ranked) {
    const bool more = card.ranked->count > card.ranked->workload.nodes && card.ranked->count > 1.0;
    return fmt::format("{} ({:.3f}{})", card.ranked->rank, card.ranked->score.total,
                       more ? fmt::format(", {:.0f} GPUs", card.ranked->count) : "");
  }
  return card.rejected ? "no: " + card.rejected->rule : "-";
}

// The last branch and its end where both are known; "ongoing" where the maker has named none.
std::string driver_support_of(const Compared& card) {
  const SoftwareSupport& support = card.gpu->support;
  const std::string branch(support.last_driver_branch);
  return support.driver_end_of_life.empty() ? (branch.empty() ? "-" : branch) : branch + ", " + std::string(support.driver_end_of_life);
}

std::string toolkit_support_of(const Compared& card) {
  const SoftwareSupport& support = card.gpu->support;
  const std::string last = support.last_toolkit.empty() ? "-" : std::string(support.last_toolkit);
  return support.stack.empty() ? last : std::string(support.stack) + " " + last;
}

std::string torch_support_of(const Compared& card) {
  const SoftwareSupport& support = card.gpu->support;
  if (support.end_of_support) {
    return support.last_torch.empty() ? "none" : "ended at " + std::string(support.last_torch);
  }
  return support.last_torch.empty() ? "-" : std::string(support.last_torch);
}

struct Line {
  std::string_view label;
  std::string (*cell)(const Compared&);
};

constexpr auto k_facts = std::to_array<Line>({
    {"memory GiB", [](const Compared& c) { return number(c.gpu->memory_gib); }},
    {"bandwidth GB/s", [](const Compared& c) { return number(c.gpu->memory_bandwidth_gb_s); }},
    {"fp32 TFLOPS", [](const Compared& c) { return number(c.gpu->tflops.fp32); }},
    {"16-bit TFLOPS", [](const Compared& c) { return number(c.rate_tflops); }},
    {"power W", [](const Compared& c) { return number(c.gpu->tdp_w); }},
    {"released", [](const Compared& c) { return std::string(c.gpu->release_date.substr(0, 7)); }},
    {"drivers to", driver_support_of},
    {"toolkit to", toolkit_support_of},
    {"PyTorch to", torch_support_of},
    {"price", price_of},
});

constexpr auto k_work = std::to_array<Line>({
    {"need GiB", [](const Compared& c) { return range(c.figures.memory.need, k_gib); }},
    {"usable GiB", [](const Compared& c) { return format_significant(c.figures.fit->usable_bytes / k_gib); }},
    {"fit",
     [](const Compared& c) { return fmt::format("{}, {:.0f} %", to_string(c.figures.fit->verdict), 100 * c.figures.fit->probability); }},
    {"speed", speed_of},
    {"  90 % range", [](const Compared& c) { return c.figures.speed ? range(c.figures.speed->throughput) : std::string("-"); }},
    {"  bound by", [](const Compared& c) { return c.figures.speed ? std::string(to_string(c.figures.speed->bound)) : std::string("-"); }},
    {"  to the first", relation_of},
    {"rank (score)", place_of},
});

constexpr auto k_value = std::to_array<Line>({
    {"TFLOPS per GiB", [](const Compared& c) { return number(c.rate_per_gib); }},
    {"GB/s per GiB", [](const Compared& c) { return number(c.bandwidth_per_gib); }},
    {"TFLOPS per $1000", [](const Compared& c) { return number(c.rate_per_1000_usd); }},
    {"GB/s per $1000", [](const Compared& c) { return number(c.bandwidth_per_1000_usd); }},
    {"GiB per $1000", [](const Compared& c) { return number(c.gib_per_1000_usd); }},
    {"speed per $1000", [](const Compared& c) { return number(c.speed_per_1000_usd); }},
    {"speed per 100 W", [](const Compared& c) { return number(c.speed_per_100_w); }},
    {"payback months", [](const Compared& c) { return number(c.payback_months); }},
});

constexpr auto k_gain = std::to_array<Line>({
    {"over", [](const Compared& c) { return c.gain ? std::string(c.gain->over->id) : std::string("-"); }},
    {"  speed of this job", [](const Compared& c) { return c.gain ? times(c.gain->speed) : std::string("-"); }},
    {"  bandwidth", [](const Compared& c) { return c.gain ? times(c.gain->bandwidth) : std::string("-"); }},
    {"  16-bit TFLOPS", [](const Compared& c) { return c.gain ? times(c.gain->rate) : std::string("-"); }},
    {"  memory", [](const Compared& c) { return c.gain ? times(c.gain->memory) : std::string("-"); }},
});

constexpr auto k_rent = std::to_array<Line>({
    {"an hour", rent_of},
    {"  as of", [](const Compared& c) { return c.cost.offer && !c.cost.offer->as_of.empty() ? std::string(c.cost.offer->as_of) : "-"; }},
    {"$ per million", [](const Compared& c) { return c.cost.offer ? number(c.cost.rent_usd_per_million) : std::string("-"); }},
    {"  bought", [](const Compared& c) { return number(c.cost.usd_per_million); }},
    {"the run", [](const Compared& c) { return c.cost.rent_run_usd ? format_usd(*c.cost.rent_run_usd) : std::string("-"); }},
});

struct Section {
  std::string_view title;
  std::span<const Line> lines;
};
constexpr auto k_sections = std::to_array<Section>({
    {"The cards", k_facts},
    {"This job", k_work},
    {"Rented", k_rent},
    {"For their memory, price and power", k_value},
    {"Gain over the same class one generation earlier", k_gain},
});

Grid grid_of(const Section& section, std::span<const Compared> cards) {
  Grid grid;
  grid.columns.push_back({std::string(k_label_width, ' '), Align::left});
  for (const Compared& card : cards) {
    grid.columns.push_back({std::string(card.gpu->id), Align::left});
  }
  for (const Line& line : section.lines) {
    GridRow row;
    row.cells.push_back({std::string(line.label), Tone::plain});
    for (const Compared& card : cards) {
      row.cells.push_back({line.cell(card), Tone::plain});
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

bool says_anything(const Section& section, Sourcing source, std::span<const Compared> cards) {
  if (section.lines.data() == k_rent.data()) {
    return source != Sourcing::buy;
  }
  return section.lines.data() != k_gain.data() ||
         std::any_of(cards.begin(), cards.end(), [](const Compared& card) { return card.gain.has_value(); });
}

std::string stretch_text(const advise::Stretch& stretch, std::string_view key) {
  std::string text = fmt::format("{} {:.0f}", key, stretch.from);
  if (stretch.to > stretch.from) {
    text += fmt::format(" to {:.0f}", stretch.to);
  }
  if (stretch.fastest == nullptr) {
    return text + ": none holds it";
  }
  text += fmt::format(": {}", stretch.fastest->id);
  return stretch.tied != nullptr ? text + fmt::format(", not to be told from {}", stretch.tied->id) : text;
}

std::string stretches_text(std::span<const advise::Stretch> stretches, std::string_view key, const TextStyle& style) {
  std::string text;
  for (const advise::Stretch& stretch : stretches) {
    text += wrap(stretch_text(stretch, key), style.width, "  ");
  }
  return text.empty() ? text
                      : fmt::format("\n{}\n", paint(style, Tone::strong, fmt::format("Fastest that holds the job, by {}", key))) + text;
}

std::string flip_text(const advise::Flip& flip) {
  const bool hours = flip.by == advise::FlipBy::hours_per_day;
  const std::string at = hours ? format_significant(flip.at, 2) + " hours a day" : "$" + format_significant(flip.at, 2) + "/kWh";
  if (flip.of == advise::FlipOf::rent_or_buy) {
    return fmt::format("{}: cheaper to rent below {}, to buy above", flip.below->id, at);
  }
  return fmt::format("cheaper for the same work: {} below {}, {} above", flip.below->id, at, flip.above->id);
}

std::string money_text(const advise::MoneyFlips& money, const TextStyle& style) {
  std::string text;
  if (!money.by_budget.empty()) {
    text += "\n" + paint(style, Tone::strong, "First in rank, by budget") + "\n";
  }
  for (const advise::BudgetStretch& stretch : money.by_budget) {
    const std::string to = stretch.to_usd ? fmt::format("{} to {}", format_usd(stretch.from_usd), format_usd(*stretch.to_usd))
                                          : "from " + format_usd(stretch.from_usd);
    text += wrap(fmt::format("{}: {}", to, candidate_text(*stretch.best, stretch.count)), style.width, "  ");
  }
  text += "\n" + paint(style, Tone::strong, "By electricity and hours of use") + "\n";
  for (const advise::Flip& flip : money.flips) {
    text += wrap(flip_text(flip), style.width, "  ");
  }
  return money.flips.empty() ? text + "  no price of electricity and no hours a day change the order\n" : text;
}

std::string unit_note(const Comparison& comparison) {
  for (const Compared& card : comparison.cards) {
    if (card.figures.speed) {
      return fmt::format("speed in {}; a ratio holds {} or its inverse in 90 % of measured pairs of cards, 'tie' where it may be 1",
                         to_string(card.figures.speed->unit),
                         format_significant(advise::ratio_factor(comparison.request.workload, comparison.request.model)));
    }
  }
  return {};
}

// A figure beside a card that a rule leaves out would mislead without the reason.
std::string left_out_text(std::span<const Compared> cards, const TextStyle& style) {
  std::string text;
  for (const Compared& card : cards) {
    if (card.ranked || !card.rejected) {
      continue;
    }
    const std::string& change = card.rejected->smallest_change;
    text += wrap(std::string(card.gpu->id) + ": " + card.rejected->message + (change.empty() ? "" : "; would do: " + change), style.width,
                 "  ");
  }
  return text.empty() ? text : "\n" + paint(style, Tone::strong, "Not in the ranking") + "\n" + text;
}

}  // namespace

std::string compare_text(const Comparison& comparison, const TextStyle& style) {
  std::string text = wrap(workload::summary(comparison.request), style.width);
  const auto width = static_cast<std::size_t>(std::max(40, style.width));
  const std::size_t at_once = std::max<std::size_t>(2, (width - k_label_width) / k_card_width);
  const std::span<const Compared> all(comparison.cards);
  for (std::size_t first = 0; first < all.size(); first += at_once) {
    const auto cards = all.subspan(first, std::min(at_once, all.size() - first));
    for (const Section& section : k_sections) {
      if (says_anything(section, comparison.source, cards)) {
        text += "\n" + paint(style, Tone::strong, section.title) + "\n" + render_grid(grid_of(section, cards), style);
      }
    }
  }
  text += left_out_text(all, style) + stretches_text(comparison.stretches, comparison.varied, style);
  text += stretches_text(comparison.by_sequence, "seq", style) + money_text(comparison.money, style);
  return text + "\n" + wrap(unit_note(comparison), style.width);
}

std::string compare_markdown(const Comparison& comparison) {
  std::string text;
  for (const Section& section : k_sections) {
    if (says_anything(section, comparison.source, comparison.cards)) {
      text += (text.empty() ? "" : "\n") + std::string("**") + std::string(section.title) + "**\n\n" +
              render_markdown(grid_of(section, comparison.cards));
    }
  }
  return text;
}

}  // namespace gpuadvise::report
