#include "report/doctor_report.hpp"

#include <gpuadvise/units.hpp>

#include "report/answer_json.hpp"
#include "report/figures_json.hpp"
#include "report/json_writer.hpp"
#include "report/remedies.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpuadvise::report {
namespace {

using software::Diagnosis;
using software::LogReport;
using software::MemoryPicture;

// What a log holds may hold anything: nothing of it may reach the terminal as a command.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return out;
}

void line(std::string& out, std::string_view label, const std::string& text, const TextStyle& style) {
  constexpr std::size_t k_label = 9;
  std::string body = wrap(text, style.width, std::string(k_label, ' '));
  std::string head = "  " + std::string(label);
  head.resize(k_label, ' ');
  body.replace(0, std::min(k_label, body.size()), head);
  out += body;
}

std::string gib(double bytes) {
  return fmt::format("{:.2f} GiB", bytes / k_gib);
}

void add(std::string& out, std::string_view name, const std::optional<double>& bytes) {
  if (bytes) {
    out += (out.empty() ? "" : ", ") + std::string(name) + " " + gib(*bytes);
  }
}

void memory_lines(std::string& out, const MemoryPicture& memory, const TextStyle& style) {
  std::string figures;
  add(figures, "asked", memory.asked_bytes);
  add(figures, "free", memory.free_bytes);
  add(figures, "of total", memory.total_bytes);
  add(figures, "allowed by the program's own limit", memory.allowed_bytes);
  add(figures, "allocated by PyTorch", memory.allocated_bytes);
  add(figures, "of it in pools of CUDA graphs", memory.pools_bytes);
  add(figures, "reserved by PyTorch", memory.reserved_bytes);
  add(figures, "idle in its reserve", memory.idle_bytes());
  add(figures, "used by others", memory.others_bytes());
  add(figures, "used outside PyTorch's reserve (its context, other processes)", memory.outside_bytes());
  add(figures, "weights", memory.weights_bytes);
  add(figures, "peak of the trial run", memory.activation_bytes);
  add(figures, "left for the KV cache", memory.cache_bytes);
  if (figures.empty()) {
    return;
  }
  line(out, "memory", (memory.gpu ? "GPU " + std::to_string(*memory.gpu) + ": " : std::string()) + figures, style);
  if (memory.reserved_bytes && memory.allocated_bytes) {
    line(out, "",
         memory.fragmented() ? "fragmented: much is reserved and idle, so expandable_segments:True may be enough"
                             : "not fragmented: the job itself is too large by what is asked",
         style);
  }
  constexpr double k_much = k_gib / 2;
  if (memory.others_bytes().value_or(0.0) > k_much) {
    line(out, "", "another process holds memory on this card: see nvidia-smi", style);
  }
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(text);
  }
  json.end_array();
}

void write_bytes(JsonWriter& json, std::string_view key, const std::optional<double>& bytes) {
  if (bytes) {
    json.whole_field(key, *bytes);
  } else {
    json.key(key);
    json.null();
  }
}

void write_picture(JsonWriter& json, const std::optional<MemoryPicture>& memory) {
  json.key("memory");
  if (!memory) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("gpu", memory->gpu);
  write_bytes(json, "asked_bytes", memory->asked_bytes);
  write_bytes(json, "free_bytes", memory->free_bytes);
  write_bytes(json, "total_bytes", memory->total_bytes);
  write_bytes(json, "process_bytes", memory->process_bytes);
  write_bytes(json, "allocated_bytes", memory->allocated_bytes);
  write_bytes(json, "reserved_bytes", memory->reserved_bytes);
  write_bytes(json, "idle_bytes", memory->idle_bytes());
  write_bytes(json, "others_bytes", memory->others_bytes());
  write_bytes(json, "outside_bytes", memory->outside_bytes());
  write_bytes(json, "allowed_bytes", memory->allowed_bytes);
  write_bytes(json, "pools_bytes", memory->pools_bytes);
  write_bytes(json, "weights_bytes", memory->weights_bytes);
  write_bytes(json, "activation_bytes", memory->activation_bytes);
  write_bytes(json, "cache_bytes", memory->cache_bytes);
  json.field("fragmented", memory->fragmented());
  json.end_object();
}

// The estimate on the card of the log: of the accepted way, else of the rejected one.
const Figures* figures_of(const Advice& advice) {
  if (!advice.results.empty()) {
    return &advice.results.front().figures;
  }
  return !advice.rejected.empty() && advice.rejected.front().figures ? &*advice.rejected.front().figures : nullptr;
}

