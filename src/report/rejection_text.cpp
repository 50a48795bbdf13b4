#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "report/estimate_text.hpp"
#include "report/rejection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace gpuadvise::report {
namespace {

constexpr std::size_t k_above_shown = 5;
constexpr std::size_t k_leads_shown = 3;  // objectives

void append(std::string& line, std::string_view text) {
  line += line.empty() ? "" : "; ";
  line += text;
}

std::string limit_text(std::string_view what, double value, const std::optional<double>& limit, std::string_view unit) {
  const std::string text = fmt::format("{} {}{}", what, format_significant(value), unit);
  return limit ? text + fmt::format(" of {}{}", format_significant(*limit), unit) : text;
}

std::string memory_line(const Rejection& r) {
  if (!r.figures || !r.figures->fit) {
    return {};
  }
  const Interval& need = r.figures->memory.need;
  return fmt::format("memory: needs {} ({} to {}), {} usable; the chance that it fits is {} %", format_gib(need.expected),
                     format_gib(need.low), format_gib(need.high), format_gib(r.figures->fit->usable_bytes),
                     format_significant(std::floor(1000.0 * r.figures->fit->probability) / 10.0, 2));
}

std::string money_line(const Rejection& r, const Preferences& wants) {
  std::string line;
  if (r.source == Sourcing::buy) {
    if (!r.cost.purchase_usd) {
      append(line, "no price is known");
    } else {
      std::string price = fmt::format("price {}", format_usd(*r.cost.purchase_usd));
      if (r.cost.price) {
        price += fmt::format(" ({}{})", catalog::enum_name(r.cost.price->kind),
                             r.cost.price->as_of.empty() ? "" : ", " + std::string(r.cost.price->as_of));
      }
      append(line, price + (wants.spendable_usd() ? ", " + format_usd(*wants.spendable_usd()) + " may be spent" : ""));
    }
  } else {
    append(line,
           r.cost.rent_usd_per_hour ? fmt::format("rent {} an hour", format_usd(*r.cost.rent_usd_per_hour)) : "no offer to rent is known");
    if (wants.budget_per_hour_usd) {
      append(line, format_usd(*wants.budget_per_hour_usd) + " an hour may be spent");
    }
  }
  if (r.cost.run_hours) {
    append(line, limit_text("the run takes", *r.cost.run_hours, wants.deadline_hours, " h"));
  }
  return line;
}

std::string machine_line(const Rejection& r, const Preferences& wants) {
  const Gpu& gpu = *r.gpu;
  std::string line = fmt::format("{} {}", catalog::enum_name(gpu.segment), catalog::enum_name(gpu.form_factor));
  if (gpu.cooling != Cooling::unknown) {
    line += fmt::format(", {} cooling", catalog::enum_name(gpu.cooling));
  }
  line += fmt::format(", for a {}", to_string(wants.form));
  if (r.cost.power_w) {
    append(line, limit_text("power", *r.cost.power_w, wants.max_power_w, " W"));
  }
  if (gpu.recommended_psu_w) {
    append(line, limit_text("supply", *gpu.recommended_psu_w, wants.psu_w, " W"));
  }
  if (gpu.length_mm) {
    append(line, limit_text("length", *gpu.length_mm, wants.max_length_mm, " mm"));
  }
  if (gpu.slot_width) {
    append(line, limit_text("slots", *gpu.slot_width * r.cost.boards, wants.slots, ""));
  }
  return line;
}

std::string title_of(const Gpu& gpu, double count) {
  return (count > 1.0 ? fmt::format("{:.0f}x ", count) : "") + std::string(gpu.name);
}

std::string rejected_text(const Rejection& r, const Preferences& wants, const TextStyle& style) {
  std::string text = wrap(fmt::format("{}: {}", r.rule, r.message), style.width, "  ");
  for (const std::string& line : {memory_line(r), money_line(r, wants), machine_line(r, wants)}) {
    if (!line.empty()) {
      text += wrap(line, style.width, "  ");
    }
  }
  const bool by_memory = r.figures && r.figures->fit && r.figures->fit->verdict != Verdict::fits;
  const std::string change = !r.change.empty()
                                 ? (r.change.size() > 1 ? "together these admit it: " : "this admits it: ") + r.smallest_change
                             : r.smallest_change.empty() ? "nothing that was tried admits it"
                             : by_memory ? "no change of the request was found that admits it; missing: " + r.smallest_change
                                         : r.smallest_change;
  return text + wrap(change, style.width, "  ");
}

// "performance +0.12, price -0.03": where one candidate is ahead of another and where it is behind, by contribution.
std::string lead_text(const Score& higher, const Score& asked) {
  std::array<std::size_t, k_objectives> order{};
  std::array<double, k_objectives> lead{};
  for (std::size_t i = 0; i < k_objectives; ++i) {
    order[i] = i;
    lead[i] = higher.parts[i].contribution - asked.parts[i].contribution;
  }
  std::stable_sort(order.begin(), order.end(), [&lead](std::size_t a, std::size_t b) { return std::abs(lead[a]) > std::abs(lead[b]); });
  std::string text;
  for (const std::size_t i : std::span(order).first(k_leads_shown)) {
    if (std::abs(lead[i]) >= 0.0005) {
      text += fmt::format("{}{} {:+.3f}", text.empty() ? "" : ", ", to_string(higher.parts[i].objective), lead[i]);
    }
  }
  return text.empty() ? "a tie, decided by price" : text;
}

std::string recommended_text(const Advice& advice, std::size_t index, const TextStyle& style) {
  const Recommendation& asked = advice.results[index];
  std::string text = wrap(fmt::format("recommended: rank {} of {}, score {:.3f}", asked.rank, advice.results.size(), asked.score.total),
                          style.width, "  ");
  for (std::size_t i = 0; i < std::min(index, k_above_shown); ++i) {
    const Recommendation& higher = advice.results[i];
    text += wrap(fmt::format("above it: {} {}, score {:.3f} ({})", higher.rank, title_of(*higher.gpu, higher.count), higher.score.total,
                             lead_text(higher.score, asked.score)),
                 style.width, "  ");
  }
  if (index > k_above_shown) {
    text += wrap(fmt::format("and {} more above it", index - k_above_shown), style.width, "  ");
  }
  return text;
}

std::string entry_text(const WhyNot& entry, const Recommended& answer, const TextStyle& style) {
  switch (entry.state) {
    case WhyNot::State::recommended:
      return recommended_text(answer.advice, entry.index, style);
    case WhyNot::State::rejected:
      return rejected_text(answer.advice.rejected[entry.index], answer.preferences, style);
    case WhyNot::State::not_in_question:
      break;
  }
  std::string text = wrap("was not in question: " + entry.reason, style.width, "  ");
  if (!entry.outcome) {
    return text + wrap("asked for, it would be recommended", style.width, "  ");
  }
  return text + wrap("asked for, it would be rejected all the same:", style.width, "  ") +
         rejected_text(*entry.outcome, answer.preferences, style);
}

double count_of(const WhyNot& entry, const Advice& advice) {
  return entry.state == WhyNot::State::recommended ? advice.results[entry.index].count
         : entry.state == WhyNot::State::rejected  ? advice.rejected[entry.index].count
                                                   : 1.0;
}

}  // namespace

std::string why_not_text(const Recommended& answer, const TextStyle& style) {
  std::string text;
  for (const WhyNot& entry : answer.advice.why_not) {
    text += paint(style, Tone::strong, title_of(*entry.gpu, count_of(entry, answer.advice))) + "\n" + entry_text(entry, answer, style);
  }
  return text;
}

}  // namespace gpuadvise::report
