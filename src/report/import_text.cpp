#include "report/import_text.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

namespace gpuadvise::report {
namespace {

// Counts without a fraction; means of layers that differ with one digit.
std::string whole(double number) {
  const double rounded = std::round(number);
  return rounded == number || number >= 1e6 ? std::to_string(static_cast<long long>(std::min(rounded, 9e18)))
                                            : format_significant(number, 6);
}

void line(std::string& out, std::string_view label, const std::string& text, const TextStyle& style) {
  constexpr std::size_t k_label = 14;
  if (text.empty()) {
    return;
  }
  std::string body = wrap(text, style.width, std::string(k_label, ' '));
  body.replace(0, std::min(k_label, body.size()), std::string(label) + std::string(k_label - std::min(label.size(), k_label), ' '));
  out += body;
}

std::string list(std::initializer_list<std::pair<std::string_view, double>> parts) {
  std::string text;
  for (const auto& [name, value] : parts) {
    if (value > 0) {
      text += (text.empty() ? "" : ", ") + std::string(name) + " " + whole(value);
    }
  }
  return text;
}

void describe(std::string& out, const TransformerShape& s, const TextStyle& style) {
  if (s.active_params > 0 && s.active_params < s.params) {
    line(out, "active", format_count(s.active_params) + " for a token", style);
  }
  line(out, "vision tower", s.vision_params > 0 ? format_count(s.vision_params) : "", style);
  const std::string layers = s.decoder_layers > 0 ? whole(s.layers) + " + " + whole(s.decoder_layers) : whole(s.layers);
  line(out, "layers", layers + ", " + list({{"width", s.hidden}, {"MLP", s.ffn}, {"vocabulary", s.vocab}, {"context", s.max_context}}),
       style);
  std::string attention = std::string(catalog::enum_name(s.attention)) + ": " +
                          list({{"heads", s.heads}, {"key heads", s.kv_heads}, {"head size", s.head_dim}, {"latent", s.mla.kv_lora_rank}});
  if (s.sliding_window > 0) {
    attention += ", window " + whole(s.sliding_window) + " in " + whole(s.sliding_layers) + " layers";
  }
  line(out, "attention", attention, style);
  if (s.moe.experts > 0) {
    line(out, "experts",
         whole(s.moe.active) + " of " + whole(s.moe.experts) + ", " + list({{"width", s.moe.expert_ffn}, {"shared", s.moe.shared}}), style);
  }
  if (s.linear.kind != StateKind::none && s.linear.layers > 0) {
    line(out, "recurrent", whole(s.linear.layers) + " layers, " + std::string(catalog::enum_name(s.linear.kind)), style);
  }
  line(out, "embeddings", s.tied_embeddings ? "tied: the output uses the same matrix" : "not tied: the output has a matrix of its own",
       style);
}

void describe(std::string& out, const ImageProfile& p, const TextStyle& style) {
  line(out, "input",
       list({{"channels", p.channels}, {"frames", p.frames > 1 ? p.frames : 0}, {"height", p.image_height}, {"width", p.image}}), style);
  line(out, "work",
       (p.gmacs ? format_significant(*p.gmacs, 4) + " G multiply-adds, " : "") +
           (p.activations_m ? format_significant(*p.activations_m, 4) + " M activations an input" : ""),
       style);
  line(out, "kept",
       format_significant(p.saved_bytes / k_mib, 4) + " MiB an input for the backward pass in fp32 (" +
           std::string(catalog::enum_name(p.source)) + ")",
       style);
  line(out, "operators",
       list({{"all", p.forward_operators.value_or(0)},
             {"convolutions", p.convs.value_or(0)},
             {"batch norms", p.batchnorms.value_or(0)},
             {"layer norms", p.layernorms.value_or(0)}}),
       style);
}

}  // namespace

std::string import_text(const importer::ImportedModel& model, const TextStyle& style) {
  std::string out;
  std::string files;
  for (const std::string& file : model.files) {
    files += (files.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  }
  line(out, "model",
       paint(style, Tone::strong, std::string(model.model.name)) + " (" + std::string(catalog::enum_name(model.model.field)) + ")", style);
  line(out, "read from", model.format + (model.architecture.empty() ? "" : ", " + model.architecture) + ": " + files, style);
  line(out, "parameters", format_count(model.model.params()) + " (" + whole(std::round(model.model.params())) + ")", style);
  if (const TransformerShape* shape = model.model.transformer()) {
    describe(out, *shape, style);
  } else if (const ImageProfile* profile = model.model.image()) {
    describe(out, *profile, style);
  }
  line(out, "precision", model.quantization, style);
  if (model.tensors.bytes > 0) {
    line(out, "weights",
         format_gib(model.tensors.bytes) + " in the file" +
             (model.tensors.tensors > 0 ? ", " + whole(model.tensors.tensors) + " tensors" : ""),
         style);
  }
  std::string types;
  for (const importer::TypeShare& share : model.tensors.types) {
    types += (types.empty() ? "" : ", ") + share.type + " " + format_gib(share.bytes) + " (" + whole(share.tensors) + ")";
  }
  line(out, "types", types, style);
  for (const Finding& finding : model.findings) {
    line(out, finding.severity == Severity::warn ? "warning" : "note", finding.message, style);
  }
  return out;
}

}  // namespace gpuadvise::report
