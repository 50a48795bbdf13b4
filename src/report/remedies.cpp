#include "report/remedies.hpp"

#include <gpuadvise/units.hpp>

#include "report/columns.hpp"
#include "report/figures_json.hpp"
#include "report/recommend.hpp"
#include "workload/fault.hpp"
#include "workload/setting_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpuadvise::report {
namespace {

constexpr double k_as_fast = 0.05;
constexpr double k_many_times = 2.0;

std::string speed_words(double ratio) {
  if (ratio >= 1.0 + k_as_fast) {
    return format_significant(ratio, 2) + "x as fast";
  }
  if (ratio > 1.0 - k_as_fast) {
    return "about as fast";
  }
  return ratio * k_many_times >= 1.0 ? fmt::format("{:.0f} % slower", 100.0 * (1.0 - ratio))
                                     : format_significant(1.0 / ratio, 2) + " times slower";
}

// The settings as the flags that apply them.
std::string flags_text(const Remedy& remedy) {
  std::string text;
  for (const Setting& setting : remedy.settings) {
    text += (text.empty() ? "" : " ") + workload::flag_text(setting);
  }
  return text;
}

std::string need_text(const Remedy& remedy) {
  std::string text;
  if (remedy.figures.fit) {
    const std::string have = format_gib(remedy.figures.fit->usable_bytes);
    text =
        fmt::format("needs {} of {} ({})", format_gib(remedy.figures.memory.need.expected), have, to_string(remedy.figures.fit->verdict));
  }
  if (remedy.speed_ratio) {
    text += ", " + speed_words(*remedy.speed_ratio);
  } else if (remedy.figures.speed) {
    const SpeedFigures& speed = *remedy.figures.speed;
    text += ", " + format_significant(speed.throughput.expected, 2) + " " + std::string(to_string(speed.unit));
  }
  if (!remedy.effect.empty()) {
    text += (text.empty() ? "" : "; ") + remedy.effect;
  }
  if (remedy.rent_usd_per_hour && remedy.id != "rent") {
    text += "; rented at " + format_usd(*remedy.rent_usd_per_hour) + " an hour";
  }
  if (remedy.extra_usd && *remedy.extra_usd > 0.0) {
    text += "; " + format_usd(*remedy.extra_usd) + " more";
  }
  return text;
}

std::string snippet_text(const std::string& snippet) {
  std::string text;
  for (std::size_t start = 0; start < snippet.size();) {
    const std::size_t end = std::min(snippet.find('\n', start), snippet.size());
    text += (end > start ? "    " : "") + snippet.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return text;
}

}  // namespace

std::string remedies_text(std::span<const Remedy> remedies, const TextStyle& style) {
  if (remedies.empty()) {
    return {};
  }
  std::string text = paint(style, Tone::strong, "What would fit:") + "\n";
  for (std::size_t i = 0; i < remedies.size(); ++i) {
    const Remedy& remedy = remedies[i];
    const std::string where = remedy.gpu != nullptr ? " on " + candidate_text(*remedy.gpu, remedy.count) : std::string();
    text += wrap(fmt::format("{}. {}{}", i + 1, remedy.title, where), style.width, "  ");
    text += wrap(need_text(remedy), style.width, "     ");
    text += remedy.how.empty() ? "" : wrap(remedy.how, style.width, "     ");
    text += remedy.settings.empty() ? "" : wrap(flags_text(remedy), style.width, "     ");
    text += snippet_text(remedy.snippet);
  }
  return text;
}

void write_remedy(JsonWriter& json, const Remedy& remedy) {
  json.begin_object();
  json.field("id", remedy.id);
  json.field("title", remedy.title);
  json.key("settings");
  json.begin_object();
  for (const Setting& setting : remedy.settings) {
    json.field(setting.key, setting.value);
  }
  json.end_object();
  json.key("gpu");
  if (remedy.gpu != nullptr) {
    json.value(remedy.gpu->id);
  } else {
    json.null();
  }
  json.field("count", remedy.count);
  json.field("source", to_string(remedy.source));
  json.key("memory");
  write_memory(json, remedy.figures.memory);
  json.key("fit");
  if (remedy.figures.fit && remedy.gpu != nullptr) {
    write_fit(json, *remedy.figures.fit, remedy.gpu->id);
  } else {
    json.null();
  }
  json.field("speed_ratio", remedy.speed_ratio);
  json.field("effect", remedy.effect);
  json.field("how", remedy.how);
  json.field("extra_usd", remedy.extra_usd);
  json.field("rent_usd_per_hour", remedy.rent_usd_per_hour);
  json.key("snippet");
  if (remedy.snippet.empty()) {
    json.null();
  } else {
    json.value(remedy.snippet);
  }
  json.end_object();
}

}  // namespace gpuadvise::report
