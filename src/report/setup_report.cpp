#include "report/setup_report.hpp"

#include "report/answer_json.hpp"
#include "report/json_writer.hpp"

#include <string_view>
#include <vector>

namespace gpuadvise::report {
namespace {

// Commands are not wrapped: they are there to be copied.
void block(std::string& out, std::string_view title, const std::vector<std::string>& lines, const TextStyle& style) {
  if (lines.empty()) {
    return;
  }
  out += "\n" + paint(style, Tone::strong, title) + "\n";
  for (const std::string& line : lines) {
    out += "  " + line + "\n";
  }
}

void sentences(std::string& out, const std::vector<std::string>& texts, const TextStyle& style) {
  for (const std::string& text : texts) {
    std::string body = wrap(text, style.width, "  ");
    body[0] = '-';
    out += body;
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

void write_maybe(JsonWriter& json, std::string_view key, const std::string& text) {
  json.field(key, text.empty() ? std::nullopt : std::optional(text));
}

}  // namespace

std::string setup_text(const Setup& setup, const TextStyle& style) {
  const software::InstallPlan& plan = setup.plan;
  std::string cards;
  for (const software::Card& card : setup.question.cards) {
    cards += (cards.empty() ? "" : " + ") + card.name;
  }
  std::string out = wrap(cards + ", " + std::string(to_string(setup.question.os)) + ": torch " + plan.torch + " " +
                             setup.answer.install->build + ", Python " + plan.python,
                         style.width);
  if (setup.answer.verdict == software::Verdict::fails) {
    sentences(out, {setup.answer.deciding}, style);
  }
  sentences(out, setup.answer.limits, style);
  block(out, "1 driver", plan.driver, style);
  block(out, "2 environment", plan.environment, style);
  block(out, "3 install", plan.install, style);
  block(out, "4 settings", plan.settings, style);
  block(out, plan.settings.empty() ? "4 check" : "5 check", {setup.verify_command + " > verify.py", "python verify.py"}, style);
  block(out, "for this card", plan.tuning, style);
  out += plan.notes.empty() ? "" : "\n";
  sentences(out, plan.notes, style);
  return out;
}

std::string setup_json(const Setup& setup, std::string_view data_version) {
  const software::InstallPlan& plan = setup.plan;
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, data_version);
  json.key("gpus");
  json.begin_array();
  for (const software::Card& card : setup.question.cards) {
    json.value(card.name);
  }
  json.end_array();
  json.field("os", to_string(setup.question.os));
  json.field("verdict", to_string(setup.answer.verdict));
  json.field("deciding", setup.answer.deciding);
  json.field("build", setup.answer.install->build);
  json.field("torch", plan.torch);
  write_maybe(json, "torchvision", plan.torchvision);
  write_maybe(json, "torchaudio", plan.torchaudio);
  json.field("python", plan.python);
  write_maybe(json, "driver_least", setup.answer.install->driver);
  write_texts(json, "driver", plan.driver);
  write_texts(json, "environment", plan.environment);
  write_texts(json, "install", plan.install);
  write_texts(json, "settings", plan.settings);
  json.field("verify", setup.verify_command);
  write_texts(json, "tuning", plan.tuning);
  write_texts(json, "limits", setup.answer.limits);
  write_texts(json, "notes", plan.notes);
  json.end_object();
  return out + "\n";
}

}  // namespace gpuadvise::report
