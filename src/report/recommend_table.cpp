#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/candidates.hpp"
#include "report/columns.hpp"
#include "report/estimate_text.hpp"
#include "report/explain.hpp"
#include "report/grid.hpp"
#include "report/recommend.hpp"
#include "report/rejection.hpp"
#include "report/remedies.hpp"
#include "report/separated.hpp"
#include "workload/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpuadvise::report {
namespace {

constexpr int k_optional_from = 2;  // priority of the first column that may be left out
constexpr int k_last_priority = 7;
constexpr std::size_t k_misses_shown = 5;

Tone tone_of(const Column& column, const Recommendation& r) {
  if (column.key == "verdict") {
    return r.figures.fit->verdict == Verdict::fits ? Tone::good : Tone::careful;
  }
  return r.rank == 1 && (column.key == "gpu" || column.key == "rank") ? Tone::strong : Tone::plain;
}

std::string header_of(const Column& column, const std::vector<const Recommendation*>& rows) {
  std::string header(column.header);
  if (column.key == "throughput" && !rows.empty() && rows.front()->figures.speed) {
    header += " " + std::string(to_string(rows.front()->figures.speed->unit));
  }
  return header;
}

std::string reasons_of(const Recommendation& r, bool verbose) {
  std::string text;
  for (const std::string& reason : r.reasons) {
    text += (text.empty() ? "" : "; ") + reason;
  }
  for (const Finding& finding : r.findings) {
    if (finding.severity == Severity::warn || verbose) {
      text += (text.empty() ? "" : "; ") + finding.message;
    }
  }
  return text;
}

Grid grid_of(const std::vector<const Column*>& chosen, const std::vector<const Recommendation*>& rows, bool reasons, bool verbose) {
  Grid grid;
  for (const Column* column : chosen) {
    grid.columns.push_back({header_of(*column, rows), column->align});
  }
  for (const Recommendation* r : rows) {
    GridRow row;
    for (const Column* column : chosen) {
      row.cells.push_back({column->cell(*r), tone_of(*column, *r)});
    }
    row.below = reasons ? reasons_of(*r, verbose) : "";
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

std::vector<const Column*> columns_up_to(int priority) {
  std::vector<const Column*> chosen;
  for (const Column& column : columns()) {
    if (column.priority > 0 && column.priority <= priority) {
      chosen.push_back(&column);
    }
  }
  return chosen;
}

std::vector<const Column*> columns_named(const std::vector<std::string>& keys, bool for_people) {
  std::vector<const Column*> chosen;
  for (const std::string& key : keys) {
    const Column* column = find_column(key);
    if (column == nullptr || (for_people && column->cell == nullptr) || (!for_people && column->value == nullptr)) {
      throw Error(ErrorCode::usage, "no column '" + key + "' in this format",
                  "see the header of --format " + std::string(for_people ? "table" : "csv"));
    }
    chosen.push_back(column);
  }
  return chosen;
}

// The essential columns always; others by priority while they fit.
Grid fitting_grid(const std::vector<const Recommendation*>& rows, const View& view, const TextStyle& style) {
  if (!view.column_keys.empty()) {
    return grid_of(columns_named(view.column_keys, true), rows, true, style.verbose);
  }
  Grid best = grid_of(columns_up_to(k_optional_from - 1), rows, true, style.verbose);
  for (int priority = k_optional_from; priority <= k_last_priority; ++priority) {
    Grid wider = grid_of(columns_up_to(priority), rows, true, style.verbose);
    if (grid_width(wider) > style.width) {
      break;
    }
    best = std::move(wider);
  }
  return best;
}

std::string miss_text(const Rejection& miss, const TextStyle& style) {
  std::string line = candidate_text(*miss.gpu, miss.count) + ": " + miss.message;
  if (!miss.smallest_change.empty()) {
    line += "; would do: " + miss.smallest_change;
  }
  return wrap(line, style.width, "  ");
}

// Few cards were asked about: each is owed its reason.
bool few(const Advice& advice) {
  return advice.rejected.size() <= k_misses_shown;
}

// Where the division is left open each card is divided as suits it: the head says so, and its rows how.
std::string head_of(const Recommended& answer) {
  const Request& request = answer.request;
  const bool open = request.workload.all_gpus() > 1.0 && advise::spreads(request).size() > 1;
  return open ? workload::summary(request, "divided as said below") : workload::summary(request);
}

std::string misses_text(const Recommended& answer, const TextStyle& style) {
  const Advice& advice = answer.advice;
  std::string text = paint(style, Tone::strong, "Nothing fits. Nearest misses:") + "\n";
  for (std::size_t i = 0; i < std::min(advice.nearest.size(), k_misses_shown); ++i) {
    text += miss_text(advice.rejected[advice.nearest[i]], style);
  }
  for (std::size_t i = 0; few(advice) && i < advice.rejected.size(); ++i) {
    if (std::find(advice.nearest.begin(), advice.nearest.end(), i) == advice.nearest.end()) {
      text += miss_text(advice.rejected[i], style);
    }
  }
  return text;
}

std::string excluded_text(const Advice& advice, const TextStyle& style) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (const Rejection& rejection : advice.rejected) {
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& item) { return item.first == rejection.rule; });
    if (found == counts.end()) {
      counts.emplace_back(rejection.rule, 1);
    } else {
      ++found->second;
    }
  }
  if (counts.empty()) {
    return {};
  }
  if (few(advice) && !advice.results.empty()) {
    std::string text = "Left out:\n";
    for (const Rejection& rejection : advice.rejected) {
      text += miss_text(rejection, style);
    }
    return text;
  }
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = fmt::format("Left out {} candidates: ", advice.rejected.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", counts[i].second, counts[i].first);
  }
  return wrap(text, style.width);
}

