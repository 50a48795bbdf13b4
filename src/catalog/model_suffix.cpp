#include "catalog/model_suffix.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::catalog {
namespace {

struct FormatRow {
  std::string_view key;
  std::string_view precision;
};

// Keys as model_key writes them. Mixes that are not in llama.cpp's own list (unsloth's _XL, bartowski's _L) count as the mix they grew
// from.
constexpr auto k_formats = std::to_array<FormatRow>({
    {"q-2-k", "gguf:Q2_K"},
    {"q-2-k-s", "gguf:Q2_K_S"},
    {"q-2-k-l", "gguf:Q2_K"},
    {"q-2-k-xl", "gguf:Q2_K"},
    {"q-3-k-s", "gguf:Q3_K_S"},
    {"q-3-k-m", "gguf:Q3_K_M"},
    {"q-3-k-l", "gguf:Q3_K_L"},
    {"q-3-k-xl", "gguf:Q3_K_M"},
    {"q-4-k-s", "gguf:Q4_K_S"},
    {"q-4-k-m", "gguf:Q4_K_M"},
    {"q-4-k-l", "gguf:Q4_K_M"},
    {"q-4-k-xl", "gguf:Q4_K_M"},
    {"q-5-k-s", "gguf:Q5_K_S"},
    {"q-5-k-m", "gguf:Q5_K_M"},
    {"q-5-k-l", "gguf:Q5_K_M"},
    {"q-5-k-xl", "gguf:Q5_K_M"},
    {"q-6-k", "gguf:Q6_K"},
    {"q-6-k-l", "gguf:Q6_K"},
    {"q-6-k-xl", "gguf:Q6_K"},
    {"q-8-0", "gguf:Q8_0"},
    {"q-8-k-xl", "gguf:Q8_0"},
    {"q-4-0", "gguf:Q4_0"},
    {"q-4-1", "gguf:Q4_1"},
    {"q-5-0", "gguf:Q5_0"},
    {"q-5-1", "gguf:Q5_1"},
    {"iq-1-s", "gguf:IQ1_S"},
    {"iq-1-m", "gguf:IQ1_M"},
    {"iq-2-xxs", "gguf:IQ2_XXS"},
    {"iq-2-xs", "gguf:IQ2_XS"},
    {"iq-2-s", "gguf:IQ2_S"},
    {"iq-2-m", "gguf:IQ2_M"},
    {"iq-3-xxs", "gguf:IQ3_XXS"},
    {"iq-3-xs", "gguf:IQ3_XS"},
    {"iq-3-s", "gguf:IQ3_S"},
    {"iq-3-m", "gguf:IQ3_M"},
    {"iq-4-xs", "gguf:IQ4_XS"},
    {"iq-4-nl", "gguf:IQ4_NL"},
    {"tq-1-0", "gguf:TQ1_0"},
    {"tq-2-0", "gguf:TQ2_0"},
    {"q-2", "gguf:Q2_K"},
    {"q-3", "gguf:Q3_K_M"},
    {"q-4", "gguf:Q4_K_M"},
    {"q-5", "gguf:Q5_K_M"},
    {"q-6", "gguf:Q6_K"},
    {"q-8", "gguf:Q8_0"},
    {"mxfp-4-moe", "gguf:MXFP4_MOE"},
    {"gptq", "int4-gptq"},
    {"gptq-int-4", "int4-gptq"},
    {"int-4-gptq", "int4-gptq"},
    {"gptq-4-bit", "int4-gptq"},
    {"4-bit-gptq", "int4-gptq"},
    {"gptq-int-8", "int8-gptq"},
    {"gptq-8-bit", "int8-gptq"},
    {"gptq-int-3", "int3-gptq"},
    {"gptq-3-bit", "int3-gptq"},
    {"w-4a-16", "int4-gptq"},
    {"w-8a-16", "int8-gptq"},
    {"w-8a-8", "int8"},
    {"awq", "int4-awq"},
    {"awq-int-4", "int4-awq"},
    {"int-4-awq", "int4-awq"},
    {"awq-4-bit", "int4-awq"},
    {"4-bit-awq", "int4-awq"},
    {"bnb-4-bit", "nf4"},
    {"unsloth-bnb-4-bit", "nf4"},
    {"nf-4", "nf4"},
    {"bnb-nf-4", "nf4"},
    {"bnb-8-bit", "int8"},
    {"bnb-nf-4-bf-16", "nf4"},
    {"bnb", "nf4"},
    {"int-4", "int4"},
    {"int-8", "int8"},
    {"4-bit", "int4"},
    {"4-bits", "int4"},
    {"8-bits", "int8"},
    {"8-bit", "int8"},
    {"mlx-3-bit", "mlx:3g64"},
    {"mlx-4-bit", "mlx:4g64"},
    {"mlx-5-bit", "mlx:5g64"},
    {"mlx-6-bit", "mlx:6g64"},
    {"mlx-8-bit", "mlx:8g64"},
    {"3-bit-mlx", "mlx:3g64"},
    {"4-bit-mlx", "mlx:4g64"},
    {"5-bit-mlx", "mlx:5g64"},
    {"6-bit-mlx", "mlx:6g64"},
    {"8-bit-mlx", "mlx:8g64"},
    {"3-bit", "mlx:3g64"},
    {"5-bit", "mlx:5g64"},
    {"6-bit", "mlx:6g64"},
    {"fp-8", "fp8"},
    {"fp-8-dynamic", "fp8-dynamic"},
    {"nvfp-4", "nvfp4"},
    {"fp-4", "fp4"},
    {"mxfp-4", "mxfp4"},
    {"mxfp-8", "mxfp8"},
    {"hqq", "hqq"},
    {"hqq-4-bit", "hqq"},
    {"bf-16", "bf16"},
    {"fp-16", "fp16"},
    {"f-16", "fp16"},
    {"fp-32", "fp32"},
    {"f-32", "fp32"},
});

// Containers, training stages and data sets of pretraining: no format by themselves.
constexpr auto k_plain_suffixes = std::to_array<std::string_view>({
    "gguf",
    "mlx",
    "safetensors",
    "exl-2",
    "exl-3",
    "imatrix",
    "qat",
    "ud",
    "mtp",
    "unsloth",
    "in-21k",
    "in-1k",
    "in-22k",
    "in-12k",
    "in-21-ft-1k",
    "in-22-ft-1k",
    "in-21-k-ft-in-1-k",
    "ns",
    "ap",
    "latest",
    "uncensored",
    "abliterated",
    "lora",
    "qlora",
    "full-finetune",
    "fine-tune",
    "finetune",
    "tool",
    "linearized",
    "unpacked",
    "exp",
    "preview",
    "text",
    "release",
    "quantized",
    "deduped",
});

constexpr auto k_stages = std::to_array<std::string_view>({"instruct", "inst", "chat", "it", "base", "hf", "sft", "dpo", "orpo", "simpo",
                                                           "grpo", "rlhf", "pt", "thinking", "reasoning", "nonthinking"});

constexpr auto k_other_shapes = std::to_array<std::string_view>(
    {"vision", "vl",     "omni",    "audio",    "speech",    "moe",          "embedding", "embed", "reranker", "reward",
     "rm",     "draft",  "pruned",  "reap",     "mini",      "small",        "lite",      "tiny",  "nano",     "micro",
     "large",  "xl",     "medium",  "distill",  "distilled", "merged",       "merge",     "eagle", "medusa",   "mamba",
     "ssm",    "bitnet", "ternary", "upscaled", "depth",     "width",        "experts",   "a",     "x",        "adapter",
     "ip",     "token",  "tokens",  "layers",   "mergekit",  "frankenmerge", "minitron",  "with",  "on"});

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Is `suffix` the last whole words of the key, and not all of it?
bool ends_with_words(std::string_view key, std::string_view suffix) {
  return key.size() > suffix.size() && key.ends_with(suffix) && key[key.size() - suffix.size() - 1] == '-';
}

std::string_view last_word(std::string_view key) {
  const std::size_t dash = key.rfind('-');
  return dash == std::string_view::npos ? key : key.substr(dash + 1);
}

// "4.65-bpw", also with "-h-6" (bits of the head) and "-exl-2" behind it.
NameSuffix bits_per_weight(std::string_view key) {
  std::string_view rest = key;
  for (const std::string_view tail : {"exl-2", "exl-3", "h-6", "h-8"}) {
    if (ends_with_words(rest, tail)) {
      rest.remove_suffix(tail.size() + 1);
    }
  }
  for (const std::string_view unit : {"bpw", "bit"}) {
    const bool exl = rest.size() < key.size();
    if (!ends_with_words(rest, unit) || (unit == "bit" && !exl)) {
      continue;
    }
    std::string_view number = rest.substr(0, rest.size() - unit.size() - 1);
    number = last_word(number);
    if (!number.empty() && number[0] >= '0' && number[0] <= '9' && number.find_first_not_of("0123456789.") == std::string_view::npos) {
      const std::size_t used = key.size() - (rest.size() - unit.size() - 1 - number.size());
      if (used < key.size()) {
        return {used + 1, "exl2:" + std::string(number)};
      }
    }
  }
  return {};
}

}  // namespace

