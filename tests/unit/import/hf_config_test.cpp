#include "import/hf_config.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "import/hf_families.hpp"
#include "import/quantization.hpp"

#include <nlohmann/json.hpp>

using namespace gpuadvise;

namespace {

TransformerShape shape(const std::string& text) {
  return importer::read_hf_config(text, "config.json").shape;
}

std::string reason(const std::string& text) {
  try {
    static_cast<void>(importer::read_hf_config(text, "config.json"));
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

std::string quantized(const std::string& text) {
  return importer::read_quantization(nlohmann::json::parse(text)).precision;
}

}  // namespace

TEST_CASE("config.json: shapes of published models hold their published counts") {
  struct Row {
    const char* what;
    double params;
    const char* text;
  };
  // Keys of the published files that sizes depend on.
  const Row rows[] = {
      {"Llama-3.1-8B", 8.030e9,
       R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,
           "num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":131072,"tie_word_embeddings":false})"},
      {"gpt2", 1.244e8, R"({"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,"vocab_size":50257})"},
      {"Qwen2.5-0.5B", 4.940e8,
       R"({"model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_attention_heads":14,"num_hidden_layers":24,
           "num_key_value_heads":2,"vocab_size":151936,"tie_word_embeddings":true,"use_sliding_window":false,"sliding_window":32768})"},
      {"falcon-7b", 6.922e9,
       R"({"model_type":"falcon","hidden_size":4544,"num_attention_heads":71,"num_hidden_layers":32,"vocab_size":65024,
           "multi_query":true,"bias":false,"new_decoder_architecture":false})"},
      {"DeepSeek-V3", 671.03e9,
       R"({"model_type":"deepseek_v3","hidden_size":7168,"intermediate_size":18432,"moe_intermediate_size":2048,"n_routed_experts":256,
           "n_shared_experts":1,"num_experts_per_tok":8,"first_k_dense_replace":3,"num_attention_heads":128,"num_hidden_layers":61,
           "q_lora_rank":1536,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"vocab_size":129280})"},
      {"Mixtral-8x7B", 46.70e9,
       R"({"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,
           "num_key_value_heads":8,"num_local_experts":8,"num_experts_per_tok":2,"vocab_size":32000,"sliding_window":null})"},
      {"bert-base-uncased", 1.095e8,
       R"({"model_type":"bert","hidden_size":768,"intermediate_size":3072,"num_attention_heads":12,"num_hidden_layers":12,
           "vocab_size":30522,"max_position_embeddings":512,"type_vocab_size":2})"},
      {"t5-large", 7.377e8,
       R"({"model_type":"t5","d_model":1024,"d_ff":4096,"d_kv":64,"num_heads":16,"num_layers":24,"vocab_size":32128})"},
      {"whisper-large-v3", 1.543e9,
       R"({"model_type":"whisper","d_model":1280,"encoder_layers":32,"decoder_layers":32,"encoder_attention_heads":20,
           "encoder_ffn_dim":5120,"vocab_size":51866,"max_target_positions":448})"},
      {"mamba2-2.7b", 2.7e9,
       R"({"model_type":"mamba2","hidden_size":2560,"num_hidden_layers":64,"state_size":128,"num_heads":80,"head_dim":64,"n_groups":1,
           "vocab_size":50288,"expand":2,"tie_word_embeddings":true})"},
      {"gemma-3-1b", 1.0e9,
       R"({"model_type":"gemma3_text","hidden_size":1152,"intermediate_size":6912,"num_attention_heads":4,"num_hidden_layers":26,
           "num_key_value_heads":1,"head_dim":256,"sliding_window":512,"sliding_window_pattern":6,"vocab_size":262144})"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(shape(row.text).params == Approx(row.params).epsilon(0.01));
  }
}

TEST_CASE("config.json: nested language parts, towers and windows") {
  const auto config = importer::read_hf_config(
      R"({"model_type":"gemma3","text_config":{"model_type":"gemma3_text","hidden_size":2560,"intermediate_size":10240,"num_hidden_layers":34,
          "sliding_window":1024},"vision_config":{"hidden_size":1152,"num_hidden_layers":27,"intermediate_size":4304,"patch_size":14,
          "image_size":896},"mm_tokens_per_image":256,"torch_dtype":"bfloat16"})",
      "config.json");
  CHECK(config.field == Field::vision_language);
  CHECK(config.shape.kind == TransformerKind::vision_decoder);
  CHECK(config.shape.heads == 8);
  CHECK(config.shape.kv_heads == 4);
  CHECK(config.shape.sliding_layers == 29);
  CHECK(config.shape.vision_params == Approx(4.17e8).epsilon(0.03));
  CHECK(config.shape.params == Approx(4.30e9).epsilon(0.01));
  CHECK(config.dtype == "bfloat16");
}

