#include "report/compat_report.hpp"

#include "report/answer_json.hpp"
#include "report/json_writer.hpp"

#include <algorithm>
#include <string_view>

namespace gpuadvise::report {
namespace {

using software::Choice;
using software::Compatibility;
using software::Question;
using software::Verdict;

std::string asked(const Question& question) {
  std::string out;
  for (const software::Card& card : question.cards) {
    out += (out.empty() ? "" : " + ") + card.name;
  }
  out += question.torch ? ", torch " + question.torch->text() : "";
  out += question.build.empty() ? "" : ", " + question.build;
  out += question.driver ? ", driver " + question.driver->text() : "";
  out += question.python ? ", Python " + question.python->text() : "";
  return out + ", " + std::string(to_string(question.os));
}

std::string choice_words(const Choice& choice) {
  return "torch " + choice.torch + " " + choice.build + (choice.driver.empty() ? "" : ", driver " + choice.driver + " or newer") +
         ", Python " + choice.python_from + " to " + choice.python_to;
}

void line(std::string& out, std::string_view label, const std::string& text, const TextStyle& style) {
  constexpr std::size_t k_label = 11;
  std::string body = wrap(text, style.width, std::string(k_label, ' '));
  const std::string head = std::string(label) + std::string(k_label - std::min(label.size(), k_label), ' ');
  body.replace(0, std::min(k_label, body.size()), head);
  out += body;
}

std::string verdict_words(const Compatibility& answer, const TextStyle& style) {
  switch (answer.verdict) {
    case Verdict::works:
      return paint(style, Tone::good, "works");
    case Verdict::limited:
      return paint(style, Tone::careful, "works with limits");
    case Verdict::fails:
      break;
  }
  return paint(style, Tone::bad, "does not work");
}

void write_choice(JsonWriter& json, std::string_view key, const std::optional<Choice>& choice) {
  json.key(key);
  if (!choice) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("torch", choice->torch);
  json.field("build", choice->build);
  json.field("driver", choice->driver.empty() ? std::nullopt : std::optional(choice->driver));
  json.field("python_from", choice->python_from);
  json.field("python_to", choice->python_to);
  json.field("hsa_override_gfx_version", choice->gfx_override.empty() ? std::nullopt : std::optional(choice->gfx_override));
  json.end_object();
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(text);
  }
  json.end_array();
}

void write_question(JsonWriter& json, const Question& question) {
  const auto text_of = [](const std::optional<software::Version>& version) {
    return version ? std::optional(version->text()) : std::nullopt;
  };
  json.key("asked");
  json.begin_object();
  json.key("gpus");
  json.begin_array();
  for (const software::Card& card : question.cards) {
    json.begin_object();
    json.field("name", card.name);
    json.field("compute_capability", card.capability ? std::optional(software::capability_text(*card.capability)) : std::nullopt);
    json.field("gfx_target", card.gfx.empty() ? std::nullopt : std::optional(card.gfx));
    json.end_object();
  }
  json.end_array();
  json.field("torch", text_of(question.torch));
  json.field("build", question.build.empty() ? std::nullopt : std::optional(question.build));
  json.field("driver", text_of(question.driver));
  json.field("python", text_of(question.python));
  json.field("os", to_string(question.os));
  json.end_object();
}

}  // namespace

std::string compat_text(const Question& question, const Compatibility& answer, const TextStyle& style) {
  std::string out = wrap(asked(question), style.width);
  out += verdict_words(answer, style) + "\n\n";
  line(out, answer.verdict == Verdict::fails ? "because" : "decides", answer.deciding, style);
  for (const std::string& limit : answer.limits) {
    line(out, "limit", limit, style);
  }
  for (const software::NeedAnswer& need : answer.needs) {
    if (need.verdict == Verdict::works) {
      line(out, "need", need.why + ": yes", style);
    } else if (need.why != answer.deciding && need.verdict == Verdict::fails) {
      line(out, "need", need.why, style);
    }
  }
  if (answer.install && answer.newest && answer.oldest) {
    const bool fails = answer.verdict == Verdict::fails;
    if (!answer.condition.empty()) {
      line(out, "change", answer.condition + ":", style);
    }
    if (choice_words(*answer.oldest) != choice_words(*answer.newest)) {
      line(out, "oldest", choice_words(*answer.oldest), style);
      line(out, "newest", choice_words(*answer.newest), style);
    }
    line(out, fails ? "instead" : "take", choice_words(*answer.install), style);
    std::string builds;
    for (const software::Span& span : answer.working) {
      builds += (builds.empty() ? "" : "; ") + span.build + ": " + span.torch_from +
                (span.torch_from == span.torch_to ? "" : " to " + span.torch_to);
    }
    line(out, "builds", builds, style);
  }
  for (const std::string& note : answer.notes) {
    line(out, "note", note, style);
  }
  if (style.verbose) {
    for (const std::string& source : answer.sources) {
      line(out, "source", source, style);
    }
  }
  return out;
}

std::string compat_json(const Question& question, const Compatibility& answer, std::string_view data_version) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, data_version);
  write_question(json, question);
  json.field("verdict", to_string(answer.verdict));
  json.field("deciding", answer.deciding);
  json.field("obstacle", answer.obstacle.empty() ? std::nullopt : std::optional(answer.obstacle));
  write_texts(json, "limits", answer.limits);
  write_texts(json, "notes", answer.notes);
  json.key("needs");
  json.begin_array();
  for (const software::NeedAnswer& need : answer.needs) {
    json.begin_object();
    json.field("library", need.library);
    json.field("verdict", to_string(need.verdict));
    json.field("why", need.why);
    json.end_object();
  }
  json.end_array();
  json.key("builds");
  json.begin_array();
  for (const software::Span& span : answer.working) {
    json.begin_object();
    json.field("build", span.build);
    json.field("torch_from", span.torch_from);
    json.field("torch_to", span.torch_to);
    json.field("driver", span.driver.empty() ? std::nullopt : std::optional(span.driver));
    json.end_object();
  }
  json.end_array();
  json.field("condition", answer.condition.empty() ? std::nullopt : std::optional(answer.condition));
  write_choice(json, "oldest", answer.oldest);
  write_choice(json, "newest", answer.newest);
  write_choice(json, "install", answer.install);
  write_texts(json, "sources", answer.sources);
  json.end_object();
  return out + "\n";
}

}  // namespace gpuadvise::report
