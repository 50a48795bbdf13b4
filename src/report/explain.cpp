#include "report/explain.hpp"

#include <gpuadvise/units.hpp>

#include "report/columns.hpp"
#include "report/estimate_text.hpp"
#include "report/grid.hpp"
#include "workload/describe.hpp"
#include "workload/setting_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpuadvise::report {
namespace {

using advise::Basis;
using advise::Explanation;

constexpr double k_need_over_allocated = 1.06;  // contract: need = 1.06 x allocated + runtime + communication

std::string gib(double bytes) {
  return format_significant(bytes / k_gib);
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string heading(const TextStyle& style, std::string_view words) {
  return "\n" + paint(style, Tone::strong, words) + "\n";
}

std::string band_words(const Interval& interval, const Basis& basis) {
  // Plus zero: what rounds to nothing has no sign.
  const auto percent = [&interval](double bound) { return std::round(100 * (bound / interval.expected - 1)) + 0.0; };
  std::string text =
      fmt::format("90 % interval {:+.0f} % to {:+.0f} %; rests on {}", percent(interval.low), percent(interval.high), basis.words);
  if (basis.median_error) {
    text += fmt::format(" (accuracy test {}: median error at most {})", basis.class_name,
                        fmt::format("{} %", format_significant(100 * *basis.median_error, 2)));
  }
  return text;
}

// " [fitted: 370 batch ladders on an A100, median error 1.6 %]"
std::string source_words(const advise::TermSource& source) {
  const std::string error =
      source.median_error ? fmt::format(", median error {} %", format_significant(100 * *source.median_error, 2)) : "";
  return fmt::format(" [{}: {}{}]", to_string(source.certainty), source.words, error);
}

std::string memory_section(const Explanation& e, const TextStyle& style) {
  Grid grid;
  grid.columns = {{"term", Align::left}, {"GiB", Align::right}, {"share", Align::right}};
  const MemoryFigures& memory = e.figures.memory;
  for (const advise::MemoryTerm& term : e.memory) {
    grid.rows.push_back({{{std::string(term.name), Tone::plain},
                          {gib(term.bytes), Tone::plain},
                          {percent(term.bytes / memory.components.sum()), Tone::plain}},
                         (term.inputs.empty() ? "" : term.inputs + ": ") + std::string(term.formula) + source_words(term.source)});
  }
  std::string text = heading(style, "Memory") + render_grid(grid, style);
  text += wrap("sum = " + gib(memory.device.expected) + " GiB as the driver's tool shows with room to spare", style.width, "  ");
  const double runtime = memory.components.runtime + memory.components.communication;
  text += wrap(fmt::format("need = {} x {} allocated + {} runtime and communication = {} GiB", k_need_over_allocated,
                           gib(memory.allocated.expected), gib(runtime), gib(memory.need.expected)),
               style.width, "  ");
  text += wrap(band_words(memory.need, *e.memory_basis), style.width, "  ");
  const Fit& fit = *e.figures.fit;
  return text + wrap(fmt::format("{}: {} usable of {} visible, {} sure", to_string(fit.verdict), format_gib(fit.usable_bytes),
                                 format_gib(fit.visible_bytes), percent(fit.probability)),
                     style.width, "  ");
}

std::string speed_section(const Explanation& e, const TextStyle& style) {
  if (!e.figures.speed) {
    const bool refused = e.figures.speed_refused;
    return heading(style, "Speed") +
           wrap(refused ? "none: the job cannot run on this card" : "not known for this kind of card", style.width, "  ");
  }
  const SpeedFigures& speed = *e.figures.speed;
  Grid grid;
  grid.columns = {{"term", Align::left}, {"a step", Align::right}, {"share", Align::right}};
  for (const advise::SpeedTerm& term : e.speed) {
    grid.rows.push_back(
        {{{std::string(term.name), Tone::plain}, {format_duration(term.seconds), Tone::plain}, {percent(term.share), Tone::plain}},
         std::string(term.formula) + source_words(term.source)});
  }
  std::string text = heading(style, "Speed") + render_grid(grid, style);
  text += wrap(fmt::format("{} {} ({} - {}), bound by {}", format_significant(speed.throughput.expected), to_string(speed.unit),
                           format_significant(speed.throughput.low), format_significant(speed.throughput.high), to_string(speed.bound)),
               style.width, "  ");
  text += wrap(band_words(speed.throughput, *e.speed_basis), style.width, "  ");
  return text + (speed.prior ? wrap("no measurement covers this kind of card: constants are priors", style.width, "  ") : "");
}

// One job, the same GPUs, every way to divide it.
std::string ways_section(const Explanation& e, const TextStyle& style) {
  if (e.ways.empty()) {
    return {};
  }
  Grid grid;
  grid.columns = {{"divided as", Align::left}, {"GiB a GPU", Align::right},  {"fit", Align::left},
                  {"speed", Align::right},     {"efficiency", Align::right}, {"between GPUs", Align::right}};
  for (std::size_t i = 0; i < e.ways.size(); ++i) {
    const advise::TriedWay& way = e.ways[i];
    const std::optional<SpeedFigures>& speed = way.figures.speed;
    const Tone tone = e.best == i ? Tone::strong : Tone::plain;
    grid.rows.push_back({{{advise::way_words(way.workload) + (i == 0 ? " (as asked)" : ""), tone},
                          {gib(way.figures.memory.need.expected), Tone::plain},
                          {std::string(to_string(way.figures.fit->verdict)), Tone::plain},
                          {speed ? format_significant(speed->throughput.expected) : "-", Tone::plain},
                          {speed && speed->scaling_efficiency ? percent(*speed->scaling_efficiency) : "-", Tone::plain},
                          {speed ? percent(speed->shares.communication) : "-", Tone::plain}},
                         {}});
  }
  const double gpus = e.request.workload.all_gpus();
  std::string text = heading(style, fmt::format("Ways to divide it over {:.0f} GPUs", gpus)) + render_grid(grid, style);
  return text + (e.best ? wrap(advise::way_reason(e.ways, *e.best, *e.gpu), style.width, "  ") : std::string());
}

std::string score_section(const Explanation& e, const TextStyle& style) {
  std::string text = heading(style, "Score");
  if (!e.accepted) {
    text += wrap(e.rejected ? "not ranked, rule " + e.rejected->rule + ": " + e.rejected->message : "not ranked", style.width, "  ");
    const bool change = e.rejected && !e.rejected->smallest_change.empty();
    return text + (change ? wrap("smallest change: " + e.rejected->smallest_change, style.width, "  ") : "");
  }
  Grid grid;
  grid.columns = {{"objective", Align::left}, {"value", Align::right}, {"weight", Align::right}, {"gives", Align::right}};
  for (const ScorePart& part : e.accepted->score.parts) {
    grid.rows.push_back({{{std::string(to_string(part.objective)), Tone::plain},
                          {fmt::format("{:.3f}", part.value), Tone::plain},
                          {fmt::format("{:.2f}", part.weight), Tone::plain},
                          {fmt::format("{:.3f}", part.contribution), Tone::plain}},
                         {}});
  }
  text += render_grid(grid, style);
  return text + wrap(fmt::format("sum = {:.3f} as {}, {}", e.accepted->score.total, candidate_text(*e.gpu, e.accepted->count),
                                 price_text(*e.accepted)),
                     style.width, "  ");
}

// A change too small to show has no sign of its own.
std::string signed_score(double change) {
  const std::string text = fmt::format("{:+.3f}", change);
  return text == "-0.000" ? "+0.000" : text;
}

std::string sensitivity_section(const Explanation& e, const TextStyle& style) {
  Grid grid;
  grid.columns = {{"if", Align::left}, {"need", Align::right}, {"speed", Align::right}, {"fit", Align::left}, {"score", Align::right}};
  for (const advise::Sensitivity& row : e.sensitivity) {
    grid.rows.push_back({{{row.key + (row.assumed ? "* " : " ") + row.from + " -> " + row.to, Tone::plain},
                          {"x" + format_significant(row.need_ratio), Tone::plain},
                          {row.speed_ratio ? "x" + format_significant(*row.speed_ratio) : "-", Tone::plain},
                          {std::string(to_string(row.verdict)), Tone::plain},
                          {row.score_change ? signed_score(*row.score_change) : "-", Tone::plain}},
                         {}});
  }
  std::string text = heading(style, "What moves it (one step each, largest effect first; * assumed)") + render_grid(grid, style);
  const auto most = std::find_if(e.sensitivity.begin(), e.sensitivity.end(), [](const advise::Sensitivity& row) { return row.assumed; });
  if (most == e.sensitivity.end()) {
    return text;
  }
  return text + wrap(fmt::format("of what was assumed, {} moves it most: state it (--{})", most->key, workload::flag_name(most->key)),
                     style.width, "  ");
}

}  // namespace

std::string explain_text(const Explanation& e, const TextStyle& style) {
  std::string text = wrap(workload::summary(e.request), style.width);
  text += wrap("on " + std::string(e.gpu->name), style.width);
  text +=
      memory_section(e, style) + speed_section(e, style) + ways_section(e, style) + score_section(e, style) + sensitivity_section(e, style);
  for (const Finding& finding : e.accepted ? e.accepted->findings : e.request.findings) {
    text += wrap(std::string(to_string(finding.severity)) + ": " + finding.message, style.width);
  }
  return text;
}

std::string explain_short(const Recommendation& result, const Request& request, const TextStyle& style) {
  std::string score = fmt::format("score {:.3f} =", result.score.total);
  for (const ScorePart& part : result.score.parts) {
    score += fmt::format("{} {} {:.3f} x {:.2f}", &part == &result.score.parts.front() ? "" : " +", to_string(part.objective), part.value,
                         part.weight);
  }
  std::string text =
      heading(style, fmt::format("{} explained", candidate_text(*result.gpu, result.count))) + wrap(score, style.width, "  ");
  const Basis& memory = advise::memory_basis(result.workload, request.model);
  text += wrap("memory: " + band_words(result.figures.memory.need, memory), style.width, "  ");
  if (result.figures.speed) {
    const SpeedFigures& speed = *result.figures.speed;
    const Basis& basis = advise::speed_basis(result.workload, request.model);
    text += wrap(fmt::format("speed: bound by {}; {}", to_string(speed.bound), band_words(speed.throughput, basis)), style.width, "  ");
  }
  return text + wrap(fmt::format("each term: gpuadvise explain {} with the same settings", result.gpu->id), style.width, "  ");
}

}  // namespace gpuadvise::report
