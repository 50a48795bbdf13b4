#include <gpuadvise/version.hpp>

#include "advise/preferences.hpp"
#include "catalog/enum_names.hpp"
#include "report/figures_json.hpp"
#include "report/recommend.hpp"
#include "report/rejection.hpp"
#include "report/remedies.hpp"
#include "report/request_json.hpp"
#include "workload/describe.hpp"
#include "workload/keys.hpp"

namespace gpuadvise::report {
namespace {

void write_price(JsonWriter& json, const std::optional<Price>& price) {
  if (!price) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("value_usd", price->usd);
  json.field("kind", catalog::enum_name(price->kind));
  json.field("as_of", price->as_of);
  json.field("source", price->source);
  json.end_object();
}

void write_costs(JsonWriter& json, const Costs& cost) {
  json.begin_object();
  json.field("boards", cost.boards);
  json.field("purchase_usd", cost.purchase_usd);
  json.field("power_w", cost.power_w);
  json.field("run_hours", cost.run_hours);
  json.field("run_energy_kwh", cost.run_energy_kwh);
  json.field("run_energy_usd", cost.run_energy_usd);
  json.field("energy_usd_per_year", cost.energy_usd_per_year);
  json.field("total_usd", cost.total_usd);
  json.field("usd_per_million", cost.usd_per_million);
  json.field("rent_usd_per_hour", cost.rent_usd_per_hour);
  json.field("rent_run_usd", cost.rent_run_usd);
  json.field("rent_usd_per_million", cost.rent_usd_per_million);
  json.field("break_even_hours", cost.break_even_hours);
  json.key("offer");
  if (cost.offer) {
    json.begin_object();
    json.field("provider", cost.offer->provider);
    json.field("instance", cost.offer->instance);
    json.field("usd_per_gpu_hour", cost.offer->usd_per_gpu_hour);
    json.field("kind", cost.offer->kind);
    json.field("as_of", cost.offer->as_of);
    json.field("source", cost.offer->source);
    json.end_object();
  } else {
    json.null();
  }
  json.end_object();
}

void write_score(JsonWriter& json, const Score& score) {
  json.begin_object();
  json.field("total", score.total);
  json.key("parts");
  json.begin_object();
  for (const ScorePart& part : score.parts) {
    json.key(to_string(part.objective));
    json.begin_object();
    json.field("value", part.value);
    json.field("weight", part.weight);
    json.field("contribution", part.contribution);
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

// How the job runs over the GPUs of a candidate: it may be other than asked for.
void write_division(JsonWriter& json, const Workload& workload) {
  json.key("division");
  json.begin_object();
  json.field("strategy", workload::name_of(WorkloadKey::strategy, workload.strategy));
  json.field("gpus", workload.gpus);
  json.field("nodes", workload.nodes);
  json.field("tp", workload.tp);
  json.field("pp", workload.pp);
  json.end_object();
}

void write_result(JsonWriter& json, const Recommendation& r) {
  json.begin_object();
  json.field("rank", r.rank);
  json.field("gpu", r.gpu->id);
  json.field("name", r.gpu->name);
  json.field("count", r.count);
  if (!r.mixed.empty()) {
    json.key("mixed");
    json.begin_array();
    for (const Gpu* gpu : r.mixed) {
      json.value(gpu->id);
    }
    json.end_array();
  }
  if (r.count > 1.0) {
    write_division(json, r.workload);
  }
  json.field("source", to_string(r.source));
  json.key("price");
  write_price(json, r.cost.price);
  json.key("memory");
  write_memory(json, r.figures.memory);
  json.key("capacity");
  write_capacity(json, r.figures.capacity);
  json.key("fit");
  write_fit(json, *r.figures.fit, r.gpu->id);
  json.key("speed");
  if (r.figures.speed) {
    write_speed(json, *r.figures.speed, r.workload);
  } else {
    json.null();
  }
  json.key("cost");
  write_costs(json, r.cost);
  json.key("score");
  write_score(json, r.score);
  json.field("pareto", r.pareto);
  json.key("findings");
  write_findings(json, r.findings);
  json.key("reasons");
  json.begin_array();
  for (const std::string& reason : r.reasons) {
    json.value(reason);
  }
  json.end_array();
  json.end_object();
}

void write_request(JsonWriter& json, const Recommended& answer) {
  json.begin_object();
  write_request_members(json, answer.request);
  for (const advise::PreferenceSpec& spec : advise::preference_keys()) {
    const Origin origin = answer.preferences.origin(spec.key);
    const Value value = advise::preference_value(answer.preferences, spec.key);
    if (!value.is_null()) {
      json.key(spec.name);
      json.begin_object();
      json.field("value", value);
      json.field("origin", workload::to_string(origin == Origin::unset ? Origin::fallback : origin));
      json.end_object();
    }
  }
  json.end_object();
}

template <class T, class Write>
void write_list(JsonWriter& json, std::string_view name, const T& items, Write write) {
  json.key(name);
  json.begin_array();
  for (const auto& item : items) {
    write(json, item);
  }
  json.end_array();
}

}  // namespace

std::string recommend_json(const Recommended& answer, const View& view) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  json.begin_object();
  json.field("schema_version", 1);
  json.key("tool");
  json.begin_object();
  json.field("name", "gpuadvise");
  json.field("version", k_version);
  json.field("data_version", answer.data_version);
  json.end_object();
  json.key("request");
  write_request(json, answer);
  write_list(json, "results", shown(answer, view), [](JsonWriter& j, const Recommendation* r) { write_result(j, *r); });
  write_list(json, "rejected", answer.advice.rejected, write_rejection);
  write_list(json, "why_not", answer.advice.why_not,
             [&answer](JsonWriter& j, const WhyNot& entry) { write_why_not(j, entry, answer.advice); });
  write_list(json, "remedies", answer.advice.remedies, write_remedy);
  json.key("findings");
  write_findings(json, answer.advice.findings);
  write_list(json, "assumptions", answer.advice.assumptions, [](JsonWriter& j, const std::string& text) { j.value(text); });
  json.end_object();
  return out + "\n";
}

std::string recommend_jsonl(const Recommended& answer, const View& view) {
  std::string out;
  for (const Recommendation* r : shown(answer, view)) {
    JsonWriter json(out);
    write_result(json, *r);
    out += '\n';
  }
  return out;
}

}  // namespace gpuadvise::report
