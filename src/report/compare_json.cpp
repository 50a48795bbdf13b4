#include "catalog/enum_names.hpp"
#include "report/answer_json.hpp"
#include "report/compare.hpp"
#include "report/figures_json.hpp"

namespace gpuadvise::report {
namespace {

using advise::Compared;
using advise::Comparison;

void write_number(JsonWriter& json, std::string_view name, const std::optional<double>& value) {
  json.field(name, value ? std::optional<double>(rounded(*value)) : std::nullopt);
}

void write_text(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  text.empty() ? json.null() : json.value(text);
}

void write_facts(JsonWriter& json, const Gpu& gpu, const Compared& card) {
  json.key("facts");
  json.begin_object();
  json.field("memory_gib", gpu.memory_gib);
  json.field("memory_bandwidth_gb_s", gpu.memory_bandwidth_gb_s);
  json.field("fp32_tflops", gpu.tflops.fp32);
  json.field("rate_tflops", card.rate_tflops);
  json.field("tdp_w", gpu.tdp_w);
  write_text(json, "release_date", gpu.release_date);
  write_text(json, "driver_end_of_life", gpu.support.driver_end_of_life);
  write_text(json, "last_driver_branch", gpu.support.last_driver_branch);
  write_text(json, "last_toolkit", gpu.support.last_toolkit);
  write_text(json, "last_torch", gpu.support.last_torch);
  json.field("end_of_support", gpu.support.end_of_support);
  json.end_object();
}

void write_price(JsonWriter& json, const Costs& cost) {
  json.key("price");
  if (!cost.price) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("value_usd", cost.price->usd);
  json.field("kind", catalog::enum_name(cost.price->kind));
  json.field("as_of", cost.price->as_of);
  json.field("source", cost.price->source);
  json.end_object();
}

// Of all GPUs of the candidate, where an offer is known.
void write_rent(JsonWriter& json, const Costs& cost) {
  json.key("rent");
  if (!cost.offer || !cost.rent_usd_per_hour) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("usd_per_hour", *cost.rent_usd_per_hour);
  json.field("provider", cost.offer->provider);
  json.field("kind", cost.offer->kind);
  json.field("as_of", cost.offer->as_of);
  write_number(json, "usd_per_million", cost.rent_usd_per_million);
  write_number(json, "run_usd", cost.rent_run_usd);
  json.end_object();
}

void write_values(JsonWriter& json, const Compared& card) {
  json.key("values");
  json.begin_object();
  write_number(json, "tflops_per_gib", card.rate_per_gib);
  write_number(json, "bandwidth_gb_s_per_gib", card.bandwidth_per_gib);
  write_number(json, "tflops_per_1000_usd", card.rate_per_1000_usd);
  write_number(json, "bandwidth_gb_s_per_1000_usd", card.bandwidth_per_1000_usd);
  write_number(json, "gib_per_1000_usd", card.gib_per_1000_usd);
  write_number(json, "throughput_per_1000_usd", card.speed_per_1000_usd);
  write_number(json, "throughput_per_100_w", card.speed_per_100_w);
  write_number(json, "payback_months", card.payback_months);
  json.end_object();
}

void write_gain(JsonWriter& json, const std::optional<advise::Gain>& gain) {
  json.key("gain");
  if (!gain) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("over", gain->over->id);
  write_number(json, "throughput", gain->speed);
  write_number(json, "bandwidth", gain->bandwidth);
  write_number(json, "tflops", gain->rate);
  write_number(json, "memory", gain->memory);
  json.end_object();
}

void write_judgement(JsonWriter& json, const Compared& card) {
  json.key("rank");
  card.ranked ? json.value(card.ranked->rank) : json.null();
  json.field("count", card.ranked ? std::optional<double>(card.ranked->count) : std::nullopt);
  json.field("score", card.ranked ? std::optional<double>(card.ranked->score.total) : std::nullopt);
  json.key("rejected");
  if (!card.rejected) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("rule", card.rejected->rule);
  json.field("message", card.rejected->message);
  json.field("smallest_change", card.rejected->smallest_change);
  json.end_object();
}

void write_stretches(JsonWriter& json, std::string_view key, std::span<const advise::Stretch> stretches) {
  json.key(key);
  json.begin_array();
  for (const advise::Stretch& stretch : stretches) {
    json.begin_object();
    json.field("from", stretch.from);
    json.field("to", stretch.to);
    write_text(json, "gpu", stretch.fastest != nullptr ? stretch.fastest->id : std::string_view{});
    write_text(json, "tied", stretch.tied != nullptr ? stretch.tied->id : std::string_view{});
    json.end_object();
  }
  json.end_array();
}

void write_money(JsonWriter& json, const advise::MoneyFlips& money) {
  json.key("best_by_budget");
  json.begin_array();
  for (const advise::BudgetStretch& stretch : money.by_budget) {
    json.begin_object();
    json.field("from_usd", stretch.from_usd);
    json.field("to_usd", stretch.to_usd);
    json.field("gpu", stretch.best->id);
    json.field("count", stretch.count);
    json.end_object();
  }
  json.end_array();
  json.key("flips");
  json.begin_array();
  for (const advise::Flip& flip : money.flips) {
    json.begin_object();
    json.field("of", advise::to_string(flip.of));
    json.field("by", advise::to_string(flip.by));
    json.field("at", rounded(flip.at));
    json.field("below", flip.below->id);
    json.field("above", flip.above->id);
    json.end_object();
  }
  json.end_array();
}

void write_card(JsonWriter& json, const Compared& card) {
  json.begin_object();
  json.field("gpu", card.gpu->id);
  json.field("name", card.gpu->name);
  write_facts(json, *card.gpu, card);
  write_price(json, card.cost);
  write_rent(json, card.cost);
  json.key("memory");
  write_memory(json, card.figures.memory);
  json.key("fit");
  write_fit(json, *card.figures.fit, card.gpu->id);
  json.key("speed");
  if (card.figures.speed) {
    write_speed(json, *card.figures.speed);
  } else {
    json.null();
  }
  json.field("relation", to_string(card.relation));
  if (card.speed_ratio) {
    write_interval(json, "speed_ratio", *card.speed_ratio);
  } else {
    json.key("speed_ratio");
    json.null();
  }
  write_judgement(json, card);
  write_values(json, card);
  write_gain(json, card.gain);
  json.end_object();
}

}  // namespace

std::string compare_json(const Comparison& comparison, std::string_view data_version) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, data_version);
  write_request(json, comparison.request);
  json.key("cards");
  json.begin_array();
  for (const Compared& card : comparison.cards) {
    write_card(json, card);
  }
  json.end_array();
  json.field("varied", comparison.varied);
  write_stretches(json, "fastest", comparison.stretches);
  write_stretches(json, "fastest_by_seq", comparison.by_sequence);
  write_money(json, comparison.money);
  json.key("findings");
  write_findings(json, comparison.request.findings);
  json.end_object();
  return out + "\n";
}

}  // namespace gpuadvise::report
