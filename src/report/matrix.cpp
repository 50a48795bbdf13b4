#include "report/matrix.hpp"

#include <gpuadvise/units.hpp>

#include "report/json_writer.hpp"
#include "report/separated.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::report {
namespace {

// Numbers as numbers, so that a reader can sort by them.
Value typed(const std::string& text) {
  const auto number = parse_number(text);
  return number ? Value(*number) : Value(text);
}

void write_place(JsonWriter& json, const std::vector<advise::Axis>& axes, std::span<const std::size_t> at) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    json.field(axes[i].key, typed(axes[i].values[at[i]]));
  }
}

// Speed to a millionth is noise; the digits cost more than the estimate.
double short_number(double value) {
  return value >= 100 ? std::round(value) : std::round(value * 1000) / 1000;
}

std::vector<Value> place(const std::vector<advise::Axis>& axes, std::span<const std::size_t> at) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    values.push_back(typed(axes[i].values[at[i]]));
  }
  return values;
}

constexpr std::string_view k_figures[] = {
    "gpu",        "need_low_bytes",  "need_bytes",      "need_high_bytes", "usable_bytes",       "verdict", "probability", "throughput_low",
    "throughput", "throughput_high", "throughput_unit", "bound",           "scaling_efficiency", "division"};

Tone tone_of(Verdict verdict) {
  return verdict == Verdict::fits ? Tone::good : verdict == Verdict::tight ? Tone::careful : Tone::bad;
}

}  // namespace

void append_cell_json(std::string& out, const std::vector<advise::Axis>& axes, const advise::Cell& cell) {
  JsonWriter json(out);
  json.begin_object();
  write_place(json, axes, cell.at);
  const Interval& need = cell.figures.memory.need;
  const Fit& fit = *cell.figures.fit;
  json.field("gpu", cell.gpu.id);
  json.whole_field("need_low_bytes", need.low);
  json.whole_field("need_bytes", need.expected);
  json.whole_field("need_high_bytes", need.high);
  json.whole_field("usable_bytes", fit.usable_bytes);
  json.field("verdict", to_string(fit.verdict));
  json.field("probability", std::round(fit.probability * 1e4) / 1e4);
  if (cell.figures.speed) {
    const SpeedFigures& speed = *cell.figures.speed;
    json.field("throughput_low", short_number(speed.throughput.low));
    json.field("throughput", short_number(speed.throughput.expected));
    json.field("throughput_high", short_number(speed.throughput.high));
    json.field("throughput_unit", to_string(speed.unit));
    json.field("bound", to_string(speed.bound));
    if (speed.scaling_efficiency) {
      json.field("scaling_efficiency", short_number(*speed.scaling_efficiency));
    }
  }
  if (!cell.division.empty()) {
    json.field("division", cell.division);
  }
  json.end_object();
  out += '\n';
}

void append_refused_json(std::string& out, const std::vector<advise::Axis>& axes, const advise::Refused& refused) {
  JsonWriter json(out);
  json.begin_object();
  write_place(json, axes, refused.at);
  json.key("error");
  json.begin_object();
  json.field("code", refused.code);
  json.field("message", refused.message);
  json.end_object();
  json.end_object();
  out += '\n';
}

std::string matrix_header(const std::vector<advise::Axis>& axes, char separator) {
  std::vector<Value> names;
  names.reserve(axes.size());
  for (const advise::Axis& axis : axes) {
    names.emplace_back(axis.key);
  }
  for (const std::string_view name : k_figures) {
    names.emplace_back(std::string(name));
  }
  return separated_line(names, separator);
}