std::string job_text(const PrescribedJob& job, const TextStyle& style) {
  std::string out = "\n";
  if (job.gpu != nullptr) {
    out += wrap("The card is " + std::string(job.gpu->name) + " (" + job.how_found + ").", style.width);
  }
  if (job.advice == nullptr) {
    return out + wrap("For remedies with figures add " + job.missing + ".", style.width);
  }
  const Figures* figures = figures_of(*job.advice);
  if (figures != nullptr && figures->fit) {
    out += wrap("By the estimate the job needs " + format_gib(figures->memory.need.expected) + " (" + format_gib(figures->memory.need.low) +
                    " to " + format_gib(figures->memory.need.high) + ") of the " + format_gib(figures->fit->usable_bytes) +
                    " that are left to it: " + std::string(to_string(figures->fit->verdict)) + ".",
                style.width);
    const bool log_is_larger = figures->fit->verdict == gpuadvise::Verdict::fits;
    if (log_is_larger) {
      out += wrap("The log shows more than that: look for another process, fragmentation, a longer input, or settings that were not given.",
                  style.width);
    }
  } else if (!job.advice->rejected.empty()) {
    out += wrap("The job cannot run there: " + job.advice->rejected.front().message + ".", style.width);
  }
  return out + remedies_text(job.advice->remedies, style);
}

void write_job(JsonWriter& json, const PrescribedJob& job) {
  json.key("job");
  json.begin_object();
  json.field("gpu", job.gpu != nullptr ? std::optional(job.gpu->id) : std::nullopt);
  json.field("how_found", job.how_found.empty() ? std::nullopt : std::optional(job.how_found));
  json.field("missing", job.missing.empty() ? std::nullopt : std::optional(job.missing));
  const Figures* figures = job.advice != nullptr ? figures_of(*job.advice) : nullptr;
  json.key("memory");
  if (figures != nullptr) {
    write_memory(json, figures->memory);
  } else {
    json.null();
  }
  json.key("fit");
  if (figures != nullptr && figures->fit && job.gpu != nullptr) {
    write_fit(json, *figures->fit, job.gpu->id);
  } else {
    json.null();
  }
  json.key("remedies");
  json.begin_array();
  if (job.advice != nullptr) {
    for (const Remedy& remedy : job.advice->remedies) {
      write_remedy(json, remedy);
    }
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string doctor_text(const LogReport& report, const PrescribedJob& job, const TextStyle& style) {
  std::string out;
  std::string facts;
  for (const auto& [name, value] : report.facts) {
    facts += (facts.empty() ? "" : ", ") + name + " " + printable(value);
  }
  if (!facts.empty()) {
    out += wrap("The log tells of " + facts + ".", style.width) + "\n";
  }
  if (report.found.empty()) {
    return out + wrap("No known fault in " + std::to_string(report.lines) + (report.lines == 1 ? " line." : " lines."), style.width);
  }
  for (const Diagnosis& diagnosis : report.found) {
    const std::string times = diagnosis.seen.count > 1 ? ", " + std::to_string(diagnosis.seen.count) + " times" : "";
    out += paint(style, Tone::strong, diagnosis.error->id) + " (line " + std::to_string(diagnosis.seen.line) + times + ")\n";
    line(out, "seen", printable(diagnosis.seen.text), style);
    line(out, "cause", diagnosis.error->cause, style);
    line(out, "fact", diagnosis.error->fact, style);
    if (diagnosis.error->memory && report.memory) {
      memory_lines(out, *report.memory, style);
    }
    for (const std::string& words : diagnosis.for_this_case) {
      line(out, "here", words, style);
    }
    for (const std::string& fix : diagnosis.error->fix) {
      line(out, "fix", fix, style);
    }
    if (style.verbose) {
      line(out, "source", diagnosis.error->source, style);
    }
    out += "\n";
  }
  out.pop_back();
  return report.out_of_memory() ? out + job_text(job, style) : out;
}

std::string doctor_json(const LogReport& report, const PrescribedJob& job, std::string_view data_version) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, data_version);
  json.field("lines", static_cast<double>(report.lines));
  json.key("facts");
  json.begin_object();
  for (const auto& [name, value] : report.facts) {
    json.field(name, value);
  }
  json.end_object();
  json.key("found");
  json.begin_array();
  for (const Diagnosis& diagnosis : report.found) {
    json.begin_object();
    json.field("id", diagnosis.error->id);
    json.field("line", static_cast<double>(diagnosis.seen.line));
    json.field("count", static_cast<double>(diagnosis.seen.count));
    json.field("seen", printable(diagnosis.seen.text));
    json.field("number", diagnosis.seen.number.empty() ? std::nullopt : std::optional(diagnosis.seen.number));
    json.field("cause", diagnosis.error->cause);
    json.field("fact", diagnosis.error->fact);
    write_texts(json, "here", diagnosis.for_this_case);
    write_texts(json, "fix", diagnosis.error->fix);
    json.field("source", diagnosis.error->source);
    json.end_object();
  }
  json.end_array();
  write_picture(json, report.memory);
  write_job(json, job);
  json.end_object();
  return out + "\n";
}

}  // namespace gpuadvise::report
