#include "catalog/enum_names.hpp"
#include "report/rejection.hpp"

namespace gpuadvise::report {
namespace {

void write_text_or_null(JsonWriter& json, std::string_view key, const std::string& text) {
  json.key(key);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void write_memory_numbers(JsonWriter& json, const Rejection& rejection) {
  json.key("fit");
  if (!rejection.figures || !rejection.figures->fit) {
    json.null();
    return;
  }
  const Figures& figures = *rejection.figures;
  json.begin_object();
  json.whole_field("need_bytes", figures.memory.need.expected);
  json.whole_field("usable_bytes", figures.fit->usable_bytes);
  json.field("verdict", to_string(figures.fit->verdict));
  json.field("probability", figures.fit->probability);
  json.end_object();
}

// The differences of the contributions, by which one candidate stands above another; they sum to the difference of the scores.
void write_above(JsonWriter& json, const Recommendation& higher, const Recommendation& asked) {
  json.begin_object();
  json.field("rank", higher.rank);
  json.field("gpu", higher.gpu->id);
  json.field("score", higher.score.total);
  json.key("lead");
  json.begin_object();
  for (std::size_t i = 0; i < k_objectives; ++i) {
    json.field(to_string(higher.score.parts[i].objective), higher.score.parts[i].contribution - asked.score.parts[i].contribution);
  }
  json.end_object();
  json.end_object();
}

}  // namespace

void write_rejection(JsonWriter& json, const Rejection& rejection) {
  json.begin_object();
  json.field("gpu", rejection.gpu->id);
  json.field("count", rejection.count);
  json.field("source", to_string(rejection.source));
  json.field("rule", rejection.rule);
  json.field("message", rejection.message);
  write_memory_numbers(json, rejection);
  json.field("purchase_usd", rejection.cost.purchase_usd);
  json.field("rent_usd_per_hour", rejection.cost.rent_usd_per_hour);
  json.field("power_w", rejection.cost.power_w);
  json.field("run_hours", rejection.cost.run_hours);
  write_text_or_null(json, "smallest_change", rejection.smallest_change);
  json.key("change");
  json.begin_array();
  for (const Setting& setting : rejection.change) {
    json.begin_object();
    json.field("key", setting.key);
    json.field("value", setting.value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_why_not(JsonWriter& json, const WhyNot& entry, const Advice& advice) {
  json.begin_object();
  json.field("gpu", entry.gpu->id);
  json.field("state", to_string(entry.state));
  const bool recommended = entry.state == WhyNot::State::recommended;
  const Recommendation* asked = recommended ? &advice.results[entry.index] : nullptr;
  json.key("rank");
  if (asked != nullptr) {
    json.value(asked->rank);
  } else {
    json.null();
  }
  json.key("above");
  json.begin_array();
  for (std::size_t i = 0; asked != nullptr && i < entry.index; ++i) {
    write_above(json, advice.results[i], *asked);
  }
  json.end_array();
  json.key("rejection");
  if (entry.state == WhyNot::State::rejected) {
    write_rejection(json, advice.rejected[entry.index]);
  } else if (entry.outcome) {
    write_rejection(json, *entry.outcome);
  } else {
    json.null();
  }
  write_text_or_null(json, "reason", entry.reason);
  json.end_object();
}

}  // namespace gpuadvise::report
