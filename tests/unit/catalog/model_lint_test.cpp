#include "catalog/model_lint.hpp"

#include "catch.hpp"

#include <algorithm>

using gpuadvise::AttentionKind;
using gpuadvise::Finding;
using gpuadvise::ImageProfile;
using gpuadvise::TransformerShape;
using gpuadvise::catalog::lint_models;
using gpuadvise::catalog::ModelRecord;

namespace {

// ResNet-50 in round figures.
ImageProfile image_profile() {
  ImageProfile p;
  p.params = 25.6e6;
  p.gmacs = 4.1;
  p.activations_m = 11.1;
  p.image = 224;
  p.saved_bytes = 86e6;
  p.saved_amp_bytes = 43e6;
  p.batchnorms = 53;
  p.convs = 53;
  p.peak_lines.push_back({2e8, 5e7});
  p.peak_lines.push_back({1e8, 8.6e7});
  p.allocator.push_back({8, 1.0e9, 1.1e9});
  p.allocator.push_back({32, 3.1e9, 3.3e9});
  p.saved_at.push_back({448, 344e6});
  return p;
}

// Llama-2-7B.
TransformerShape transformer_shape() {
  TransformerShape s;
  s.params = s.active_params = 6738415616;
  s.layers = s.attention_layers = 32;
  s.hidden = 4096;
  s.heads = s.kv_heads = 32;
  s.head_dim = 128;
  s.ffn = 11008;
  s.vocab = 32000;
  return s;
}

template <class Shape>
ModelRecord record(std::string_view id, const Shape& shape) {
  ModelRecord r;
  r.model.id = id;
  r.model.shape = shape;
  return r;
}

std::vector<std::string> rules(const std::vector<ModelRecord>& records) {
  std::vector<std::string> names;
  for (const Finding& finding : lint_models(records)) {
    names.push_back(finding.rule);
  }
  return names;
}

template <class Shape>
std::vector<std::string> rules_of(const Shape& shape) {
  return rules({record("m", shape)});
}

using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("sound profiles give no findings") {
  CHECK(rules({record("a", image_profile()), record("b", transformer_shape())}).empty());
}

TEST_CASE("an image profile whose figures disagree is refused") {
  ImageProfile p = image_profile();
  SECTION("more saved under autocast") {
    p.saved_amp_bytes = 90e6;
    CHECK(rules_of(p) == Rules{"model-amp"});
    p.batchnorms = 0;  // GroupNorm
    CHECK(rules_of(p).empty());
  }
  SECTION("saved bytes far from the activations") {
    p.saved_bytes = 86e3;
    p.saved_amp_bytes = 43e3;
    p.saved_at = {};
    CHECK(rules_of(p) == Rules{"model-saved"});
  }
  SECTION("multiply-adds of another network") {
    p.gmacs = 4100;
    CHECK(rules_of(p) == Rules{"model-macs"});
  }
  SECTION("an allocator that reserves less than it hands out") {
    p.allocator.items[1].reserved_bytes = 3.0e9;
    CHECK(rules_of(p) == Rules{"model-allocator"});
  }
  SECTION("peak lines out of order") {
    std::swap(p.peak_lines.items[0], p.peak_lines.items[1]);
    CHECK(rules_of(p) == Rules{"model-peak-lines"});
  }
  SECTION("fewer bytes at a larger size") {
    p.saved_at.items[0].saved_bytes = 80e6;
    CHECK(rules_of(p) == Rules{"model-saved-at"});
  }
  SECTION("nothing") {
    CHECK(rules_of(ImageProfile{}) == Rules{"model-form"});
  }
}

TEST_CASE("a transformer whose shape does not hold its parameters is refused") {
  TransformerShape s = transformer_shape();
  SECTION("count") {
    s.params *= 1.01;
    CHECK(rules_of(s) == Rules{"model-count"});
  }
  SECTION("active without experts") {
    s.active_params = 1e9;
    CHECK(rules_of(s) == Rules{"model-active"});
  }
  SECTION("grouped heads called mha") {
    s.kv_heads = 8;
    s.params = s.active_params = 5933109248;
    CHECK(rules_of(s) == Rules{"model-heads"});
    s.attention = AttentionKind::gqa;
    CHECK(rules_of(s).empty());
  }
  SECTION("a window without layers") {
    s.sliding_window = 4096;
    CHECK(rules_of(s) == Rules{"model-layers"});
  }
}

TEST_CASE("a name must not mean two models") {
  ModelRecord first = record("first", image_profile());
  ModelRecord second = record("second", image_profile());
  second.aliases = {"First"};
  CHECK(rules({first, second}) == Rules{"model-name"});
  second.aliases = {"Second"};
  CHECK(rules({first, second}).empty());
  CHECK(rules({first, first}) == Rules{"model-id"});
  CHECK(rules({record("Upper Case", image_profile())}) == Rules{"model-id"});
}
