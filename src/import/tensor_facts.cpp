#include "import/tensor_facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

namespace gpuadvise::importer {
namespace {

bool contains_any(std::string_view name, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

bool ends_with_any(std::string_view name, std::span<const std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

constexpr auto k_embeddings =
    std::to_array<std::string_view>({"embed_tokens.weight", "wte.weight", "word_embeddings.weight", "tok_embeddings.weight",
                                     "embed_in.weight", "token_embd.weight", ".embeddings.weight", "shared.weight", "embed.weight"});
constexpr auto k_heads = std::to_array<std::string_view>({"lm_head.weight", "embed_out.weight", "output_layer.weight", "head.weight"});
constexpr auto k_towers = std::to_array<std::string_view>(
    {"vision", "visual.", "image_encoder", "multi_modal_projector", "mm_projector", "audio_tower", "embed_audio", "mm.", "v.blk."});
constexpr auto k_predictors = std::to_array<std::string_view>({"mtp.", "nextn."});
// Scales, zero points and tables of quantised matrices: no weights of the model.
constexpr auto k_scales = std::to_array<std::string_view>({".qzeros",
                                                           ".scales",
                                                           ".biases",
                                                           ".g_idx",
                                                           ".absmax",
                                                           ".quant_map",
                                                           ".nested_absmax",
                                                           ".nested_quant_map",
                                                           ".SCB",
                                                           ".weight_format",
                                                           ".weight_scale",
                                                           ".weight_scale_inv",
                                                           ".weight_scale_2",
                                                           ".input_scale",
                                                           ".weight_zero_point",
                                                           ".weight_shape",
                                                           ".k_scale",
                                                           ".v_scale",
                                                           ".output_scale",
                                                           "_scales",
                                                           "_scale_inv",
                                                           ".weight_g_idx",
                                                           ".weight_global_scale",
                                                           ".input_global_scale"});

struct LayerName {
  double index = 0;
  std::string_view rest;
};

// "model.layers.12.mlp.up_proj.weight" -> 12; the first number between dots that follows a word for a stack of layers.
std::optional<LayerName> layer_of(std::string_view name) {
  static constexpr auto stacks = std::to_array<std::string_view>({"layers.", "h.", "blk.", "blocks.", "layer.", "block."});
  for (const std::string_view stack : stacks) {
    const auto at = name.find(stack);
    if (at == std::string_view::npos || (at > 0 && name[at - 1] != '.')) {
      continue;
    }
    const std::string_view rest = name.substr(at + stack.size());
    double index = 0;
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 6 && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
      index = index * 10 + (rest[digits] - '0');
      ++digits;
    }
    if (digits > 0 && digits < rest.size() && rest[digits] == '.') {
      return LayerName{index, rest.substr(digits + 1)};
    }
  }
  return std::nullopt;
}

// Weights in a stored element of a packed matrix, and how the packing is called.
struct Packing {
  double weights = 1;
  std::string_view name;
};

Packing packing_of(const FileTensor& tensor, double bits) {
  const bool words = tensor.type == "I32" || tensor.type == "U32";
  const bool bytes = tensor.type == "U8";
  if (tensor.name.ends_with(".qweight") && words) {
    return {32 / bits, "gptq or awq"};
  }
  if (tensor.name.ends_with(".weight_packed") && (words || bytes)) {
    return {(words ? 32 : 8) / bits, "compressed-tensors"};
  }
  if (tensor.name.ends_with("_blocks") && bytes) {
    return {2, "mxfp4"};
  }
  if (tensor.name.ends_with(".weight") && words) {
    return {32 / bits, "mlx"};
  }
  if (tensor.name.ends_with(".weight") && bytes) {
    return {2, "4-bit"};
  }
  return {};
}

void see(SeenMatrices& seen, const FileTensor& tensor, const LayerName& layer) {
  const double rows = tensor.shape.empty() ? 0 : static_cast<double>(tensor.shape.front());
  const auto is = [&](std::string_view end) { return layer.rest.ends_with(end); };
  const bool expert = layer.rest.find("expert") != std::string_view::npos || layer.rest.find("_exps") != std::string_view::npos;
  if (expert && layer.rest.find("shared") == std::string_view::npos) {
    const auto at = layer.rest.find("experts.");
    if (at != std::string_view::npos && at + 8 < layer.rest.size() && std::isdigit(static_cast<unsigned char>(layer.rest[at + 8])) != 0) {
      double index = 0;
      for (std::size_t i = at + 8; i < layer.rest.size() && i < at + 14 && std::isdigit(static_cast<unsigned char>(layer.rest[i])) != 0;
           ++i) {
        index = index * 10 + (layer.rest[i] - '0');
      }
      seen.experts = std::max(seen.experts, index + 1);
    }
    if (is("up_proj.weight") || is("w3.weight")) {
      seen.expert_rows = std::max(seen.expert_rows, rows);
    }
    return;
  }
  if (is("q_proj.weight") || is("attn_q.weight") || is("wq.weight")) {
    seen.query_rows = std::max(seen.query_rows, rows);
  } else if (is("k_proj.weight") || is("attn_k.weight") || is("wk.weight")) {
    seen.key_rows = std::max(seen.key_rows, rows);
  } else if (is("gate_proj.weight") || is("ffn_gate.weight") || is("w1.weight")) {
    seen.gate_rows = std::max(seen.gate_rows, rows);
  } else if (is("up_proj.weight") || is("ffn_up.weight") || is("w3.weight") || is("fc1.weight")) {
    seen.up_rows = std::max(seen.up_rows, rows);
  }
}

}  // namespace

TensorFacts add_up(std::span<const FileTensor> tensors, const PackingOptions& options) {
  TensorFacts facts;
  std::map<std::string_view, TypeShare> types;
  for (const FileTensor& tensor : tensors) {
    const auto elements = static_cast<double>(tensor.elements);
    const auto bytes = static_cast<double>(tensor.bytes);
    TypeShare& share = types[tensor.type];
    share.tensors += 1;
    share.elements += elements;
    share.bytes += bytes;
    facts.tensors += 1;
    facts.bytes += bytes;
    const bool tower = contains_any(tensor.name, k_towers);
    const auto layer = layer_of(tensor.name);
    if (options.scales_apart && (ends_with_any(tensor.name, k_scales) || tensor.name.find(".quant_state") != std::string::npos)) {
      continue;
    }
    const Packing packing = options.scales_apart ? packing_of(tensor, options.bits) : Packing{};
    if (!packing.name.empty() && facts.packing.empty()) {
      facts.packing = packing.name;
    }
    const double weights = elements * packing.weights;
    const bool later = layer && options.layers > 0 && layer->index >= options.layers;
    if (contains_any(tensor.name, k_predictors) || (later && !tower)) {
      facts.mtp_params += weights;
      continue;
    }
    facts.params += weights;
    if (tower) {
      facts.tower_params += weights;
    } else if (layer) {
      facts.layers = std::max(facts.layers, layer->index + 1);
      see(facts.seen, tensor, *layer);
    } else if (ends_with_any(tensor.name, k_embeddings) && tensor.shape.size() == 2 && facts.embedding_bytes == 0) {
      facts.embedding_bytes = bytes;
      facts.seen.vocab = static_cast<double>(tensor.shape[0]);
      facts.seen.hidden = static_cast<double>(tensor.shape[1]);
    } else if (ends_with_any(tensor.name, k_heads) || tensor.name == "output.weight") {
      facts.head_bytes += bytes;
    }
  }
  for (auto& [type, share] : types) {
    share.type = std::string(type);
    facts.types.push_back(share);
  }
  std::stable_sort(facts.types.begin(), facts.types.end(), [](const TypeShare& a, const TypeShare& b) { return a.bytes > b.bytes; });
  return facts;
}

}  // namespace gpuadvise::importer
