#include "estimate/memory/inference_state.hpp"

#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "unit/model/catalog_shape.hpp"

using namespace gpuadvise;
using namespace gpuadvise::estimate;
using test::catalog_shape;

namespace {

constexpr KvPrecision k_fp16 = {KvType::fp16, KvType::fp16};

double per_token(std::string_view id) {
  return cache_bytes(catalog_shape(id), k_fp16, MlaMode::absorbed).per_token();
}

}  // namespace

TEST_CASE("bytes of a cached token") {
  CHECK(per_token("llama-2-7b") == 512 * k_kib);
  CHECK(per_token("llama-3-8b") == 128 * k_kib);
  CHECK(per_token("qwen2.5-1.5b") == 28 * k_kib);
  CHECK(per_token("qwen2.5-0.5b") == 12 * k_kib);
}

TEST_CASE("latent attention keeps one vector for all heads") {
  CHECK(per_token("deepseek-v3") == 70272);
  const CacheBytes whole = cache_bytes(catalog_shape("deepseek-v3"), k_fp16, MlaMode::expanded);
  CHECK(whole.per_token() * 512 == 2440 * k_mib);  // published for a build without it
}

TEST_CASE("llama.cpp keeps the window and one micro-batch for sliding layers, in 16 bits") {
  Workload w;
  w.kv_precision = {KvType::q8_0, KvType::q8_0};
  const TransformerShape& s = catalog_shape("gpt-oss-20b");
  const double bytes = kv_cache_bytes(s, w, {256, WindowPolicy::window_and_batch, 512}, 8192, 1);
  const double global = 12 * 8192 * 8 * 64 * 2 * 1.0625;
  const double sliding = 12 * 768 * 8 * 64 * 2 * 2;  // 18 MiB, published
  CHECK(sliding == 18 * k_mib);
  CHECK(bytes == Approx(global + sliding));
}

TEST_CASE("a context is padded, a cache grows") {
  Workload w;
  const TransformerShape& s = catalog_shape("llama-3-8b");
  CHECK(kv_cache_bytes(s, w, {256, WindowPolicy::full, 0}, 1000, 1) == 1024 * 128 * k_kib);
  CHECK(kv_cache_bytes(s, w, {1, WindowPolicy::full, 0}, 1000, 3) == 3000 * 128 * k_kib);
}

TEST_CASE("recurrent state of a sequence") {
  CHECK(recurrent_state_bytes(catalog_shape("qwen3.5-9b")) == Approx(50.25 * k_mib));  // 100.5 MiB printed for two
  CHECK(recurrent_state_bytes(catalog_shape("qwen3.5-27b")) == Approx(149.6 * k_mib).epsilon(0.001));
  CHECK(recurrent_state_bytes(catalog_shape("llama-3-8b")) == 0);
}
