// Sizes of published files against the quantiser's rules.
#include "model/gguf_mix.hpp"

#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "unit/model/catalog_shape.hpp"

using namespace gpuadvise;
using model::GgufType;

namespace {

struct PublishedBits {
  GgufMix mix;
  double bits_per_weight;
};

// Llama-3.1-8B, whole file: llama.cpp tools/quantize/README.md.
constexpr auto k_llama_8b = std::to_array<PublishedBits>({
    {GgufMix::IQ1_S, 2.0042},  {GgufMix::IQ1_M, 2.1460},   {GgufMix::IQ2_XXS, 2.3824}, {GgufMix::IQ2_XS, 2.5882}, {GgufMix::IQ2_S, 2.7403},
    {GgufMix::IQ2_M, 2.9294},  {GgufMix::IQ3_XXS, 3.2548}, {GgufMix::IQ3_XS, 3.4977},  {GgufMix::IQ3_S, 3.6606},  {GgufMix::IQ3_M, 3.7628},
    {GgufMix::IQ4_XS, 4.4597}, {GgufMix::IQ4_NL, 4.6818},  {GgufMix::Q2_K_S, 2.9697},  {GgufMix::Q2_K, 3.1593},   {GgufMix::Q3_K_S, 3.6429},
    {GgufMix::Q3_K_L, 4.2979}, {GgufMix::Q4_K_S, 4.6672},  {GgufMix::Q4_K_M, 4.8944},  {GgufMix::Q5_K_S, 5.5704}, {GgufMix::Q5_K_M, 5.7036},
    {GgufMix::Q6_K, 6.5633},   {GgufMix::Q8_0, 8.5008},    {GgufMix::F16, 16.0005},
});

struct PublishedFile {
  std::string_view model;
  GgufMix mix;
  double gib;
  std::string_view source;
};

// Sizes that loaders printed for files made by llama.cpp's quantiser, without custom recipes.
constexpr auto k_files = std::to_array<PublishedFile>({
    {"gpt-oss-120b", GgufMix::MXFP4_MOE, 59.02, "ggml-org/llama.cpp issue 15253"},
    {"deepseek-v2-lite", GgufMix::Q4_K_M, 9.649, "ikawrakow/ik_llama.cpp, discussion of online repacking"},
    {"deepseek-r1", GgufMix::Q8_0, 664.295, "ikawrakow/ik_llama.cpp, discussion of ktransformers"},
    {"deepseek-r1", GgufMix::Q4_K_M, 376.65, "ikawrakow/ik_llama.cpp, crash with batch size"},
    {"deepseek-r1", GgufMix::Q2_K, 227.689, "ikawrakow/ik_llama.cpp, transposed cache"},
    {"qwen3-235b-a22b", GgufMix::Q8_0, 232.769, "ikawrakow/ik_llama.cpp, early performance comparisons"},
    {"qwen3-235b-a22b", GgufMix::Q4_K_M, 132.386, "ikawrakow/ik_llama.cpp, crash with batch size"},
    {"qwen3-235b-a22b", GgufMix::Q6_K, 179.754, "ikawrakow/ik_llama.cpp, faster generation for grouped attention"},
    {"qwen3-30b-a3b", GgufMix::Q5_K_M, 20.228, "ikawrakow/ik_llama.cpp, start of generation"},
    {"qwen3-32b", GgufMix::Q5_K_M, 21.603, "ikawrakow/ik_llama.cpp, row split"},
    {"qwen3-32b", GgufMix::Q4_0, 17.413, "ikawrakow/ik_llama.cpp issue 539"},
    {"gemma-3-27b", GgufMix::Q4_K_M, 15.404, "ikawrakow/ik_llama.cpp, gemma-3-27b-it-qat"},
    {"gemma-3-27b", GgufMix::Q4_0, 14.539, "ikawrakow/ik_llama.cpp issue 539"},
    {"gemma-3-27b", GgufMix::IQ4_XS, 13.747, "ikawrakow/ik_llama.cpp issue 539"},
    {"glm-4-32b-0414", GgufMix::IQ4_XS, 16.382, "ikawrakow/ik_llama.cpp, GLM-4-0414 support"},
    {"llama-3.1-8b", GgufMix::Q5_K_S, 5.162, "ikawrakow/ik_llama.cpp, K cache without flash attention"},
});

}  // namespace

