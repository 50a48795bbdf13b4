// The shipped model profiles: sound, and found by the names people write.
#include "catalog/data_reader.hpp"
#include "catalog/model_lint.hpp"
#include "catalog/model_names.hpp"
#include "catch.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

using gpuadvise::catalog::build_model_names;
using gpuadvise::catalog::CatalogData;
using gpuadvise::catalog::lint_models;
using gpuadvise::catalog::ModelLookup;
using gpuadvise::catalog::ModelName;
using gpuadvise::catalog::ModelNameSource;
using gpuadvise::catalog::ModelRecord;
using gpuadvise::catalog::read_data;
using gpuadvise::catalog::read_text_file;
using gpuadvise::catalog::resolve_model;

namespace {

struct Shipped {
  CatalogData data;
  std::vector<ModelName> names;

  Shipped() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(GPUADVISE_SOURCE_DIR "/data/models")) {
      if (entry.path().extension() == ".json") {
        files.push_back(entry.path().string());
      }
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
      read_data(read_text_file(file), file, data);
    }
    std::vector<ModelNameSource> sources;
    for (const ModelRecord& record : data.models) {
      sources.push_back({record.model.id, record.model.name, record.model.hf_id, record.aliases});
    }
    names = build_model_names(sources, data.texts);
  }
};

const Shipped& shipped() {
  static const Shipped data;
  return data;
}

struct Spelling {
  std::string_view text;
  std::string_view id;  // empty: must stay unknown
  std::string_view precision = {};
};

constexpr auto k_spellings = std::to_array<Spelling>({
    {"ResNet-50", "resnet50"},
    {"timm/resnet50.a1_in1k", "resnet50"},
    {"vit_b_16", "vit_base_patch16_224"},
    {"google/vit-base-patch16-224-in21k", "vit_base_patch16_224"},
    {"vit_large_patch16_224.augreg_in21k", "vit_large_patch16_224"},
    {"swin_t", "swin_tiny_patch4_window7_224"},
    {"regnet_y_1_6gf", "regnety_016"},
    {"mobilenet_v3_large", "mobilenetv3_large_100"},
    {"deit3_base_patch16_224_in21ft1k", "deit3_base_patch16_224_in21ft1k"},
    {"bert-base-uncased", "bert-base"},
    {"bert-base-multilingual-cased", "bert-base-multilingual"},
    {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"},
    {"llama3.1:8b", "llama-3.1-8b"},
    {"Llama 3 8B", "llama-3-8b"},
    {"qwen2.5:7b-instruct-q4_K_M", "qwen2.5-7b", "gguf:Q4_K_M"},
    {"Qwen/Qwen2.5-1.5B-Instruct-GPTQ-Int8", "qwen2.5-1.5b", "int8-gptq"},
    {"TheBloke/Mistral-7B-Instruct-v0.2-AWQ", "mistral-7b-v0.1", "int4-awq"},
    {"OLMo-2-1124-13B-Instruct-Q4_K_M", "olmo-2-13b", "gguf:Q4_K_M"},
    {"gemma4:26b", "gemma-4-26b-a4b"},
    {"deepseek-r1:7b", "deepseek-r1-distill-qwen-7b"},
    {"deepseek-r1-671b", "deepseek-r1"},
    {"whisper-large", "whisper-large-v2"},
    {"openai/whisper-large-v3", "whisper-large-v3"},
    {"runwayml/stable-diffusion-v1-5", "sd1.5"},
    {"stabilityai/stable-diffusion-xl-base-1.0", "sdxl"},
    {"FLUX.1-dev", "flux.1-dev"},
    {"dlrm", "dlrm-criteo-1tb"},
    {"resnet5O", ""},
    {"qwen2-57b", "qwen2-57b-a14b"},
    {"qwen2.5-57b", ""},
    {"llama-3.1-9b", ""},
    {"llama-70b", "llama-2-70b"},
    {"qwen3-30b-a3b-reap-15b", ""},
    {"7b", ""},
});

}  // namespace

TEST_CASE("the shipped model profiles pass the lint") {
  REQUIRE(shipped().data.models.size() > 1700);
  for (const auto& finding : lint_models(shipped().data.models)) {
    FAIL_CHECK(finding.rule << ": " << finding.message);
  }
}

TEST_CASE("every shipped model is found by its id and its Hugging Face id") {
  for (std::uint32_t i = 0; i < shipped().data.models.size(); ++i) {
    const auto& model = shipped().data.models[i].model;
    CAPTURE(std::string(model.id));
    CHECK(resolve_model(model.id, shipped().names).model == i);
    if (!model.hf_id.empty()) {
      CHECK(resolve_model(model.hf_id, shipped().names).model == i);
    }
  }
}

TEST_CASE("names as people write them find their model, and no other") {
  for (const Spelling& spelling : k_spellings) {
    const ModelLookup lookup = resolve_model(spelling.text, shipped().names);
    CAPTURE(std::string(spelling.text));
    CHECK((lookup ? shipped().data.models[lookup.model].model.id : std::string_view{}) == spelling.id);
    CHECK(lookup.precision == spelling.precision);
  }
}