std::string findings_text(const Recommended& answer, const TextStyle& style) {
  std::string text;
  for (const Finding& finding : answer.advice.findings) {
    if (finding.severity == Severity::warn || finding.severity == Severity::reject || style.verbose) {
      text += wrap(std::string(to_string(finding.severity)) + ": " + finding.message, style.width);
    }
  }
  return text;
}

std::string assumptions_text(const Advice& advice, const TextStyle& style) {
  std::string text;
  for (const std::string& assumption : advice.assumptions) {
    text += (text.empty() ? "Assumed: " : "; ") + assumption;
  }
  return wrap(text, style.width);
}

std::vector<const Column*> value_columns(const View& view) {
  if (!view.column_keys.empty()) {
    return columns_named(view.column_keys, false);
  }
  std::vector<const Column*> chosen;
  for (const Column& column : columns()) {
    if (column.value != nullptr) {
      chosen.push_back(&column);
    }
  }
  return chosen;
}

bool comes_before(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) {
    return !a.is_null() && b.is_null();  // unknown last
  }
  if (a.number() != nullptr && b.number() != nullptr) {
    return *a.number() < *b.number();
  }
  return a.text() != nullptr && b.text() != nullptr && *a.text() < *b.text();
}

}  // namespace

std::vector<const Recommendation*> shown(const Recommended& answer, const View& view) {
  std::vector<const Recommendation*> rows;
  for (const Recommendation& r : answer.advice.results) {
    rows.push_back(&r);
  }
  if (!view.sort.empty()) {
    const Column* column = find_column(view.sort);
    if (column == nullptr || column->value == nullptr) {
      throw Error(ErrorCode::usage, "results cannot be sorted by '" + view.sort + "'", "use a column of --format csv");
    }
    // More is better for speed and score; less for everything else.
    const bool descending = view.sort.starts_with("throughput") || view.sort == "score" || view.sort == "probability" ||
                            view.sort == "bandwidth_gb_s" || view.sort == "usable_bytes";
    std::stable_sort(rows.begin(), rows.end(), [&](const Recommendation* a, const Recommendation* b) {
      return descending ? comes_before(column->value(*b), column->value(*a)) : comes_before(column->value(*a), column->value(*b));
    });
  }
  if (rows.size() > view.limit) {
    rows.resize(view.limit);
  }
  return rows;
}

