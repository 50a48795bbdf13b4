#include "report/figures_json.hpp"

#include "estimate/speed/run_time.hpp"
#include "report/answer_json.hpp"

#include <array>
#include <cmath>

namespace gpuadvise::report {
namespace {

void write_bytes(JsonWriter& json, std::string_view name, const Interval& bytes) {
  json.key(name);
  json.begin_object();
  json.whole_field("low", bytes.low);
  json.whole_field("expected", bytes.expected);
  json.whole_field("high", bytes.high);
  json.end_object();
}

void write_components(JsonWriter& json, std::string_view name, const MemoryComponents& parts) {
  json.key(name);
  json.begin_object();
  json.whole_field("weights", parts.weights);
  json.whole_field("gradients", parts.gradients);
  json.whole_field("optimizer_states", parts.optimizer_states);
  json.whole_field("activations", parts.activations);
  json.whole_field("logits", parts.logits);
  json.whole_field("kv_cache", parts.kv_cache);
  json.whole_field("recurrent_state", parts.recurrent_state);
  json.whole_field("workspace", parts.workspace);
  json.whole_field("communication", parts.communication);
  json.whole_field("runtime", parts.runtime);
  json.whole_field("fragmentation", parts.fragmentation);
  json.end_object();
}

void write_rate(JsonWriter& json, std::string_view name, const Interval& rate, std::string_view unit = {}) {
  json.key(name);
  json.begin_object();
  json.field("low", rounded(rate.low));
  json.field("expected", rounded(rate.expected));
  json.field("high", rounded(rate.high));
  if (!unit.empty()) {
    json.field("unit", unit);
  }
  json.end_object();
}

}  // namespace

void write_memory(JsonWriter& json, const MemoryFigures& memory) {
  json.begin_object();
  write_bytes(json, "need_bytes", memory.need);
  write_bytes(json, "allocated_bytes", memory.allocated);
  write_bytes(json, "reserved_bytes", memory.reserved);
  write_bytes(json, "device_bytes", memory.device);
  if (memory.steady) {
    write_bytes(json, "steady_bytes", *memory.steady);
  }
  write_components(json, "components_bytes", memory.components);
  json.key("all_gpus_bytes");
  json.begin_object();
  write_bytes(json, "allocated", memory.all_gpus.allocated);
  write_bytes(json, "reserved", memory.all_gpus.reserved);
  write_bytes(json, "device", memory.all_gpus.device);
  if (memory.all_gpus.steady) {
    write_bytes(json, "steady", *memory.all_gpus.steady);
  }
  json.end_object();
  write_components(json, "all_gpus_components_bytes", memory.all_gpus.components);
  json.whole_field("host_bytes", memory.host_bytes);
  json.end_object();
}

void write_capacity(JsonWriter& json, const Capacity& capacity) {
  json.begin_object();
  json.field("kv_tokens", capacity.kv_tokens);
  json.field("max_concurrency", capacity.max_concurrency);
  json.field("max_batch", capacity.max_batch);
  json.field("max_seq", capacity.max_seq);
  json.end_object();
}

void write_fit(JsonWriter& json, const Fit& fit, std::string_view gpu_id) {
  json.begin_object();
  json.key("gpu");
  if (gpu_id.empty()) {
    json.null();  // only its memory is known
  } else {
    json.value(gpu_id);
  }
  json.whole_field("visible_bytes", fit.visible_bytes);
  json.whole_field("usable_bytes", fit.usable_bytes);
  json.field("verdict", to_string(fit.verdict));
  json.field("probability", std::round(fit.probability * 1e4) / 1e4);
  json.end_object();
}

namespace {

void write_speed_fields(JsonWriter& json, const SpeedFigures& speed) {
  write_rate(json, "step_seconds", speed.step_seconds);
  write_rate(json, "throughput", speed.throughput, to_string(speed.unit));
  if (speed.prefill_tokens_per_s) {
    write_rate(json, "prefill_tokens_per_s", *speed.prefill_tokens_per_s);
  }
  if (speed.decode_tokens_per_s) {
    write_rate(json, "decode_tokens_per_s", *speed.decode_tokens_per_s);
  }
  json.field("bound", to_string(speed.bound));
  json.key("shares");
  json.begin_object();
  json.field("compute", rounded(speed.shares.compute));
  json.field("traffic", rounded(speed.shares.traffic));
  json.field("host", rounded(speed.shares.host));
  json.field("communication", rounded(speed.shares.communication));
  json.end_object();
  json.field("scaling_efficiency", speed.scaling_efficiency);
  json.field("prior", speed.prior);
}

void write_run_fields(JsonWriter& json, const estimate::RunTime& run) {
  if (run.epoch_seconds) {
    write_rate(json, "epoch_seconds", *run.epoch_seconds);
  }
  if (run.run_seconds) {
    write_rate(json, "run_seconds", *run.run_seconds);
  }
  if (run.run_steps) {
    json.field("run_steps", *run.run_steps);
  }
}

}  // namespace

void write_speed(JsonWriter& json, const SpeedFigures& speed) {
  json.begin_object();
  write_speed_fields(json, speed);
  json.end_object();
}

void write_speed(JsonWriter& json, const SpeedFigures& speed, const Workload& workload) {
  json.begin_object();
  write_speed_fields(json, speed);
  write_run_fields(json, estimate::run_time(workload, speed));
  json.end_object();
}

void write_findings(JsonWriter& json, std::span<const Finding> findings) {
  json.begin_array();
  for (const Finding& finding : findings) {
    json.begin_object();
    json.field("rule", finding.rule);
    json.field("severity", to_string(finding.severity));
    json.field("message", finding.message);
    json.end_object();
  }
  json.end_array();
}

}  // namespace gpuadvise::report
