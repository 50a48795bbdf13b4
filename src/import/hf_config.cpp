#include "import/hf_config.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"
#include "import/hf_layers.hpp"
#include "model/inventory.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::importer {
namespace {

using nlohmann::json;

// Configurations of networks over images and of pipelines: read by other means.
constexpr auto k_other_networks =
    std::to_array<std::string_view>({"vit",    "deit",   "beit",    "swin",         "swinv2",   "convnext",  "convnextv2", "resnet",
                                     "clip",   "siglip", "siglip2", "dinov2",       "detr",     "segformer", "mobilevit",  "efficientnet",
                                     "regnet", "yolos",  "sam",     "timm_wrapper", "wav2vec2", "hubert",    "encodec"});

const json* member(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

// The language part of a model of several: text_config, or thinker_config.text_config of the omni models.
const json* language_part(const json& root) {
  for (const std::string_view key : {"text_config", "llm_config", "language_config", "text_encoder_config"}) {
    if (const json* part = member(root, key)) {
      return part;
    }
  }
  const json* thinker = member(root, "thinker_config");
  return thinker != nullptr ? member(*thinker, "text_config") : nullptr;
}

const json* towers_of(const json& root) {
  const json* thinker = member(root, "thinker_config");
  return thinker != nullptr ? thinker : &root;
}

double heads_of_keys(const ConfigKeys& keys, std::string_view type, double heads) {
  const bool new_falcon = keys.flag("new_decoder_architecture") == std::optional(true);
  if (keys.flag("multi_query") == std::optional(true) && !new_falcon) {
    return 1;
  }
  if (type == "chatglm" && keys.flag("multi_query_attention") == std::optional(true)) {
    return keys.number_or({"multi_query_group_num"}, limit::heads, heads);
  }
  if (type.starts_with("gemma3") && !type.starts_with("gemma3n")) {
    heads = keys.number_or({"num_attention_heads"}, limit::heads, 8) / 2;  // the class default
  }
  return keys.number_or({"num_key_value_heads", "num_kv_heads", "n_head_kv", "attn_config.kv_n_heads", "num_query_groups"}, limit::heads,
                        heads);
}

double dense_width(const ConfigKeys& keys, std::string_view type, double hidden) {
  double width = keys.number_or({"intermediate_size", "ffn_dim", "n_inner", "d_ff", "ffn_hidden_size", "ffn_config.ffn_hidden_size",
                                 "encoder_ffn_dim", "hidden_dim", "block_ff_dim", "shared_intermediate_size"},
                                limit::width, 0);
  if (width <= 0) {
    width = hidden * keys.number_or({"expansion_ratio"}, 64, 4);
  }
  if (type == "qwen") {
    width /= 2;  // the file counts gate and up together
  }
  if (type.starts_with("lfm2") && keys.flag("block_auto_adjust_ff_dim") == std::optional(true)) {
    const double multiple = std::max(1.0, keys.number_or({"block_multiple_of"}, limit::width, 256));
    width = std::ceil(std::floor(2 * width / 3) / multiple) * multiple;
  }
  return width;
}

void read_sizes(const ConfigKeys& keys, const HfFamily& family, std::string_view type, TransformerShape& s) {
  s.hidden = keys.number_or({"hidden_size", "n_embd", "d_model", "model_dim", "n_embed", "embed_dim", "block_dim", "dim"}, limit::width, 0);
  s.layers = keys.number_or({"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "num_transformer_layers"},
                            limit::layers, 0);
  s.heads = keys.number_or({"num_attention_heads", "n_head", "n_heads", "num_heads", "num_query_heads", "encoder_attention_heads"},
                           limit::heads, type.starts_with("gemma3") ? 8 : 0);
  s.kv_heads = heads_of_keys(keys, type, s.heads);
  const double even = s.heads > 0 ? std::floor(s.hidden / s.heads) : 0;
  s.head_dim =
      keys.number_or({"head_dim", "kv_channels", "attention_head_dim", "d_kv"}, limit::width, family.head_dim > 0 ? family.head_dim : even);
  s.ffn = dense_width(keys, type, s.hidden);
  const double usual_vocab = type.starts_with("gemma3") ? 262208 : 0;
  s.vocab = keys.number_or({"vocab_size", "padded_vocab_size", "n_vocab"}, limit::vocab, usual_vocab);
  s.max_context = keys.number_or({"max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_sequence_length", "seq_length",
                                  "model_max_length", "max_target_positions"},
                                 limit::context, 0);
  s.global_head_dim = keys.number_or({"global_head_dim"}, limit::width, 0);
  s.global_kv_heads = keys.number_or({"num_global_key_value_heads"}, limit::heads, 0);
}

void read_manners(const ConfigKeys& keys, const HfFamily& family, std::string_view type, TransformerShape& s) {
  s.tied_embeddings = keys.flag("tie_word_embeddings").value_or(keys.flag("share_input_output_layers").value_or(family.tied));
  s.gated_mlp = family.gated;
  s.bias = family.bias;
  s.qkv_bias = family.qkv_bias || keys.flag("attention_bias") == std::optional(true);
  s.fused_qkv = family.fused_qkv;
  s.fused_gate_up = family.fused_gate_up;
  s.falcon = family.family == "falcon" && keys.flag("new_decoder_architecture") != std::optional(true) && type != "falcon_mamba";
  const bool bert_like = family.layout == Layout::encoder;
  if (family.positions) {
    // OPT and BART keep two rows in front; BERT has segments beside its positions.
    const double in_front = type == "opt" || family.family == "bart" ? 2 : 0;
    s.position_embeddings = s.max_context + in_front + keys.number_or({"type_vocab_size"}, 64, bert_like && type == "bert" ? 2 : 0);
    if (family.family == "bart") {
      s.position_embeddings *= 2;  // both stacks
    }
  }
}

void read_stacks(const ConfigKeys& keys, const HfFamily& family, TransformerShape& s) {
  if (family.layout != Layout::encoder_decoder && family.layout != Layout::speech) {
    return;
  }
  s.kind = family.layout == Layout::speech ? TransformerKind::speech : TransformerKind::encoder_decoder;
  s.layers = keys.number_or({"encoder_layers", "num_layers", "num_hidden_layers"}, limit::layers, s.layers);
  s.decoder_layers = keys.number_or({"num_decoder_layers", "decoder_layers"}, limit::layers, s.layers);
  s.attention_layers = s.decoder_layers;
  if (family.family == "t5") {
    s.gated_mlp = keys.text({"feed_forward_proj"}).starts_with("gated");
    s.position_scores = true;
    s.max_context = s.max_context > 0 ? s.max_context : 512;
    // v1.1 and later keep a head of their own; the class's default is tied.
    s.tied_embeddings = keys.flag("tie_word_embeddings").value_or(family.tied);
  }
  if (family.layout == Layout::speech) {
    s.max_context = keys.number_or({"max_target_positions"}, limit::context, 448);
  }
}

AttentionKind kind_by_heads(const TransformerShape& s) {
  if (s.kv_heads >= s.heads) {
    return AttentionKind::mha;
  }
  return s.kv_heads <= 1 ? AttentionKind::mqa : AttentionKind::gqa;
}

// Gemma 3n: a second embedding of every token for every layer, and low-rank side branches that are left out here.
double per_layer_inputs(const ConfigKeys& keys, const TransformerShape& s) {
  const double width = keys.number_or({"hidden_size_per_layer_input"}, limit::width, 0);
  const double vocab = keys.number_or({"vocab_size_per_layer_input"}, limit::vocab, 0);
  return width * s.layers * (vocab + 3 * s.hidden);
}

void read_predictor(const ConfigKeys& keys, TransformerShape& s) {
  s.mtp_layers = keys.number_or({"num_nextn_predict_layers", "mtp_num_hidden_layers"}, 16, 0);
  if (s.mtp_layers <= 0) {
    return;
  }
  double layer = 2 * s.hidden * s.hidden;
  model::LayerKind kind = model::layer_kind(s, model::total_layers(s) - 1);
  kind.attention = true;
  model::for_each_layer_tensor(s, kind, [&](const model::Tensor& tensor) { layer += tensor.elements(); });
  s.extra_params = s.mtp_layers * layer;
}

// Llama 4 leaves out a tower that is the class's own: 34 layers of 1408, and a projector.
constexpr double k_llama4_tower = 8.66e8;

double read_towers(const json& outer, const TransformerShape& s, const std::string& file, std::string_view type) {
  double params =
      type == "llama4" && member(outer, "vision_config") == nullptr && member(outer, "text_config") != nullptr ? k_llama4_tower : 0;
  for (const std::string_view key : {"vision_config", "vit_config", "audio_config"}) {
    if (const json* tower = member(outer, key)) {
      params += tower_params(ConfigKeys(*tower, nullptr, file), s.hidden);
    }
  }
  return params;
}

void check_sizes(const TransformerShape& s, const std::string& file) {
  const bool heads_needed = s.attention != AttentionKind::ssm;
  if (s.hidden <= 0 || s.layers <= 0 || s.vocab <= 0 || (heads_needed && s.heads <= 0)) {
    throw Error(ErrorCode::bad_data, "hidden size, layers, heads or vocabulary are missing: no configuration of a transformer",
                "config.json of a language model is expected; give --params where there is none", file);
  }
}

void read_shape(HfConfig& config, const ConfigKeys& keys, const HfFamily& family, std::string_view type) {
  TransformerShape& s = config.shape;
  read_sizes(keys, family, type, s);
  read_manners(keys, family, type, s);
  if (!config.known) {
    // Classes without a gate name one of the plain functions.
    const std::string act = keys.text({"hidden_act", "activation_function", "hidden_activation"});
    s.gated_mlp = act != "gelu" && act != "gelu_new" && act != "relu" && act != "relu2" && act != "gelu_fast";
  }
  if (family.layout == Layout::encoder) {
    s.kind = TransformerKind::encoder;
  }
  s.attention_layers = s.layers;
  read_experts(keys, type, s);
  read_windows(keys, family, s);
  s.attention = kind_by_heads(s);
  read_latent_attention(keys, type, s, config.findings);
  read_recurrent(keys, type, s);
  read_block_configs(keys, s, config.findings);
  read_stacks(keys, family, s);
  check_sizes(s, "");
  s.extra_params += per_layer_inputs(keys, s);
  read_predictor(keys, s);
}

}  // namespace

Finding nearest_family_finding(const std::string& architecture) {
  return {"import-nearest", Severity::warn,
          "architecture " + architecture +
              " is not known: it is read as the nearest family, a llama-like decoder of the same sizes; what no weight file states "
              "has a wider range"};
}

void count_shape(TransformerShape& shape) {
  shape.params = model::count_params(shape);
  double resting = 0;
  if (shape.moe.experts > 0) {
    const double share = 1 - shape.moe.active / shape.moe.experts;
    model::for_each_distinct_tensor(
        shape, [&](const model::Tensor& tensor, double repeats) { resting += tensor.expert ? tensor.elements() * repeats * share : 0.0; });
  }
  // Looking up a token touches one row of the table; models of one path are known by all they store.
  const double table = shape.moe.experts > 0 && !shape.tied_embeddings ? shape.vocab * shape.hidden : 0.0;
  shape.active_params = shape.params - resting - table;
}

HfConfig read_hf_config(std::string_view text, const std::string& file) {
  if (text.size() > k_largest_config) {
    throw Error(ErrorCode::bad_data, "larger than 4 MiB: not a config.json", {}, file);
  }
  const json root = catalog::parse_json(text, file, catalog::ControlCharacters::taken);
  if (!root.is_object()) {
    throw Error(ErrorCode::bad_data, "expected an object", {}, file);
  }
  const json& outer = *towers_of(root);
  const json* part = language_part(root);
  const ConfigKeys keys(root, part, file);
  const ConfigKeys outermost(root, nullptr, file);
  HfConfig config;
  config.model_type = outermost.text({"model_type"});
  const std::string inner = part != nullptr ? ConfigKeys(*part, nullptr, file).text({"model_type"}) : std::string{};
  if (part == nullptr && std::find(k_other_networks.begin(), k_other_networks.end(), config.model_type) != k_other_networks.end()) {
    throw Error(ErrorCode::unsupported, "'" + config.model_type + "' is no language model: its config.json says too little",
                "name the network with --model, or export it to ONNX and import that", file);
  }
  const HfFamily* family = inner.empty() ? nullptr : find_family(inner);
  family = family != nullptr ? family : find_family(config.model_type);
  const std::string type = family != nullptr ? std::string(family->type) : !inner.empty() ? inner : config.model_type;
  config.known = family != nullptr;
  static constexpr HfFamily nearest{.type = "", .family = "llama"};
  config.family = family != nullptr ? std::string(family->family) : std::string("unknown");
  try {
    read_shape(config, keys, family != nullptr ? *family : nearest, type);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), error.hint(), error.where().empty() ? file : error.where());
  }
  TransformerShape& s = config.shape;
  s.vision_params = read_towers(outer, s, file, type);
  const bool sees = s.vision_params > 0 || member(outer, "vision_config") != nullptr || member(outer, "vit_config") != nullptr;
  const bool decoder = s.kind == TransformerKind::decoder;
  s.kind = sees && decoder ? TransformerKind::vision_decoder : s.kind;
  config.field = s.kind == TransformerKind::encoder  ? Field::encoder
                 : s.kind == TransformerKind::speech ? Field::speech
                 : sees                              ? Field::vision_language
                                                     : Field::language;
  s.image_tokens = keys.number_or({"mm_tokens_per_image", "image_seq_length", "vision_soft_tokens_per_image"}, limit::context, 0);
  config.dtype = keys.text({"dtype", "torch_dtype"});
  if (const json* quantization = keys.object("quantization_config")) {
    config.quantization = read_quantization(*quantization);
  } else if (const json* mlx = keys.object("quantization")) {
    config.quantization = read_quantization(*mlx);
  }
  if (!config.known) {
    s.from_memory = s.nearest_family = true;
    config.findings.push_back(nearest_family_finding(type.empty() ? "without a model_type" : "'" + type + "'"));
  }
  count_shape(s);
  return config;
}

}  // namespace gpuadvise::importer
