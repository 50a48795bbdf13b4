#include "report/solve.hpp"

#include <gpuadvise/units.hpp>

#include "report/answer_json.hpp"
#include "report/figures_json.hpp"
#include "report/grid.hpp"
#include "workload/describe.hpp"

#include <fmt/format.h>

namespace gpuadvise::report {
namespace {

std::string value_text(double value) {
  return fmt::format("{:.0f}", value);
}

Tone tone_of(Verdict verdict) {
  return verdict == Verdict::fits ? Tone::good : verdict == Verdict::tight ? Tone::careful : Tone::bad;
}

GridRow row_of(const advise::SolvePoint& point) {
  const Figures& figures = point.figures;
  const Interval& need = figures.memory.need;
  std::string speed = "-";
  if (figures.speed) {
    speed = format_significant(figures.speed->throughput.expected) + " " + std::string(to_string(figures.speed->unit));
  }
  return {{{value_text(point.value), Tone::plain},
           {format_significant(need.expected / k_gib), Tone::plain},
           {format_significant(need.low / k_gib) + " - " + format_significant(need.high / k_gib), Tone::plain},
           {fmt::format("{:.1f} %", 100 * figures.fit->probability), Tone::plain},
           {std::string(to_string(figures.fit->verdict)), tone_of(figures.fit->verdict)},
           {speed, Tone::plain}},
          {}};
}

std::string headline(const Solved& answer) {
  const std::string_view name = to_string(answer.question.what);
  const std::string kind = answer.question.what == advise::SolveFor::gpus ? "least" : "largest";
  if (!answer.solution.best) {
    const bool gpus = answer.question.what == advise::SolveFor::gpus;
    return fmt::format("no {}{} fits {}", gpus ? "number of " : "", name, answer.gpu.name);
  }
  std::string text = fmt::format("{} {} on {}: {}", kind, name, answer.gpu.name, value_text(answer.solution.best->value));
  if (answer.solution.unrounded) {
    text += " (rounded from " + value_text(*answer.solution.unrounded) + ")";
  }
  return text;
}

// How the GPUs of the answer share the job: a number of GPUs means nothing without it.
std::string strategy_note(const Solved& answer) {
  const auto& point = answer.solution.best ? answer.solution.best : answer.solution.next;
  if (!point || point->request.workload.all_gpus() <= 1.0) {
    return {};
  }
  return "strategy " + workload::value_text(point->request, WorkloadKey::strategy);
}

std::string notes(const Solved& answer, int width) {
  const advise::Solution& solution = answer.solution;
  std::string text;
  if (const std::string strategy = strategy_note(answer); !strategy.empty()) {
    text += wrap(strategy, width, "  ");
  }
  if (answer.question.what == advise::SolveFor::batch && solution.best && solution.best->request.workload.training() &&
      (solution.best->request.workload.all_gpus() > 1.0 || solution.best->request.workload.accumulate > 1.0)) {
    const Workload& workload = solution.best->request.workload;
    text += wrap(fmt::format("per GPU and micro-batch; {:.0f} samples an optimizer step",
                             workload.batch * workload.accumulate * workload.all_gpus()),
                 width, "  ");
  }
  if (solution.best && !solution.next && !solution.limit.empty()) {
    text += wrap("not memory but a limit ends it: " + solution.limit, width, "  ");
  }
  if (!solution.best && answer.question.what == advise::SolveFor::gpus) {
    text +=
        wrap("more GPUs do not help: what each must hold does not shrink enough. Another strategy, method or precision may", width, "  ");
  }
  return text;
}

void write_point(JsonWriter& json, std::string_view name, const std::optional<advise::SolvePoint>& point, const Gpu& gpu) {
  json.key(name);
  if (!point) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("value", point->value);
  json.key("memory");
  write_memory(json, point->figures.memory);
  json.key("fit");
  write_fit(json, *point->figures.fit, gpu.id);
  if (point->figures.speed) {
    json.key("speed");
    write_speed(json, *point->figures.speed);
  }
  json.end_object();
}

}  // namespace

std::string solve_text(const Solved& answer, const TextStyle& style) {
  const advise::Solution& solution = answer.solution;
  const advise::SolvePoint& shown = solution.best ? *solution.best : *solution.next;
  std::string text = wrap(workload::summary(shown.request), style.width);
  text += paint(style, Tone::strong, headline(answer)) + "\n";
  const Fit& fit = *shown.figures.fit;
  text += fmt::format("{} usable of {} visible; {:.0f} % sure was asked\n\n", format_gib(fit.usable_bytes), format_gib(fit.visible_bytes),
                      100 * answer.question.probability);
  Grid grid;
  grid.columns = {{std::string(to_string(answer.question.what)), Align::right},
                  {"need GiB", Align::right},
                  {"90 % range", Align::right},
                  {"sure", Align::right},
                  {"fit", Align::left},
                  {"speed", Align::right}};
  const bool ascending = answer.question.what != advise::SolveFor::gpus;
  for (const auto* point : {ascending ? &solution.best : &solution.next, ascending ? &solution.next : &solution.best}) {
    if (*point) {
      grid.rows.push_back(row_of(**point));
    }
  }
  text += render_grid(grid, style) + notes(answer, style.width);
  for (const Finding& finding : shown.request.findings) {
    text += wrap(std::string(to_string(finding.severity)) + ": " + finding.message, style.width, "  ");
  }
  return text;
}

std::string solve_json(const Solved& answer) {
  const advise::Solution& solution = answer.solution;
  const advise::SolvePoint& shown = solution.best ? *solution.best : *solution.next;
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, answer.data_version);
  write_request(json, shown.request);
  json.key("solve");
  json.begin_object();
  json.field("for", to_string(answer.question.what));
  json.field("gpu", answer.gpu.id);
  json.field("probability", answer.question.probability);
  json.key("value");
  solution.best ? json.value(solution.best->value) : json.null();
  json.field("unrounded", solution.unrounded);
  json.key("limit");
  solution.best && !solution.next ? json.value(solution.limit) : json.null();
  json.end_object();
  write_point(json, "best", solution.best, answer.gpu);
  write_point(json, "next", solution.next, answer.gpu);
  json.key("findings");
  write_findings(json, shown.request.findings);
  json.end_object();
  return out + "\n";
}

}  // namespace gpuadvise::report