TEST_CASE("Llama-3.1-8B in every mix has the published bits per weight") {
  const TransformerShape& shape = test::catalog_shape("llama-3.1-8b");
  for (const PublishedBits& row : k_llama_8b) {
    INFO(to_string(row.mix));
    const model::GgufBytes bytes = model::gguf_bytes(shape, row.mix);
    CHECK(8 * bytes.total() / bytes.elements == Approx(row.bits_per_weight).epsilon(5e-4));
  }
}

TEST_CASE("published files have the size the rules give") {
  for (const PublishedFile& row : k_files) {
    INFO(row.model << " " << to_string(row.mix) << ", " << row.source);
    CHECK(model::gguf_bytes(test::catalog_shape(row.model), row.mix).total() / k_gib == Approx(row.gib).epsilon(0.01));
  }
}

TEST_CASE("rows that do not divide into blocks fall back to a wider type") {
  CHECK(model::fitting_type(GgufType::Q4_K, 4096) == GgufType::Q4_K);
  CHECK(model::fitting_type(GgufType::Q4_K, 29568) == GgufType::Q5_0);  // Qwen2.5-72B's MLP
  CHECK(model::fitting_type(GgufType::IQ2_XXS, 896) == GgufType::IQ4_NL);
  CHECK(model::fitting_type(GgufType::Q6_K, 100) == GgufType::F16);
}

TEST_CASE("blocks are stored whole") {
  CHECK(model::gguf_tensor_bytes(GgufType::Q8_0, 64, 10) == Approx(2 * 34 * 10));
  CHECK(model::gguf_tensor_bytes(GgufType::IQ4_KS, 256, 3) == Approx(3 * (136 + 4)));
  CHECK(model::bits_per_weight(GgufType::MXFP4) == Approx(4.25));
}

TEST_CASE("experts keep their routers in full precision") {
  const TransformerShape& shape = test::catalog_shape("mixtral-8x7b");
  model::MixAssigner assigner(shape, GgufMix::Q4_K_M, false);
  bool saw_router = false;
  model::for_each_tensor(shape, [&](const model::Tensor& tensor, int layer) {
    const GgufType type = assigner.next(tensor, layer);
    if (tensor.kind == model::TensorKind::router) {
      saw_router = true;
      CHECK(type == GgufType::F32);
    }
    if (tensor.kind == model::TensorKind::attention_v) {
      CHECK(type == GgufType::Q8_0);  // 8 experts share it
    }
  });
  CHECK(saw_router);
}

TEST_CASE("layers that are remembered are the layers that would be counted") {
  for (const catalog::ModelEntry& entry : catalog::builtin_models()) {
    if (entry.transformer == nullptr) {
      continue;
    }
    for (const GgufMix mix : {GgufMix::IQ2_M, GgufMix::Q3_K_M, GgufMix::Q4_K_M, GgufMix::IQ3_XS, GgufMix::Q4_K_S}) {
      INFO(entry.id << " " << to_string(mix));
      model::MixAssigner assigner(*entry.transformer, mix, false);
      double sum = 0;
      model::for_each_tensor(*entry.transformer, [&](const model::Tensor& tensor, int layer) {
        sum += model::gguf_tensor_bytes(assigner.next(tensor, layer), tensor.columns, tensor.rows * tensor.count);
      });
      CHECK(model::gguf_bytes(*entry.transformer, mix, false).total() == Approx(sum).epsilon(1e-12));
    }
  }
}