void append_cell_separated(std::string& out, const std::vector<advise::Axis>& axes, const advise::Cell& cell, char separator) {
  std::vector<Value> values = place(axes, cell.at);
  const Interval& need = cell.figures.memory.need;
  const Fit& fit = *cell.figures.fit;
  values.emplace_back(std::string(cell.gpu.id));
  for (const double bytes : {need.low, need.expected, need.high, fit.usable_bytes}) {
    values.emplace_back(std::round(bytes));
  }
  values.emplace_back(std::string(to_string(fit.verdict)));
  values.emplace_back(std::round(fit.probability * 1e4) / 1e4);
  if (cell.figures.speed) {
    const SpeedFigures& speed = *cell.figures.speed;
    for (const double rate : {speed.throughput.low, speed.throughput.expected, speed.throughput.high}) {
      values.emplace_back(short_number(rate));
    }
    values.emplace_back(std::string(to_string(speed.unit)));
    values.emplace_back(std::string(to_string(speed.bound)));
    values.push_back(speed.scaling_efficiency ? Value(short_number(*speed.scaling_efficiency)) : Value{});
  }
  values.resize(axes.size() + std::size(k_figures) - 1);
  values.push_back(cell.division.empty() ? Value{} : Value(std::string(cell.division)));
  out += separated_line(values, separator);
}

void append_refused_separated(std::string& out, const std::vector<advise::Axis>& axes, const advise::Refused& refused, char separator) {
  std::vector<Value> values = place(axes, refused.at);
  values.resize(axes.size() + std::size(k_figures));
  const auto verdict = std::find(std::begin(k_figures), std::end(k_figures), "verdict");
  values[axes.size() + static_cast<std::size_t>(verdict - std::begin(k_figures))] = Value(std::string(refused.code));
  out += separated_line(values, separator);
}

MatrixTable::MatrixTable(const std::vector<advise::Axis>& axes, std::span<const Gpu* const> cards) : axes_(axes), cards_(cards.size()) {
  for (const advise::Axis& axis : axes) {
    grid_.columns.push_back({axis.key, Align::right});
  }
  for (const Gpu* gpu : cards) {
    grid_.columns.push_back({std::string(gpu->id), Align::left});
  }
}

void MatrixTable::begin_row(std::span<const std::size_t> at) {
  GridRow row;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    row.cells.push_back({axes_[i].values[at[i]], Tone::plain});
  }
  grid_.rows.push_back(std::move(row));
}

void MatrixTable::add(const advise::Cell& cell) {
  if (grid_.rows.empty() || grid_.rows.back().cells.size() == axes_.size() + cards_) {
    begin_row(cell.at);
  }
  const Fit& fit = *cell.figures.fit;
  std::string text = std::string(to_string(fit.verdict)) + " " + format_significant(cell.figures.memory.need.expected / k_gib) + " GiB";
  if (cell.figures.speed && fit.verdict != Verdict::no) {
    const SpeedFigures& speed = *cell.figures.speed;
    text += ", " + format_significant(speed.throughput.expected) + "/s";
    if (speed.scaling_efficiency) {
      text += " (" + std::to_string(std::llround(100.0 * *speed.scaling_efficiency)) + " %)";
      scales_ = true;
    }
    unit_ = to_string(speed.unit);
  }
  if (!cell.division.empty()) {
    text += " " + std::string(cell.division);
  }
  grid_.rows.back().cells.push_back({std::move(text), tone_of(fit.verdict)});
}

void MatrixTable::add(const advise::Refused& refused) {
  begin_row(refused.at);
  for (std::size_t i = 0; i < cards_; ++i) {
    grid_.rows.back().cells.push_back({"-", Tone::faint});
  }
  if (std::find(refusals_.begin(), refusals_.end(), refused.message) == refusals_.end()) {
    refusals_.emplace_back(refused.message);
  }
}

std::string MatrixTable::text(const TextStyle& style) const {
  std::string text = render_grid(grid_, style);
  if (!unit_.empty()) {
    text += wrap("need, and speed in " + unit_ + " where it fits" + (scales_ ? " (in % of as many single GPUs)" : ""), style.width);
  }
  for (const std::string& refusal : refusals_) {
    text += wrap("- " + refusal, style.width);
  }
  return text;
}

std::string MatrixTable::markdown() const {
  return render_markdown(grid_);
}

}  // namespace gpuadvise::report
