#include "catalog/model_names.hpp"

#include "catch.hpp"

#include <array>

using gpuadvise::catalog::build_model_names;
using gpuadvise::catalog::find_model;
using gpuadvise::catalog::ModelLookup;
using gpuadvise::catalog::ModelName;
using gpuadvise::catalog::ModelNameSource;
using gpuadvise::catalog::NameMatch;
using gpuadvise::catalog::params_in_name;
using gpuadvise::catalog::resolve_model;
using gpuadvise::catalog::TextPool;

namespace {

enum Entry : std::uint32_t { resnet50, vit_b, qwen2_7b, qwen25_7b, qwen3_30b, llama31_8b, mistral, phi15, whisper_large, whisper_turbo };

constexpr std::array<std::string_view, 2> k_vit_aliases = {"vit_b_16", "google/vit-base"};
constexpr std::array<std::string_view, 1> k_mistral_aliases = {"mistral-7b"};

struct Names {
  TextPool texts;
  std::vector<ModelName> names;

  Names() {
    std::vector<ModelNameSource> sources = {
        {"resnet50", "ResNet-50", "", {}},
        {"vit_base_patch16_224", "", "", k_vit_aliases},
        {"qwen2-7b", "", "Qwen/Qwen2-7B", {}},
        {"qwen2.5-7b", "", "Qwen/Qwen2.5-7B", {}},
        {"qwen3-30b-a3b", "", "Qwen/Qwen3-30B-A3B-Instruct-2507", {}},
        {"llama-3.1-8b", "", "meta-llama/Meta-Llama-3.1-8B", {}},
        {"mistral-7b-v0.1", "", "mistralai/Mistral-7B-v0.1", k_mistral_aliases},
        {"phi-1.5", "", "microsoft/phi-1_5", {}},
        {"whisper-large-v3", "", "", {}},
        {"whisper-large-v3-turbo", "", "", {}},
    };
    names = build_model_names(sources, texts);
  }
};

void check(std::string_view text, NameMatch match, std::uint32_t model, std::string_view precision = {}) {
  const Names table;
  const ModelLookup lookup = resolve_model(text, table.names);
  CAPTURE(text);
  CHECK(lookup.match == match);
  if (lookup) {
    CHECK(lookup.model == model);
  }
  CHECK(lookup.precision == precision);
}

void check_unknown(std::string_view text) {
  check(text, NameMatch::none, 0);
}

}  // namespace

TEST_CASE("ids, aliases, names and Hugging Face ids match exactly") {
  check("ResNet 50", NameMatch::exact, resnet50);
  check("ViT-B/16", NameMatch::exact, vit_b);
  check("vit-base", NameMatch::none, 0);
  check("google/vit-base", NameMatch::exact, vit_b);
  check("Qwen2.5-7B", NameMatch::exact, qwen25_7b);
  check("Qwen/Qwen2-7B", NameMatch::exact, qwen2_7b);
  check("microsoft/phi-1_5", NameMatch::exact, phi15);
  check("phi 1.5", NameMatch::exact, phi15);
  check("meta-llama-3.1-8b", NameMatch::exact, llama31_8b);
  check("llama3.1:8b", NameMatch::exact, llama31_8b);
}

TEST_CASE("organisation, stage, date, tag and format are stripped") {
  check("unsloth/Qwen2.5-7B-Instruct-bnb-4bit", NameMatch::stripped, qwen25_7b, "nf4");
  check("qwen2.5:7b-instruct-q4_K_M", NameMatch::stripped, qwen25_7b, "gguf:Q4_K_M");
  check("Meta-Llama-3.1-8B-Instruct-Q4_K_M", NameMatch::stripped, llama31_8b, "gguf:Q4_K_M");
  check("qwen2.5-7b-awq", NameMatch::stripped, qwen25_7b, "int4-awq");
  check("Qwen2.5-7B-Instruct-20240101", NameMatch::stripped, qwen25_7b);
  check("vit_base_patch16_224.augreg_in21k", NameMatch::stripped, vit_b);
  check("google/vit-base-patch16-224-in21k", NameMatch::stripped, vit_b);
  check("resnet50 (10 classes)", NameMatch::stripped, resnet50);
  check("Mistral-7B-Instruct-v0.2", NameMatch::stripped, mistral);
  check("bartowski_Qwen2.5-7B-it-Q8_0", NameMatch::stripped, qwen25_7b, "gguf:Q8_0");
  check("qwen2.5-7b-it-Q4_K_M-fp16", NameMatch::stripped, qwen25_7b, "gguf:Q4_K_M");
}

TEST_CASE("what the catalog has once may be named in short, other words after the size are taken for a fine-tune") {
  check("llama-3.1", NameMatch::completed, llama31_8b);
  check("Llama-3.1-Instruct", NameMatch::completed, llama31_8b);
  check("qwen3:30b", NameMatch::completed, qwen3_30b);
  check("qwen3-30b-a3b-thinking-2507", NameMatch::stripped, qwen3_30b);
  check("Someone_Qwen2.5-7B-Neo-v2-Q4_K_M", NameMatch::fine_tune, qwen25_7b, "gguf:Q4_K_M");
}

TEST_CASE("nothing is taken for another shape") {
  check_unknown("qwen2.5-72b");
  check_unknown("qwen2-57b");
  check_unknown("qwen3-30b-a6b");
  check_unknown("qwen2.5-7b-vision");
  check_unknown("qwen2.5-7b-a1b");
  check_unknown("llama-3.2-8b");
  check_unknown("whisper-large");
  check_unknown("wide_resnet50");
  check_unknown("resnet5O");
  check_unknown("resnet50 + 8192x3 projector");
  check_unknown("qwen");
  check_unknown("llama");
  check_unknown("7b");
  check_unknown("");
  check_unknown(std::string(500, 'a'));
  check("whisper-large-v3-turbo", NameMatch::exact, whisper_turbo);
}

TEST_CASE("the parts left out are told") {
  const Names table;
  const ModelLookup lookup = resolve_model("unsloth/Qwen2.5-7B-Instruct-bnb-4bit", table.names);
  CHECK(lookup.dropped == std::vector<std::string>{"unsloth/", "bnb-4-bit", "instruct"});
  CHECK(lookup.used_name == "qwen-2.5-7b");
}

TEST_CASE("names are unique, an id beats an alias, a later entry beats an earlier one") {
  TextPool texts;
  constexpr std::array<std::string_view, 2> aliases = {"second", "shared"};
  const std::vector<ModelNameSource> sources = {{"first", "", "", aliases}, {"second", "", "", {}}, {"third", "shared", "", aliases}};
  const auto names = build_model_names(sources, texts);
  CHECK(*find_model("second", names) == 1);
  CHECK(*find_model("shared", names) == 2);
  for (std::size_t i = 1; i < names.size(); ++i) {
    CHECK(names[i - 1].normalised < names[i].normalised);
  }
  CHECK_FALSE(find_model("fourth", names));
}

TEST_CASE("the size a name states") {
  CHECK(*params_in_name("someone/new-7b-chat") == Approx(7e9));
  CHECK(*params_in_name("new-30B-A3B") == Approx(30e9));
  CHECK(*params_in_name("new-350m") == Approx(350e6));
  CHECK_FALSE(params_in_name("mixtral-8x7b"));
  CHECK_FALSE(params_in_name("resnet50"));
}
