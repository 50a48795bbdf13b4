#include "import/hf_layers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gpuadvise::importer {
namespace {

using nlohmann::json;

double whole_share(double layers, double period) {
  return period > 0 ? std::floor(layers / period) : 0.0;
}

double characters(const std::string& pattern, char wanted) {
  return static_cast<double>(std::count(pattern.begin(), pattern.end(), wanted));
}

// How many layers have experts, where not all or all but the first.
std::optional<double> expert_layers(const ConfigKeys& keys, double layers) {
  if (const auto period = keys.number({"expert_layer_period"}, limit::layers); period && *period > 1) {
    const double offset = keys.number_or({"expert_layer_offset"}, limit::layers, 0);
    return std::ceil(std::max(0.0, layers - offset) / *period);
  }
  if (const auto step = keys.number({"interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_interval"}, limit::layers);
      step && *step > 1) {
    return whole_share(layers, *step);
  }
  if (const json* dense = keys.list("mlp_only_layers"); dense != nullptr && !dense->empty()) {
    return layers - std::min(layers, static_cast<double>(dense->size()));
  }
  return std::nullopt;
}

void mamba1(const ConfigKeys& keys, TransformerShape& shape) {
  LinearState& state = shape.linear;
  state.kind = StateKind::mamba1;
  const double expand = keys.number_or({"mamba_expand", "expand"}, 64, 2);
  state.inner = expand * shape.hidden;
  state.state = keys.number_or({"mamba_d_state", "state_size", "ssm_state_size"}, limit::width, 16);
  state.conv = keys.number_or({"mamba_d_conv", "conv_kernel"}, 1024, 4);
  if (keys.text({"mamba_dt_rank", "time_step_rank"}).empty()) {
    state.dt_rank = keys.number_or({"mamba_dt_rank", "time_step_rank"}, limit::width, 0);
  }
}

void mamba2(const ConfigKeys& keys, TransformerShape& shape) {
  LinearState& state = shape.linear;
  state.kind = StateKind::mamba2;
  state.heads = keys.number_or({"mamba_n_heads", "mamba_num_heads", "num_heads"}, limit::heads, 0);
  const double expand = keys.number_or({"mamba_expand", "expand"}, 64, 2);
  state.head_dim = keys.number_or({"mamba_d_head", "mamba_head_dim", "head_dim"}, limit::width, 64);
  state.inner = state.heads > 0 ? state.heads * state.head_dim : expand * shape.hidden;
  state.heads = state.heads > 0 ? state.heads : std::floor(state.inner / std::max(1.0, state.head_dim));
  state.state = keys.number_or({"mamba_d_state", "ssm_state_size", "state_size"}, limit::width, 128);
  state.groups = keys.number_or({"mamba_n_groups", "n_groups", "mamba_ngroups"}, limit::heads, 1);
  state.conv = keys.number_or({"mamba_d_conv", "conv_kernel"}, 1024, 4);
}

void gated_delta(const ConfigKeys& keys, TransformerShape& shape) {
  LinearState& state = shape.linear;
  state.kind = StateKind::gated_delta;
  state.conv = keys.number_or({"linear_conv_kernel_dim"}, 1024, 4);
  state.key_heads = keys.number_or({"linear_num_key_heads"}, limit::heads, 16);
  state.key_dim = keys.number_or({"linear_key_head_dim"}, limit::width, 128);
  state.value_heads = keys.number_or({"linear_num_value_heads"}, limit::heads, 32);
  state.value_dim = keys.number_or({"linear_value_head_dim"}, limit::width, 128);
  shape.gated_query = true;
}

// Layers with attention in a hybrid model, by whichever key the class has.
double attention_layers(const ConfigKeys& keys, double layers) {
  for (const std::string_view list : {"layer_types", "layers_block_type"}) {
    if (keys.list(list) != nullptr) {
      return keys.count_in(list, "full_attention") + keys.count_in(list, "attention") + keys.count_in(list, "hybrid");
    }
  }
  for (const std::string_view list : {"attn_layer_indices", "full_attn_idxs"}) {
    if (const json* found = keys.list(list)) {
      return std::min(layers, static_cast<double>(found->size()));
    }
  }
  if (const auto period = keys.number({"full_attention_interval"}, limit::layers)) {
    return whole_share(layers, *period);
  }
  if (const auto period = keys.number({"attn_layer_period"}, limit::layers); period && *period > 0) {
    const double offset = keys.number_or({"attn_layer_offset"}, limit::layers, 0);
    return std::ceil(std::max(0.0, layers - offset) / *period);
  }
  return 0;
}

// "M" mamba, "*" attention, "-" MLP, "E" experts: blocks of one kind each. The shape has mixing layers, some followed by an
// MLP or by experts.
void nemotron_h(const ConfigKeys& keys, TransformerShape& shape) {
  const std::string pattern = keys.text({"hybrid_override_pattern"});
  const double mamba = characters(pattern, 'M');
  const double attention = characters(pattern, '*');
  const double experts = characters(pattern, 'E');
  const double plain = characters(pattern, '-');
  mamba2(keys, shape);
  shape.layers = mamba + attention;
  shape.linear.layers = mamba;
  shape.attention_layers = attention;
  shape.mlp_layers = plain;
  if (experts > 0) {
    shape.moe.dense_layers = std::max(0.0, shape.layers - experts);
    shape.moe.moe_layers = experts;
    shape.ffn = plain > 0 ? shape.ffn : 0;
  } else {
    shape.moe = {};
  }
}

}  // namespace