NameSuffix find_name_suffix(std::string_view key) {
  NameSuffix best = bits_per_weight(key);
  if (best.length > 0) {
    return best;
  }
  for (const FormatRow& row : k_formats) {
    if (row.key.size() + 1 > best.length && ends_with_words(key, row.key)) {
      best = {row.key.size() + 1, std::string(row.precision)};
    }
  }
  for (const std::string_view plain : k_plain_suffixes) {
    if (plain.size() + 1 > best.length && ends_with_words(key, plain)) {
      best = {plain.size() + 1, {}};
    }
  }
  const std::string_view word = last_word(key);
  if (best.length == 0 && word.size() < key.size() && is_stage_word(word)) {
    best = {word.size() + 1, {}};
  }
  return best;
}

bool is_size_word(std::string_view word) {
  if (word.size() < 2 || (word.back() != 'b' && word.back() != 'm')) {
    return false;
  }
  word.remove_suffix(1);
  return word[0] >= '0' && word[0] <= '9' && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_stage_word(std::string_view word) {
  return contains(k_stages, word);
}

bool is_date_word(std::string_view word) {
  if (!is_digits(word) || word == "1024") {
    return false;
  }
  const auto pair = [&](std::size_t i) { return (word[i] - '0') * 10 + (word[i + 1] - '0'); };
  if (word.size() == 8 || word.size() == 6) {
    return word.starts_with("202");
  }
  if (word.size() != 4) {
    return false;
  }
  const bool year_month = pair(0) >= 23 && pair(0) <= 29 && pair(2) >= 1 && pair(2) <= 12;
  const bool month_day = pair(0) >= 1 && pair(0) <= 12 && pair(2) >= 1 && pair(2) <= 31;
  return year_month || month_day;
}

bool changes_shape(std::string_view word) {
  return contains(k_other_shapes, word) || is_size_word(word);
}

}  // namespace gpuadvise::catalog