std::string recommend_text(const Recommended& answer, const View& view, const TextStyle& style) {
  const auto rows = shown(answer, view);
  std::string text = wrap(head_of(answer), style.width);
  if (!rows.empty()) {
    text += wrap("memory on " + candidate_text(*rows.front()) + ": " + memory_sum(rows.front()->figures.memory), style.width);
    text += "\n" + render_grid(fitting_grid(rows, view, style), style) + "\n";
    if (rows.size() < answer.advice.results.size()) {
      text += fmt::format("{} more fit (--limit {}).\n", answer.advice.results.size() - rows.size(), answer.advice.results.size());
    }
  } else {
    text += "\n" + misses_text(answer, style) + "\n";
  }
  if (style.verbose && !rows.empty()) {
    text += explain_short(*rows.front(), answer.request, style).substr(1);
  }
  return text + why_not_text(answer, style) + remedies_text(answer.advice.remedies, style) + excluded_text(answer.advice, style) +
         findings_text(answer, style) + assumptions_text(answer.advice, style);
}

std::string recommend_separated(const Recommended& answer, const View& view, char separator) {
  const auto chosen = value_columns(view);
  std::vector<Value> header;
  header.reserve(chosen.size());
  for (const Column* column : chosen) {
    header.emplace_back(std::string(column->key));
  }
  std::string text = separated_line(header, separator);
  for (const Recommendation* r : shown(answer, view)) {
    std::vector<Value> values;
    values.reserve(chosen.size());
    for (const Column* column : chosen) {
      values.push_back(column->value(*r));
    }
    text += separated_line(values, separator);
  }
  return text;
}

std::string recommend_markdown(const Recommended& answer, const View& view) {
  const auto rows = shown(answer, view);
  const auto chosen = view.column_keys.empty() ? columns_up_to(k_last_priority) : columns_named(view.column_keys, true);
  return head_of(answer) + "\n\n" + render_markdown(grid_of(chosen, rows, false, false));
}

std::string recommend_html(const Recommended& answer, const View& view) {
  const auto escaped = [](std::string_view raw) {
    std::string out;
    for (const char c : raw) {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    }
    return out;
  };
  const auto rows = shown(answer, view);
  const auto chosen = view.column_keys.empty() ? columns_up_to(k_last_priority) : columns_named(view.column_keys, true);
  const Grid grid = grid_of(chosen, rows, true, false);
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>gpuadvise</title>\n<style>\n"
      ":root { color-scheme: light dark; }\nbody { font: 15px/1.4 system-ui, sans-serif; margin: 2em; }\n"
      "table { border-collapse: collapse; }\nth, td { padding: .3em .8em; text-align: left; border-bottom: 1px solid #8886; }\n"
      "td.n, th.n { text-align: right; }\ntr.why td { border: 0; opacity: .75; padding-top: 0; }\n</style>\n</head>\n<body>\n";
  html += "<h1>gpuadvise</h1>\n<p>" + escaped(head_of(answer)) + "</p>\n<table>\n<tr>";
  const auto css = [&](std::size_t i) { return grid.columns[i].align == Align::right ? " class=\"n\"" : ""; };
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    html += fmt::format("<th{}>{}</th>", css(i), escaped(grid.columns[i].header));
  }
  html += "</tr>\n";
  for (const GridRow& row : grid.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      html += fmt::format("<td{}>{}</td>", css(i), escaped(row.cells[i].text));
    }
    html += fmt::format("</tr>\n<tr class=\"why\"><td></td><td colspan=\"{}\">{}</td></tr>\n", grid.columns.size() - 1, escaped(row.below));
  }
  html += "</table>\n";
  for (const std::string& assumption : answer.advice.assumptions) {
    html += "<p>assumed: " + escaped(assumption) + "</p>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace gpuadvise::report
