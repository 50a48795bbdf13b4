#include "report/estimate_text.hpp"

#include <gpuadvise/units.hpp>

#include "advise/strategies.hpp"
#include "estimate/speed/run_time.hpp"
#include "report/figures_json.hpp"
#include "report/request_json.hpp"
#include "workload/describe.hpp"

#include <fmt/format.h>

#include <array>

namespace gpuadvise::report {
namespace {

struct Part {
  std::string_view name;
  double MemoryComponents::*bytes;
};

constexpr std::array<Part, 11> k_parts{{{"weights", &MemoryComponents::weights},
                                        {"gradients", &MemoryComponents::gradients},
                                        {"optimizer", &MemoryComponents::optimizer_states},
                                        {"activations", &MemoryComponents::activations},
                                        {"logits", &MemoryComponents::logits},
                                        {"kv-cache", &MemoryComponents::kv_cache},
                                        {"state", &MemoryComponents::recurrent_state},
                                        {"workspace", &MemoryComponents::workspace},
                                        {"communication", &MemoryComponents::communication},
                                        {"runtime", &MemoryComponents::runtime},
                                        {"fragmentation", &MemoryComponents::fragmentation}}};

std::string range_gib(const Interval& bytes) {
  return fmt::format("{} GiB ({} - {})", format_significant(bytes.expected / k_gib), format_significant(bytes.low / k_gib),
                     format_significant(bytes.high / k_gib));
}

std::string range_rate(const Interval& rate, std::string_view unit) {
  return fmt::format("{} {} ({} - {})", format_significant(rate.expected), unit, format_significant(rate.low),
                     format_significant(rate.high));
}

std::string memory_lines(const MemoryFigures& memory, bool several) {
  std::string text;
  text += fmt::format("  {:<12}{}\n", "need", range_gib(memory.need));
  text += fmt::format("  {:<12}{}\n", "allocated", range_gib(memory.allocated));
  text += fmt::format("  {:<12}{}\n", "reserved", range_gib(memory.reserved));
  text += fmt::format("  {:<12}{}\n", "device", range_gib(memory.device));
  if (memory.steady) {
    text += fmt::format("  {:<12}{}\n", "steady", range_gib(*memory.steady));
  }
  if (several) {
    text += fmt::format("  {:<12}{}\n", "all GPUs", range_gib(memory.all_gpus.device));
  }
  if (memory.host_bytes > 0) {
    text += fmt::format("  {:<12}{}\n", "host RAM", format_gib(memory.host_bytes));
  }
  return text;
}

std::string range_duration(const Interval& seconds) {
  return fmt::format("{} ({} - {})", format_duration(seconds.expected), format_duration(seconds.low), format_duration(seconds.high));
}

std::string scaling_line(const Estimate& estimate, int width) {
  const Workload& workload = estimate.request.workload;
  const std::string scaling =
      workload.all_gpus() > 1 ? advise::loss_words(workload, *estimate.figures.speed, *estimate.gpu) : std::string();
  const std::string indent(14, ' ');
  return scaling.empty() ? scaling : fmt::format("  {:<12}{}", "scaling", wrap(scaling, width, indent).substr(indent.size()));
}

// Steps of training are what a script counts; of inference, passes that no one does.
std::string run_lines(const Workload& workload, const estimate::RunTime& run) {
  std::string text;
  if (run.epoch_seconds && workload.training()) {
    text += fmt::format("  {:<12}{}\n", "epoch", range_duration(*run.epoch_seconds));
  }
  if (run.run_seconds && run.run_steps) {
    const std::string steps = workload.training() ? fmt::format(", {:.0f} step{}", *run.run_steps, *run.run_steps > 1 ? "s" : "") : "";
    text += fmt::format("  {:<12}{}{}\n", "run", range_duration(*run.run_seconds), steps);
  }
  return text;
}

// One line, or where it is too long a second one under the first, from its last bracket or colon on.
std::string hanging(const std::string& line, int width) {
  if (line.size() <= static_cast<std::size_t>(width)) {
    return line + "\n";
  }
  const std::size_t bracket = line.rfind(" (");
  const std::size_t cut = bracket != std::string::npos ? bracket : line.find(": ") + 1;
  return line.substr(0, cut) + "\n" + wrap(line.substr(cut + 1), width, std::string(14, ' '));
}

std::string speed_lines(const SpeedFigures& speed, int width) {
  std::string text = fmt::format("  {:<12}{}\n", "speed", range_rate(speed.throughput, to_string(speed.unit)));
  text += fmt::format("  {:<12}{} ({} - {})\n", "step", format_duration(speed.step_seconds.expected),
                      format_duration(speed.step_seconds.low), format_duration(speed.step_seconds.high));
  if (speed.prefill_tokens_per_s) {
    text += fmt::format("  {:<12}{}\n", "prefill", range_rate(*speed.prefill_tokens_per_s, "tokens/s"));
  }
  if (speed.decode_tokens_per_s) {
    text += fmt::format("  {:<12}{}\n", "decode", range_rate(*speed.decode_tokens_per_s, "tokens/s"));
  }
  return text + hanging(fmt::format("  {:<12}{}: compute {:.0f} %, memory traffic {:.0f} %, host {:.0f} %, communication {:.0f} %",
                                    "bound by", to_string(speed.bound), 100 * speed.shares.compute, 100 * speed.shares.traffic,
                                    100 * speed.shares.host, 100 * speed.shares.communication),
                        width);
}

}  // namespace

std::string memory_sum(const MemoryFigures& memory) {
  // What rounds to nothing beside the whole is left out of the line, never of the sum.
  const double whole = memory.components.sum();
  std::string text;
  for (const Part& part : k_parts) {
    const double bytes = memory.components.*part.bytes;
    if (bytes > 0.004 * whole) {
      text += fmt::format("{}{} {}", text.empty() ? "" : " + ", part.name, format_significant(bytes / k_gib, 2));
    }
  }
  return text + " = " + format_gib(whole) + " shown by the driver with room to spare, " + format_gib(memory.need.expected) + " needed";
}

void write_estimate_members(JsonWriter& json, const Estimate& estimate) {
  json.key("request");
  json.begin_object();
  write_request_members(json, estimate.request);
  json.end_object();
  json.key("memory");
  write_memory(json, estimate.figures.memory);
  json.key("capacity");
  write_capacity(json, estimate.figures.capacity);
  if (estimate.figures.fit) {
    json.key("fit");
    write_fit(json, *estimate.figures.fit, estimate.gpu != nullptr ? estimate.gpu->id : std::string_view{});
  }
  if (estimate.figures.speed) {
    json.key("speed");
    write_speed(json, *estimate.figures.speed, estimate.request.workload);
  } else if (estimate.figures.speed_refused) {
    json.key("speed");
    json.null();
  }
  json.key("findings");
  write_findings(json, estimate.request.findings);
}

std::string estimate_text(const Estimate& estimate, const TextStyle& style) {
  const Figures& figures = estimate.figures;
  std::string text = wrap(workload::summary(estimate.request), style.width);
  text += wrap(memory_sum(figures.memory), style.width, "  ");
  text += memory_lines(figures.memory, estimate.request.workload.all_gpus() > 1);
  if (figures.fit) {
    const std::string_view card = estimate.gpu != nullptr ? estimate.gpu->name : "a card of gpu_memory_gib";
    const std::string line =
        fmt::format("  {:<12}{} ({} usable of {} visible, {:.0f} % sure)", to_string(figures.fit->verdict), card,
                    format_gib(figures.fit->usable_bytes), format_gib(figures.fit->visible_bytes), 100 * figures.fit->probability);
    text += hanging(line, style.width);
  }
  if (figures.speed) {
    text += speed_lines(*figures.speed, style.width);
    text += scaling_line(estimate, style.width);
    text += run_lines(estimate.request.workload, estimate::run_time(estimate.request.workload, *figures.speed));
  }
  for (const Finding& finding : estimate.request.findings) {
    text += wrap(std::string(to_string(finding.severity)) + ": " + finding.message, style.width, "  ");
  }
  return text;
}

}  // namespace gpuadvise::report
