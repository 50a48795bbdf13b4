#include "catalog/model_key.hpp"

#include "catch.hpp"

#include <array>

using gpuadvise::catalog::model_key;
using gpuadvise::catalog::write_model_key;

TEST_CASE("a key forgives case, punctuation and missing separators") {
  CHECK(model_key("ResNet-50") == "resnet-50");
  CHECK(model_key("resnet50") == "resnet-50");
  CHECK(model_key("vit_b_16") == model_key("ViT-B/16"));
  CHECK(model_key("llama3.1:8b") == model_key("Llama-3.1-8B"));
  CHECK(model_key("Qwen3VL-2B") == "qwen-3-vl-2b");
  CHECK(model_key("  gpt-2 ") == "gpt-2");
  CHECK(model_key("") == "");
  CHECK(model_key("?!") == "");
}

TEST_CASE("a key keeps what tells two models apart") {
  CHECK(model_key("qwen2-57b") != model_key("qwen2.5-7b"));
  CHECK(model_key("qwen2.5-7b") != model_key("qwen2-7b"));
  CHECK(model_key("llama-3-8b") != model_key("llama-3.8b"));
  CHECK(model_key("swin_t") != model_key("swin_s"));
}

TEST_CASE("an underscore between two single digits may be a point") {
  CHECK(model_key("phi-1_5", true) == model_key("phi-1.5"));
  CHECK(model_key("internlm2_5-20b", true) == "internlm-2.5-20b");
  CHECK(model_key("vit_base_patch16_224", true) == model_key("vit_base_patch16_224"));
  CHECK(model_key("phi-1_5") == "phi-1-5");
}

TEST_CASE("a key that does not fit is empty") {
  std::array<char, 4> small{};
  CHECK(write_model_key("resnet50", small.data(), small.size()) == 0);
  CHECK(write_model_key("gpt2", small.data(), small.size()) == 0);  // "gpt-2"
  CHECK(write_model_key("gpt", small.data(), small.size()) == 3);
}
