#include <gpuadvise/units.hpp>

#include "report/answer_json.hpp"
#include "report/explain.hpp"
#include "report/figures_json.hpp"
#include "workload/keys.hpp"

namespace gpuadvise::report {
namespace {

using advise::Basis;
using advise::Explanation;

void write_basis(JsonWriter& json, const Basis& basis, const Interval& interval) {
  json.key("basis");
  json.begin_object();
  json.field("class", basis.class_name);
  json.field("words", basis.words);
  json.field("median_error_at_most", basis.median_error);
  json.field("low_ratio", rounded(interval.low / interval.expected));
  json.field("high_ratio", rounded(interval.high / interval.expected));
  json.end_object();
}

void write_source(JsonWriter& json, const advise::TermSource& source) {
  json.key("source");
  json.begin_object();
  json.field("certainty", to_string(source.certainty));
  json.field("words", source.words);
  json.field("median_error", source.median_error);
  json.end_object();
}

void write_memory_terms(JsonWriter& json, const Explanation& e) {
  json.key("memory");
  json.begin_object();
  json.key("terms");
  json.begin_array();
  for (const advise::MemoryTerm& term : e.memory) {
    json.begin_object();
    json.field("name", term.name);
    json.whole_field("bytes", term.bytes);
    json.field("formula", term.formula);
    json.field("inputs", term.inputs);
    write_source(json, term.source);
    json.end_object();
  }
  json.end_array();
  json.key("figures");
  write_memory(json, e.figures.memory);
  write_basis(json, *e.memory_basis, e.figures.memory.need);
  json.end_object();
}

void write_speed_terms(JsonWriter& json, const Explanation& e) {
  json.key("speed");
  if (!e.figures.speed) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("terms");
  json.begin_array();
  for (const advise::SpeedTerm& term : e.speed) {
    json.begin_object();
    json.field("name", term.name);
    json.field("seconds", rounded(term.seconds));
    json.field("share", rounded(term.share));
    json.field("formula", term.formula);
    write_source(json, term.source);
    json.end_object();
  }
  json.end_array();
  json.key("figures");
  write_speed(json, *e.figures.speed, e.request.workload);
  write_basis(json, *e.speed_basis, e.figures.speed->throughput);
  json.end_object();
}

void write_judgement(JsonWriter& json, const Explanation& e) {
  json.key("score");
  if (e.accepted) {
    json.begin_object();
    json.field("count", e.accepted->count);
    json.field("total", e.accepted->score.total);
    json.key("parts");
    json.begin_object();
    for (const ScorePart& part : e.accepted->score.parts) {
      json.key(to_string(part.objective));
      json.begin_object();
      json.field("value", part.value);
      json.field("weight", part.weight);
      json.field("contribution", part.contribution);
      json.end_object();
    }
    json.end_object();
    json.end_object();
  } else {
    json.null();
  }
  json.key("rejected");
  if (e.rejected) {
    json.begin_object();
    json.field("rule", e.rejected->rule);
    json.field("message", e.rejected->message);
    json.field("smallest_change", e.rejected->smallest_change);
    json.end_object();
  } else {
    json.null();
  }
}

void write_ways(JsonWriter& json, const Explanation& e) {
  json.key("ways");
  json.begin_array();
  for (std::size_t i = 0; i < e.ways.size(); ++i) {
    const advise::TriedWay& way = e.ways[i];
    const std::optional<SpeedFigures>& speed = way.figures.speed;
    json.begin_object();
    json.field("name", advise::way_words(way.workload));
    json.field("strategy", workload::name_of(WorkloadKey::strategy, way.workload.strategy));
    json.field("tp", way.workload.tp);
    json.field("pp", way.workload.pp);
    json.field("best", e.best == i);
    json.whole_field("need_bytes", way.figures.memory.need.expected);
    json.field("verdict", to_string(way.figures.fit->verdict));
    json.field("throughput", speed ? std::optional<double>(rounded(speed->throughput.expected)) : std::nullopt);
    json.field("scaling_efficiency",
               speed && speed->scaling_efficiency ? std::optional<double>(rounded(*speed->scaling_efficiency)) : std::nullopt);
    json.field("communication_share", speed ? std::optional<double>(rounded(speed->shares.communication)) : std::nullopt);
    json.end_object();
  }
  json.end_array();
}

void write_sensitivity(JsonWriter& json, const Explanation& e) {
  json.key("sensitivity");
  json.begin_array();
  for (const advise::Sensitivity& row : e.sensitivity) {
    json.begin_object();
    json.field("key", row.key);
    json.field("from", row.from);
    json.field("to", row.to);
    json.field("assumed", row.assumed);
    json.field("need_ratio", rounded(row.need_ratio));
    json.field("speed_ratio", row.speed_ratio ? std::optional<double>(rounded(*row.speed_ratio)) : std::nullopt);
    json.field("verdict", to_string(row.verdict));
    json.field("score_change", row.score_change ? std::optional<double>(rounded(*row.score_change)) : std::nullopt);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string explain_json(const Explanation& e, std::string_view data_version) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, data_version);
  write_request(json, e.request);
  json.field("gpu", e.gpu->id);
  json.key("fit");
  write_fit(json, *e.figures.fit, e.gpu->id);
  write_memory_terms(json, e);
  write_speed_terms(json, e);
  write_ways(json, e);
  write_judgement(json, e);
  write_sensitivity(json, e);
  json.key("findings");
  write_findings(json, e.accepted ? e.accepted->findings : e.request.findings);
  json.end_object();
  return out + "\n";
}

}  // namespace gpuadvise::report