void read_experts(const ConfigKeys& keys, std::string_view type, TransformerShape& shape) {
  MixtureOfExperts& moe = shape.moe;
  moe.experts = keys.number_or({"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts", "ffn_config.moe_num_experts"},
                               limit::experts, 0);
  if (moe.experts <= 1 || keys.flag("enable_moe_block") == std::optional(false)) {
    moe = {};
    return;
  }
  moe.active = keys.number_or({"num_experts_per_tok", "num_experts_per_token", "num_selected_experts", "top_k_experts", "moe_topk",
                               "moe_top_k", "moe_k", "experts_per_token", "ffn_config.moe_top_k"},
                              limit::experts, 1);
  moe.active = std::min(moe.active, moe.experts);
  const double dense = shape.ffn;
  moe.expert_ffn = keys.number_or({"moe_intermediate_size", "expert_ffn_hidden_size", "ffn_config.ffn_hidden_size"}, limit::width, dense);
  moe.shared = keys.number_or({"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"}, limit::experts, 0);
  moe.shared_ffn = keys.number_or({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"},
                                  limit::width, 0);
  if (moe.shared_ffn > 0 && moe.shared <= 0) {
    moe.shared = 1;
  }
  if (type.starts_with("llama4")) {
    moe.shared = 1;
    shape.ffn = keys.number_or({"intermediate_size_mlp"}, limit::width, dense);
  }
  if (type.starts_with("gemma4")) {
    moe.dense_residual_ffn = shape.ffn;
  }
  moe.expert_bias = type == "gpt_oss";
  moe.dense_layers = keys.number_or({"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"}, limit::layers, 0);
  if (const auto some = expert_layers(keys, shape.layers); some && *some<shape.layers&& * some> 0) {
    moe.moe_layers = *some;
    moe.dense_layers = shape.layers - *some;
  }
  // Qwen's sparse layers have no dense width beside them; the tables use the experts' one.
  moe.dense_layers = std::min(moe.dense_layers, shape.layers);
}

void read_windows(const ConfigKeys& keys, const HfFamily& family, TransformerShape& shape) {
  double window = keys.number_or({"sliding_window", "attention_window", "local_attention", "sliding_window_size"}, limit::context, 0);
  const double chunk = keys.number_or({"attention_chunk_size"}, limit::context, 0);
  if (keys.flag("use_sliding_window") == std::optional(false)) {
    window = 0;
  }
  if (chunk > 0) {
    // Chunked layers are those that rotate their positions.
    const json* rotates = keys.list("no_rope_layers");
    const bool counted = rotates != nullptr && !rotates->empty();
    const auto one = [](const json& item) { return item.is_number() && item.get<double>() == 1; };
    shape.sliding_window = chunk;
    shape.sliding_layers =
        counted ? static_cast<double>(std::count_if(rotates->begin(), rotates->end(), one)) : shape.layers - whole_share(shape.layers, 4);
    return;
  }
  const double listed = keys.count_in("layer_types", "sliding_attention") + keys.count_in("layer_types", "chunked_attention");
  if (keys.list("layer_types") != nullptr) {
    shape.sliding_layers = std::min(listed, shape.layers);
    shape.sliding_window = listed > 0 ? (window > 0 ? window : family.window) : 0;
    return;
  }
  window = window > 0 ? window : family.window;
  if (window <= 0 || (shape.max_context > 0 && window >= shape.max_context)) {
    return;
  }
  const double period = keys.number_or({"sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"}, limit::layers,
                                       family.window_period);
  shape.sliding_window = window;
  shape.sliding_layers = shape.layers - whole_share(shape.layers, period);
  if (const auto full = keys.number({"max_window_layers"}, limit::layers); full && keys.flag("use_sliding_window") == std::optional(true)) {
    shape.sliding_layers = std::max(0.0, shape.layers - *full);
  }
}

void read_recurrent(const ConfigKeys& keys, std::string_view type, TransformerShape& shape) {
  if (!keys.text({"hybrid_override_pattern"}).empty()) {
    nemotron_h(keys, shape);
  } else if (keys.has("linear_num_value_heads") && attention_layers(keys, shape.layers) < shape.layers) {
    gated_delta(keys, shape);
  } else if (type == "mamba" || type == "falcon_mamba" || type == "jamba") {
    mamba1(keys, shape);
  } else if (type == "mamba2" || type == "bamba" || (type == "granitemoehybrid" && keys.count_in("layer_types", "mamba") > 0) ||
             type == "zamba2" || type == "falcon_h1") {
    mamba2(keys, shape);
  } else if (type.starts_with("lfm2")) {
    shape.linear.kind = StateKind::short_conv;
    shape.linear.conv = keys.number_or({"conv_L_cache"}, 1024, 3);
  } else if (type == "rwkv") {
    shape.linear.kind = StateKind::rwkv;
    shape.linear.heads = shape.heads;
    shape.linear.head_dim = keys.number_or({"head_size"}, limit::width, 64);
  } else {
    return;
  }
  if (shape.linear.layers <= 0) {
    shape.attention_layers = std::min(shape.layers, attention_layers(keys, shape.layers));
    shape.linear.layers = shape.layers - shape.attention_layers;
  }
  const bool pure = shape.attention_layers <= 0;
  shape.attention = pure ? AttentionKind::ssm : AttentionKind::hybrid;
  if (pure && type != "rwkv") {
    shape.heads = 0;
    shape.kv_heads = 0;
    shape.ffn = 0;
  }
}

void read_latent_attention(const ConfigKeys& keys, std::string_view type, TransformerShape& shape, std::vector<Finding>& findings) {
  Mla mla;
  mla.kv_lora_rank = keys.number_or({"kv_lora_rank"}, limit::width, 0);
  mla.q_lora_rank = keys.number_or({"q_lora_rank"}, limit::width, 0);
  mla.qk_nope_head_dim = keys.number_or({"qk_nope_head_dim"}, limit::width, 0);
  mla.qk_rope_head_dim = keys.number_or({"qk_rope_head_dim"}, limit::width, 0);
  mla.v_head_dim = keys.number_or({"v_head_dim"}, limit::width, 0);
  if (type == "deepseek_v4") {
    // One key-value vector a token serves every head, and the output goes through groups of low rank. The nearest known
    // form has a latent of the same size; the width of its values is set so that a layer holds as many weights.
    const double rank = keys.number_or({"o_lora_rank"}, limit::width, 0);
    const double groups = keys.number_or({"o_groups"}, limit::heads, 1);
    mla.kv_lora_rank = std::max(1.0, shape.head_dim - mla.qk_rope_head_dim);
    mla.qk_nope_head_dim = mla.kv_lora_rank;
    const double output = shape.heads * shape.head_dim * rank + groups * rank * shape.hidden;
    const double keys_up = mla.kv_lora_rank * shape.heads * mla.qk_nope_head_dim;
    mla.v_head_dim = std::max(1.0, (output - keys_up) / (shape.heads * (mla.kv_lora_rank + shape.hidden)));
    shape.from_memory = shape.nearest_family = true;
    // Its window stands beside a compressed cache of the whole context: counting the window alone would promise too much.
    shape.sliding_window = 0;
    shape.sliding_layers = 0;
    findings.push_back({"import-nearest", Severity::warn,
                        "attention of deepseek_v4 is read as latent attention with as many weights; its compressed cache is smaller "
                        "than estimated"});
  } else if (mla.kv_lora_rank <= 0 || mla.qk_nope_head_dim + mla.qk_rope_head_dim <= 0 || mla.v_head_dim <= 0) {
    return;
  }
  shape.mla = mla;
  shape.attention = AttentionKind::mla;
}

void read_block_configs(const ConfigKeys& keys, TransformerShape& shape, std::vector<Finding>& findings) {
  const json* blocks = keys.list("block_configs");
  if (blocks == nullptr || blocks->empty()) {
    return;
  }
  double attention = 0;
  double key_heads = 0;
  double width = 0;
  double linear = 0;
  const json none = json::object();
  for (const json& block : *blocks) {
    const auto part = [&](const char* name) -> const json& {
      const auto found = block.is_object() ? block.find(name) : block.end();
      return block.is_object() && found != block.end() && found->is_object() ? *found : none;
    };
    const ConfigKeys of_attention(part("attention"), nullptr, "block_configs");
    const ConfigKeys of_ffn(part("ffn"), nullptr, "block_configs");
    const double group = of_attention.number_or({"n_heads_in_group"}, limit::heads, 0);
    if (group > 0 && of_attention.flag("no_op") != std::optional(true)) {
      attention += 1;
      key_heads += shape.heads / group;
    }
    const auto replaced = [&](const ConfigKeys& of) { return of.flag("replace_with_linear") == std::optional(true); };
    linear += static_cast<double>(replaced(of_attention)) + static_cast<double>(replaced(of_ffn));
    const auto& ffn = part("ffn");
    const auto multiple = ffn.find("ffn_mult");
    if (multiple != ffn.end() && multiple->is_number() && of_ffn.flag("no_op") != std::optional(true) && !replaced(of_ffn)) {
      // The model's own rule: two thirds of twice the multiple, in whole 256ths.
      const double exact = std::floor(2 * std::clamp(multiple->get<double>(), 0.0, 64.0) * shape.hidden / 3);
      width += std::ceil(exact / 256) * 256;
    }
  }
  shape.layers = static_cast<double>(blocks->size());
  shape.attention_layers = attention;
  shape.kv_heads = attention > 0 ? std::max(1.0, std::round(key_heads / attention)) : shape.kv_heads;
  shape.ffn = width / shape.layers;
  shape.extra_params = linear * shape.hidden * shape.hidden;
  if (attention < shape.layers) {
    // Layers without attention: recurrent ones whose state is empty.
    shape.linear.kind = StateKind::mamba2;
    shape.linear.layers = shape.layers - attention;
    shape.attention = AttentionKind::hybrid;
  }
  findings.push_back({"import-means", Severity::note, "layers differ in width: their mean stands for each"});
}

double tower_params(const ConfigKeys& tower, double hidden_of_text) {
  const double layers = tower.number_or({"depth", "num_hidden_layers", "encoder_layers", "layers", "n_layers"}, limit::layers, 0);
  const double hidden = tower.number_or({"hidden_size", "embed_dim", "d_model", "width"}, limit::width, 0);
  if (layers <= 0 || hidden <= 0) {
    return 0;
  }
  const double ffn = tower.number_or({"intermediate_size", "encoder_ffn_dim", "mlp_dim"}, limit::width, 4 * hidden);
  const std::string act = tower.text({"hidden_act", "hidden_activation"});
  const bool gated = act == "silu" || (act == "gelu_pytorch_tanh" && tower.has("global_head_dim"));
  const double patch = tower.number_or({"patch_size", "spatial_patch_size"}, 4096, 14);
  const double channels = tower.number_or({"in_channels", "num_channels", "in_chans"}, 4096, 3);
  const double frames = tower.number_or({"temporal_patch_size"}, 4096, 1);
  const double image = tower.number_or({"image_size"}, 1 << 20, 0);
  const double positions =
      tower.number_or({"num_position_embeddings", "position_embedding_size"}, 1e8, patch > 0 ? std::pow(std::floor(image / patch), 2) : 0);
  const double merge = std::pow(tower.number_or({"spatial_merge_size"}, 64, 1), 2);
  const double out = tower.number_or({"out_hidden_size", "projection_dim"}, limit::width, hidden_of_text);
  const double mergers =
      1 + (tower.list("deepstack_visual_indexes") != nullptr ? static_cast<double>(tower.list("deepstack_visual_indexes")->size()) : 0.0);
  const double block = 4 * hidden * hidden + (gated ? 3 : 2) * hidden * ffn + ffn + 9 * hidden;
  const double wide = hidden * merge;
  const double projector = mergers * (wide * (merge > 1 ? wide : out) + (merge > 1 ? wide : out) * out);
  return layers * block + channels * frames * patch * patch * hidden + positions * hidden + projector;
}

}  // namespace gpuadvise::importer