TEST_CASE("config.json: hybrids by list, by period and by pattern") {
  const auto listed = shape(
      R"({"model_type":"qwen3_next","hidden_size":2048,"num_hidden_layers":4,"num_attention_heads":16,"num_key_value_heads":2,"vocab_size":1000,
          "linear_num_value_heads":32,"layer_types":["linear_attention","linear_attention","linear_attention","full_attention"]})");
  CHECK(listed.attention_layers == 1);
  CHECK(listed.linear.layers == 3);
  const auto period = shape(
      R"({"model_type":"jamba","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":65536,
          "intermediate_size":14336,"attn_layer_period":8,"attn_layer_offset":4,"expert_layer_period":2,"expert_layer_offset":1,
          "num_experts":16,"num_experts_per_tok":2,"mamba_d_state":16,"mamba_d_conv":4,"mamba_expand":2,"mamba_dt_rank":256})");
  CHECK(period.attention_layers == 4);
  CHECK(period.moe.moe_layers == std::optional(16.0));
  CHECK(period.params == Approx(51.57e9).epsilon(0.01));
}

TEST_CASE("config.json: an unknown class is read as the nearest, and says so") {
  const auto config = importer::read_hf_config(
      R"({"model_type":"brand_new","hidden_size":1024,"num_hidden_layers":8,"num_attention_heads":16,"vocab_size":32000,"intermediate_size":4096})",
      "config.json");
  CHECK_FALSE(config.known);
  CHECK(config.shape.from_memory);
  REQUIRE_FALSE(config.findings.empty());
  CHECK(config.shape.nearest_family);
  CHECK_THAT(config.findings.front().message, ContainsSubstring("brand_new") && ContainsSubstring("llama-like"));
  CHECK(config.shape.params > 1e8);
}

TEST_CASE("config.json: hostile values are refused") {
  CHECK_THAT(reason("{"), ContainsSubstring("JSON"));
  CHECK_THAT(reason("[]"), ContainsSubstring("object"));
  CHECK_THAT(reason("{}"), ContainsSubstring("missing"));
  CHECK_THAT(reason(R"({"hidden_size":4096,"hidden_size":1})"), ContainsSubstring("duplicate"));
  CHECK_THAT(reason(R"({"hidden_size":true})"), ContainsSubstring("whole number"));
  CHECK_THAT(reason(R"({"hidden_size":1e300})"), ContainsSubstring("whole number"));
  CHECK_THAT(reason(R"({"hidden_size":1e999})"), ContainsSubstring("too large"));
  CHECK_THAT(reason(R"({"hidden_size":64.5})"), ContainsSubstring("whole number"));
  CHECK_THAT(reason(R"({"hidden_size":-64})"), ContainsSubstring("whole number"));
  CHECK_THAT(reason(R"({"hidden_size":64,"num_hidden_layers":100001})"), ContainsSubstring("num_hidden_layers"));
  CHECK_THAT(reason(std::string(100, '[') + std::string(100, ']')), ContainsSubstring("nested"));
  CHECK_THAT(reason(R"({"model_type":"vit","hidden_size":768})"), ContainsSubstring("no language model"));
  CHECK_THAT(reason(std::string(5UL * 1024 * 1024, ' ')), ContainsSubstring("4 MiB"));
}

TEST_CASE("quantization_config: methods as precisions") {
  CHECK(quantized(R"({"quant_method":"gptq","bits":4,"group_size":128})") == "int4-gptq");
  CHECK(quantized(R"({"quant_method":"gptq","bits":8})") == "int8-gptq");
  CHECK(quantized(R"({"quant_method":"awq","bits":4})") == "int4-awq");
  CHECK(quantized(R"({"quant_method":"bitsandbytes","load_in_4bit":true})") == "nf4");
  CHECK(quantized(R"({"quant_method":"bitsandbytes","load_in_8bit":true})") == "int8");
  CHECK(quantized(R"({"quant_method":"fp8","weight_block_size":[128,128]})") == "fp8");
  CHECK(quantized(R"({"quant_method":"mxfp4"})") == "mxfp4");
  CHECK(quantized(R"({"quant_method":"modelopt","quant_algo":"NVFP4"})") == "nvfp4");
  CHECK(quantized(R"({"group_size":64,"bits":4})") == "mlx:4g64");
  CHECK(quantized(R"({"quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{"group_0":{"weights":
                     {"num_bits":4,"type":"int"}}}})") == "int4-gptq");
  CHECK(quantized(R"({"quant_method":"compressed-tensors","format":"float-quantized","config_groups":{"group_0":{"weights":
                     {"num_bits":8,"type":"float"}}}})") == "fp8");
  CHECK(quantized(R"({"quant_method":"quip"})").empty());
}

TEST_CASE("at least fifty model classes are known") {
  CHECK(importer::family_count() >= 50);
  CHECK(importer::find_family("gemma3_text") != nullptr);
  CHECK(importer::find_family("nothing") == nullptr);
}
