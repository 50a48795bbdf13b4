#include "import/hf_families.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpuadvise::importer {
namespace {

using enum Layout;

// Defaults of the configuration classes of transformers and of the published modelling files, where a key is usually left
// out. Window periods are those of the published models.
constexpr auto k_families = std::to_array<HfFamily>({
    {.type = "llama", .family = "llama"},
    {.type = "mllama", .family = "llama"},
    {.type = "llama4", .family = "llama"},
    {.type = "mistral", .family = "mistral"},
    {.type = "mistral3", .family = "mistral"},
    {.type = "ministral", .family = "mistral"},
    {.type = "ministral3", .family = "mistral"},
    {.type = "mixtral", .family = "mistral"},
    {.type = "pixtral", .family = "mistral"},
    {.type = "qwen", .family = "qwen", .qkv_bias = true, .fused_qkv = true},
    {.type = "qwen2", .family = "qwen", .qkv_bias = true},
    {.type = "qwen2_moe", .family = "qwen", .qkv_bias = true},
    {.type = "qwen2_vl", .family = "qwen", .qkv_bias = true},
    {.type = "qwen2_5_vl", .family = "qwen", .qkv_bias = true},
    {.type = "qwen2_audio", .family = "qwen", .qkv_bias = true},
    {.type = "qwen2_5_omni", .family = "qwen", .qkv_bias = true},
    {.type = "qwen3", .family = "qwen", .head_dim = 128},
    {.type = "qwen3_moe", .family = "qwen", .head_dim = 128},
    {.type = "qwen3_vl", .family = "qwen", .head_dim = 128},
    {.type = "qwen3_vl_moe", .family = "qwen", .head_dim = 128},
    {.type = "qwen3_omni_moe", .family = "qwen", .head_dim = 128},
    {.type = "qwen3_next", .family = "qwen", .head_dim = 256},
    {.type = "qwen3_5", .family = "qwen", .head_dim = 256},
    {.type = "qwen3_5_moe", .family = "qwen", .head_dim = 256},
    {.type = "gemma", .family = "gemma", .tied = true, .head_dim = 256},
    {.type = "gemma2", .family = "gemma", .tied = true, .head_dim = 256, .window = 4096, .window_period = 2},
    {.type = "gemma3", .family = "gemma", .tied = true, .head_dim = 256, .window = 1024, .window_period = 6},
    {.type = "gemma3n", .family = "gemma", .tied = true, .head_dim = 256, .window = 512, .window_period = 5},
    {.type = "gemma4", .family = "gemma", .tied = true, .head_dim = 256, .window = 1024, .window_period = 6},
    {.type = "paligemma", .family = "gemma", .tied = true, .head_dim = 256},
    {.type = "recurrent_gemma", .family = "gemma", .tied = true},
    {.type = "phi", .family = "phi", .gated = false, .bias = true},
    {.type = "phi3", .family = "phi", .fused_qkv = true, .fused_gate_up = true},
    {.type = "phi3_v", .family = "phi", .fused_qkv = true, .fused_gate_up = true},
    {.type = "phi4mm", .family = "phi", .tied = true, .fused_qkv = true, .fused_gate_up = true},
    {.type = "phimoe", .family = "phi", .qkv_bias = true},
    {.type = "gpt2", .family = "gpt", .tied = true, .gated = false, .bias = true, .fused_qkv = true, .positions = true},
    {.type = "openai-gpt", .family = "gpt", .tied = true, .gated = false, .bias = true, .fused_qkv = true, .positions = true},
    {.type = "gpt_neo", .family = "gpt", .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "gpt_neox", .family = "gpt", .gated = false, .bias = true, .fused_qkv = true},
    {.type = "gptj", .family = "gpt", .gated = false},
    {.type = "gpt_bigcode", .family = "starcoder", .tied = true, .gated = false, .bias = true, .fused_qkv = true, .positions = true},
    {.type = "gpt_oss", .family = "gpt", .qkv_bias = true, .head_dim = 64, .window = 128, .window_period = 2},
    {.type = "starcoder2", .family = "starcoder", .tied = true, .gated = false, .bias = true},
    {.type = "codegen", .family = "gpt", .gated = false, .fused_qkv = true},
    {.type = "opt", .family = "opt", .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "bloom", .family = "bloom", .tied = true, .gated = false, .bias = true, .fused_qkv = true},
    {.type = "falcon", .family = "falcon", .tied = true, .gated = false, .fused_qkv = true},
    {.type = "RefinedWeb", .family = "falcon", .tied = true, .gated = false, .fused_qkv = true},
    {.type = "RefinedWebModel", .family = "falcon", .tied = true, .gated = false, .fused_qkv = true},
    {.type = "falcon_mamba", .family = "falcon", .tied = false},
    {.type = "mpt", .family = "mpt", .tied = true, .gated = false, .fused_qkv = true},
    {.type = "dbrx", .family = "dbrx", .fused_qkv = true},
    {.type = "chatglm", .family = "glm", .qkv_bias = true, .fused_qkv = true, .fused_gate_up = true},
    {.type = "glm", .family = "glm", .fused_gate_up = true},
    {.type = "glm4", .family = "glm", .fused_gate_up = true},
    {.type = "glm4v", .family = "glm", .fused_gate_up = true},
    {.type = "glm4_moe", .family = "glm"},
    {.type = "glm4v_moe", .family = "glm"},
    {.type = "glm4_moe_lite", .family = "glm"},
    {.type = "glm_moe_dsa", .family = "glm"},
    {.type = "deepseek", .family = "deepseek"},
    {.type = "deepseek_v2", .family = "deepseek"},
    {.type = "deepseek_v3", .family = "deepseek"},
    {.type = "deepseek_v32", .family = "deepseek"},
    {.type = "deepseek_v4", .family = "deepseek"},
    {.type = "deepseek_vl_v2", .family = "deepseek"},
    {.type = "kimi_k2", .family = "kimi"},
    {.type = "kimi_vl", .family = "kimi"},
    {.type = "minicpm", .family = "minicpm", .tied = true},
    {.type = "minicpm3", .family = "minicpm", .tied = true},
    {.type = "minicpmv", .family = "minicpm", .qkv_bias = true},
    {.type = "internlm", .family = "internlm"},
    {.type = "internlm2", .family = "internlm", .fused_qkv = true},
    {.type = "internvl_chat", .family = "internvl"},
    {.type = "internvl", .family = "internvl"},
    {.type = "baichuan", .family = "baichuan", .fused_qkv = true},
    {.type = "Yi", .family = "yi"},
    {.type = "cohere", .family = "command-r", .tied = true},
    {.type = "cohere2", .family = "command-r", .tied = true, .window = 4096, .window_period = 4},
    {.type = "olmo", .family = "olmo"},
    {.type = "olmo2", .family = "olmo"},
    {.type = "olmo3", .family = "olmo", .window = 4096, .window_period = 4},
    {.type = "olmoe", .family = "olmo"},
    {.type = "granite", .family = "granite", .tied = true},
    {.type = "granitemoe", .family = "granite", .tied = true},
    {.type = "granitemoehybrid", .family = "granite", .tied = true},
    {.type = "exaone", .family = "exaone"},
    {.type = "exaone4", .family = "exaone", .window = 4096, .window_period = 4},
    {.type = "stablelm", .family = "stablelm"},
    {.type = "jamba", .family = "jamba"},
    {.type = "bamba", .family = "bamba"},
    {.type = "zamba2", .family = "zamba", .tied = true},
    {.type = "mamba", .family = "mamba", .tied = true},
    {.type = "mamba2", .family = "mamba", .tied = true},
    {.type = "rwkv", .family = "rwkv"},
    {.type = "nemotron", .family = "nemotron", .gated = false},
    {.type = "nemotron_h", .family = "nemotron", .gated = false},
    {.type = "nemotron-nas", .family = "nemotron"},
    {.type = "lfm2", .family = "lfm", .tied = true},
    {.type = "lfm2_moe", .family = "lfm", .tied = true},
    {.type = "smollm3", .family = "smollm", .tied = true},
    {.type = "seed_oss", .family = "seed", .qkv_bias = true, .head_dim = 128},
    {.type = "hunyuan", .family = "hunyuan", .tied = true},
    {.type = "hunyuan_v1_dense", .family = "hunyuan", .tied = true},
    {.type = "hunyuan_v1_moe", .family = "hunyuan", .tied = true},
    {.type = "ernie4_5", .family = "ernie", .tied = true},
    {.type = "ernie4_5_moe", .family = "ernie", .tied = true},
    {.type = "minimax_m2", .family = "minimax"},
    {.type = "arcee", .family = "arcee", .gated = false},
    {.type = "afmoe", .family = "arcee"},
    {.type = "grok-1", .family = "grok", .tied = true},
    {.type = "bailing_moe", .family = "ling", .fused_qkv = true},
    {.type = "apertus", .family = "apertus", .gated = false},
    {.type = "persimmon", .family = "persimmon", .gated = false, .bias = true, .fused_qkv = true},
    {.type = "xglm", .family = "xglm", .tied = true, .gated = false, .bias = true},
    {.type = "llava", .family = "llava"},
    {.type = "llava_next", .family = "llava"},
    {.type = "llava_onevision", .family = "llava", .qkv_bias = true},
    {.type = "idefics2", .family = "idefics"},
    {.type = "idefics3", .family = "idefics"},
    {.type = "smolvlm", .family = "smolvlm"},
    {.type = "bert", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "roberta", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "xlm-roberta", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "camembert", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "distilbert", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "mpnet", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "electra", .family = "bert", .layout = encoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "deberta-v2", .family = "deberta", .layout = encoder, .tied = true, .gated = false, .bias = true},
    {.type = "modernbert",
     .family = "bert",
     .layout = encoder,
     .tied = true,
     .fused_qkv = true,
     .fused_gate_up = true,
     .window = 128,
     .window_period = 3},
    {.type = "nomic_bert", .family = "bert", .layout = encoder, .tied = true, .fused_qkv = true},
    {.type = "t5", .family = "t5", .layout = encoder_decoder, .tied = true, .gated = false},
    {.type = "mt5", .family = "t5", .layout = encoder_decoder, .tied = false},
    {.type = "umt5", .family = "t5", .layout = encoder_decoder, .tied = false},
    {.type = "bart", .family = "bart", .layout = encoder_decoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "mbart", .family = "bart", .layout = encoder_decoder, .tied = true, .gated = false, .bias = true, .positions = true},
    {.type = "m2m_100", .family = "nllb", .layout = encoder_decoder, .tied = true, .gated = false, .bias = true},
    {.type = "marian", .family = "marian", .layout = encoder_decoder, .tied = true, .gated = false, .bias = true},
    {.type = "pegasus", .family = "pegasus", .layout = encoder_decoder, .tied = true, .gated = false, .bias = true},
    {.type = "whisper", .family = "whisper", .layout = speech, .tied = true, .gated = false},
});

}  // namespace

const HfFamily* find_family(std::string_view model_type) {
  for (const std::string_view suffix : {std::string_view{}, std::string_view("_text")}) {
    if (!model_type.ends_with(suffix)) {
      continue;
    }
    const std::string_view type = model_type.substr(0, model_type.size() - suffix.size());
    const auto found = std::find_if(k_families.begin(), k_families.end(), [&](const HfFamily& row) { return row.type == type; });
    if (found != k_families.end()) {
      return &*found;
    }
  }
  return nullptr;
}

std::size_t family_count() {
  return k_families.size();
}

}  // namespace gpuadvise::importer
