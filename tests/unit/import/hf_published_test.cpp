// Sizes of published models by class: what config.json says against the counts their publishers state.
#include "catch.hpp"
#include "import/hf_config.hpp"

#include <array>
#include <string_view>

using namespace gpuadvise;

namespace {

struct Published {
  std::string_view model;
  double params;
  std::string_view config;  // the keys that sizes depend on
};

// clang-format off
constexpr auto k_published = std::to_array<Published>({
    {"bamba-9b", 9.78e9,
     R"({"model_type":"bamba","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,)"
     R"("num_key_value_heads":8,"vocab_size":128256,"attn_layer_indices":[9,18,27],"mamba_n_heads":128,"mamba_d_head":64,)"
     R"("mamba_d_state":128,"mamba_n_groups":1,"mamba_expand":2,"tie_word_embeddings":false})"},
    {"bart-large", 0.4063e9,
     R"({"model_type":"bart","d_model":1024,"encoder_layers":12,"decoder_layers":12,"encoder_attention_heads":16,)"
     R"("encoder_ffn_dim":4096,"vocab_size":50265,"max_position_embeddings":1024})"},
    {"bloom-7b1", 7.069e9,
     R"({"model_type":"bloom","n_embed":4096,"num_attention_heads":32,"n_layer":30,"vocab_size":250880})"},
    {"chatglm3-6b", 6.244e9,
     R"({"model_type":"chatglm","hidden_size":4096,"ffn_hidden_size":13696,"num_attention_heads":32,"num_layers":28,)"
     R"("kv_channels":128,"multi_query_attention":true,"multi_query_group_num":2,"padded_vocab_size":65024,"seq_length":8192})"},
    {"command-r", 34.98e9,
     R"({"model_type":"cohere","hidden_size":8192,"intermediate_size":22528,"num_attention_heads":64,"num_hidden_layers":40,)"
     R"("num_key_value_heads":64,"vocab_size":256000})"},
    {"dbrx", 131.6e9,
     R"({"model_type":"dbrx","d_model":6144,"n_heads":48,"n_layers":40,"max_seq_len":32768,"vocab_size":100352,)"
     R"("attn_config":{"kv_n_heads":8,"clip_qkv":8},"ffn_config":{"ffn_hidden_size":10752,"moe_num_experts":16,"moe_top_k":4},)"
     R"("tie_word_embeddings":false})"},
    {"deepseek-v2-lite", 15.706e9,
     R"({"model_type":"deepseek_v2","hidden_size":2048,"intermediate_size":10944,"moe_intermediate_size":1408,)"
     R"("n_routed_experts":64,"n_shared_experts":2,"num_experts_per_tok":6,"first_k_dense_replace":1,"num_attention_heads":16,)"
     R"("num_hidden_layers":27,"num_key_value_heads":16,"q_lora_rank":null,"kv_lora_rank":512,"qk_nope_head_dim":128,)"
     R"("qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":102400})"},
    {"distilbert", 0.0664e9,
     R"({"model_type":"distilbert","dim":768,"hidden_dim":3072,"n_heads":12,"n_layers":6,"vocab_size":30522,)"
     R"("max_position_embeddings":512})"},
    {"ernie-21b", 21.8e9,
     R"({"model_type":"ernie4_5_moe","hidden_size":2560,"intermediate_size":12288,"moe_intermediate_size":1536,)"
     R"("moe_num_experts":64,"moe_k":6,"moe_num_shared_experts":2,"moe_layer_start_index":1,"moe_layer_interval":1,)"
     R"("num_attention_heads":20,"num_hidden_layers":28,"num_key_value_heads":4,"vocab_size":103424,"head_dim":128})"},
    {"falcon-40b", 41.3e9,
     R"({"model_type":"falcon","hidden_size":8192,"num_attention_heads":128,"num_hidden_layers":60,"num_kv_heads":8,)"
     R"("new_decoder_architecture":true,"vocab_size":65024})"},
    {"gemma2-9b", 9.242e9,
     R"({"model_type":"gemma2","hidden_size":3584,"intermediate_size":14336,"num_attention_heads":16,"num_hidden_layers":42,)"
     R"("num_key_value_heads":8,"head_dim":256,"vocab_size":256000,"sliding_window":4096,"max_position_embeddings":8192})"},
    {"glm-4-9b", 9.40e9,
     R"({"model_type":"chatglm","hidden_size":4096,"ffn_hidden_size":13696,"num_attention_heads":32,"num_layers":40,)"
     R"("kv_channels":128,"multi_query_attention":true,"multi_query_group_num":2,"padded_vocab_size":151552,)"
     R"("seq_length":131072,"vocab_size":151552,"add_qkv_bias":true})"},
    {"glm-4.5-air", 106.8e9,
     R"({"model_type":"glm4_moe","hidden_size":4096,"intermediate_size":10944,"moe_intermediate_size":1408,)"
     R"("n_routed_experts":128,"n_shared_experts":1,"num_experts_per_tok":8,"first_k_dense_replace":1,)"
     R"("num_attention_heads":96,"num_hidden_layers":46,"num_key_value_heads":8,"head_dim":128,"vocab_size":151552,)"
     R"("num_nextn_predict_layers":1})"},
    {"gptj", 6.05e9,
     R"({"model_type":"gptj","n_embd":4096,"n_head":16,"n_layer":28,"n_inner":null,"n_positions":2048,"vocab_size":50400,)"
     R"("tie_word_embeddings":false})"},
    {"granite4-h-small", 32.2e9,
     R"({"model_type":"granitemoehybrid","hidden_size":4096,"intermediate_size":768,"shared_intermediate_size":1536,)"
     R"("num_attention_heads":32,"num_hidden_layers":40,"num_key_value_heads":8,"vocab_size":100352,"num_local_experts":72,)"
     R"("num_experts_per_tok":10,"mamba_n_heads":128,"mamba_d_head":64,"mamba_d_state":128,"mamba_n_groups":1,)"
     R"("mamba_expand":2,"layer_types":["mamba","mamba","mamba","mamba","mamba","mamba","mamba","mamba","mamba","attention",)"
     R"("mamba","mamba","mamba","mamba","mamba","mamba","mamba","mamba","mamba","attention","mamba","mamba","mamba","mamba",)"
     R"("mamba","mamba","mamba","mamba","mamba","attention","mamba","mamba","mamba","mamba","mamba","mamba","mamba","mamba",)"
     R"("mamba","attention"]})"},
    {"hunyuan-a13b", 80.39e9,
     R"({"model_type":"hunyuan_v1_moe","hidden_size":4096,"intermediate_size":3072,"moe_intermediate_size":[3072],)"
     R"("num_experts":64,"moe_topk":[8],"num_shared_expert":[1],"num_attention_heads":32,"num_hidden_layers":32,)"
     R"("num_key_value_heads":8,"vocab_size":128167,"head_dim":128})"},
    {"internlm2-7b", 7.738e9,
     R"({"model_type":"internlm2","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,)"
     R"("num_hidden_layers":32,"num_key_value_heads":8,"vocab_size":92544})"},
    {"lfm2-1.2b", 1.170e9,
     R"({"model_type":"lfm2","hidden_size":2048,"block_ff_dim":12288,"block_auto_adjust_ff_dim":true,"block_multiple_of":256,)"
     R"("num_attention_heads":32,"num_hidden_layers":16,"num_key_value_heads":8,"vocab_size":65536,"conv_L_cache":3,)"
     R"("full_attn_idxs":[2,5,8,10,12,14]})"},
    {"mamba-2.8b", 2.768e9,
     R"({"model_type":"mamba","hidden_size":2560,"num_hidden_layers":64,"state_size":16,"conv_kernel":4,"expand":2,)"
     R"("time_step_rank":160,"intermediate_size":5120,"vocab_size":50280})"},
    {"maverick", 401.58e9,
     R"({"model_type":"llama4","text_config":{"model_type":"llama4_text","hidden_size":5120,"intermediate_size":8192,)"
     R"("intermediate_size_mlp":16384,"interleave_moe_layer_step":2,"num_attention_heads":40,"num_hidden_layers":48,)"
     R"("num_key_value_heads":8,"num_local_experts":128,"num_experts_per_tok":1,"vocab_size":202048,"head_dim":128,)"
     R"("attention_chunk_size":8192}})"},
    {"minicpm3-4b", 4.07e9,
     R"({"model_type":"minicpm3","hidden_size":2560,"intermediate_size":6400,"num_attention_heads":40,"num_hidden_layers":62,)"
     R"("num_key_value_heads":40,"q_lora_rank":768,"kv_lora_rank":256,"qk_nope_head_dim":64,"qk_rope_head_dim":32,)"
     R"("vocab_size":73448,"v_head_dim":64})"},
    {"minimax-m2", 228.7e9,
     R"({"model_type":"minimax_m2","hidden_size":3072,"intermediate_size":1536,"num_attention_heads":48,)"
     R"("num_hidden_layers":62,"num_key_value_heads":8,"head_dim":128,"num_local_experts":256,"num_experts_per_tok":8,)"
     R"("vocab_size":200064})"},
    {"modernbert-base", 0.149e9,
     R"({"model_type":"modernbert","hidden_size":768,"intermediate_size":1152,"num_attention_heads":12,"num_hidden_layers":22,)"
     R"("vocab_size":50368,"max_position_embeddings":8192,"global_attn_every_n_layers":3,"local_attention":128})"},
    {"mpt-7b", 6.649e9,
     R"({"model_type":"mpt","d_model":4096,"n_heads":32,"n_layers":32,"expansion_ratio":4,"max_seq_len":2048,)"
     R"("vocab_size":50432,"no_bias":true,"attn_config":{"attn_type":"multihead_attention"}})"},
    {"nemotron-4-340", 341e9,
     R"({"model_type":"nemotron","hidden_size":18432,"intermediate_size":73728,"num_attention_heads":96,)"
     R"("num_hidden_layers":96,"num_key_value_heads":8,"vocab_size":256000,"tie_word_embeddings":false})"},
    {"olmoe", 6.919e9,
     R"({"model_type":"olmoe","hidden_size":2048,"intermediate_size":1024,"num_attention_heads":16,"num_hidden_layers":16,)"
     R"("num_key_value_heads":16,"vocab_size":50304,"num_experts":64,"num_experts_per_tok":8})"},
    {"opt-6.7b", 6.658e9,
     R"({"model_type":"opt","hidden_size":4096,"ffn_dim":16384,"num_attention_heads":32,"num_hidden_layers":32,)"
     R"("vocab_size":50272,"max_position_embeddings":2048,"word_embed_proj_dim":4096})"},
    {"phi3-mini", 3.821e9,
     R"({"model_type":"phi3","hidden_size":3072,"intermediate_size":8192,"num_attention_heads":32,"num_hidden_layers":32,)"
     R"("num_key_value_heads":32,"vocab_size":32064,"sliding_window":2047,"max_position_embeddings":4096,)"
     R"("tie_word_embeddings":false})"},
    {"pythia-6.9b", 6.857e9,
     R"({"model_type":"gpt_neox","hidden_size":4096,"intermediate_size":16384,"num_attention_heads":32,"num_hidden_layers":32,)"
     R"("vocab_size":50432,"max_position_embeddings":2048,"tie_word_embeddings":false})"},
    {"qwen1-7b", 7.721e9,
     R"({"model_type":"qwen","hidden_size":4096,"intermediate_size":22016,"num_attention_heads":32,"num_hidden_layers":32,)"
     R"("kv_channels":128,"vocab_size":151936,"seq_length":8192,"tie_word_embeddings":false})"},
    {"qwen2-57b", 57.41e9,
     R"({"model_type":"qwen2_moe","hidden_size":3584,"intermediate_size":18944,"moe_intermediate_size":2560,)"
     R"("shared_expert_intermediate_size":20480,"num_experts":64,"num_experts_per_tok":8,"num_attention_heads":28,)"
     R"("num_hidden_layers":28,"num_key_value_heads":4,"vocab_size":151936,"use_sliding_window":false,"sliding_window":65536,)"
     R"("decoder_sparse_step":1})"},
    {"qwen2.5-vl-7b", 8.292e9,
     R"({"model_type":"qwen2_5_vl","hidden_size":3584,"intermediate_size":18944,"num_attention_heads":28,)"
     R"("num_hidden_layers":28,"num_key_value_heads":4,"vocab_size":152064,"tie_word_embeddings":false,)"
     R"("use_sliding_window":false,"vision_config":{"depth":32,"hidden_act":"silu","hidden_size":1280,)"
     R"("intermediate_size":3420,"num_heads":16,"in_chans":3,"out_hidden_size":3584,"patch_size":14,"spatial_merge_size":2,)"
     R"("temporal_patch_size":2}})"},
    {"seed-oss", 36.15e9,
     R"({"model_type":"seed_oss","hidden_size":5120,"intermediate_size":27648,"num_attention_heads":80,"num_hidden_layers":64,)"
     R"("num_key_value_heads":8,"head_dim":128,"vocab_size":155136,"tie_word_embeddings":false})"},
    {"smollm3", 3.075e9,
     R"({"model_type":"smollm3","hidden_size":2048,"intermediate_size":11008,"num_attention_heads":16,"num_hidden_layers":36,)"
     R"("num_key_value_heads":4,"vocab_size":128256,"tie_word_embeddings":true,"sliding_window":null,)"
     R"("use_sliding_window":false})"},
    {"starcoder", 15.52e9,
     R"({"model_type":"gpt_bigcode","n_embd":6144,"n_head":48,"n_layer":40,"n_inner":24576,"multi_query":true,)"
     R"("n_positions":8192,"vocab_size":49152})"},
});
// clang-format on

}  // namespace

TEST_CASE("config.json: parameters within half a percent of the published counts, class by class") {
  for (const Published& row : k_published) {
    INFO(row.model);
    const auto config = importer::read_hf_config(row.config, "config.json");
    CHECK(config.known);
    CHECK(config.shape.params == Approx(row.params).epsilon(0.005));
    CHECK(config.shape.active_params <= config.shape.params);
  }
}
