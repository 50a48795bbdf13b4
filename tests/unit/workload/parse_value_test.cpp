#include "workload/parse_value.hpp"

#include "catch.hpp"

#include <cmath>
#include <limits>

namespace gpuadvise::workload {
namespace {

bool same_size(const std::optional<ImageSize>& size, double frames, double height, double width) {
  return size && size->frames == frames && size->height == height && size->width == width;
}

}  // namespace

TEST_CASE("numbers as people write them") {
  CHECK(to_number(12.0) == 12.0);
  CHECK(to_number("12") == 12.0);
  CHECK(to_number("12.0") == 12.0);
  CHECK(to_number("b32") == 32.0);
  CHECK(to_number("7B") == 7e9);
  CHECK(to_number("2k") == 2000.0);
  CHECK(to_number("-3") == -3.0);
  for (const Value& bad : {Value("abc"), Value(""), Value("b"), Value("nan"), Value("inf"), Value(true), Value(Value::List{1.0}),
                           Value(std::nan("")), Value(std::numeric_limits<double>::infinity())}) {
    CHECK_FALSE(to_number(bad));
  }
}

TEST_CASE("booleans") {
  for (const Value& yes : {Value(true), Value("true"), Value("ON"), Value("1"), Value(1.0), Value("yes")}) {
    CHECK(to_boolean(yes) == true);
  }
  for (const Value& no : {Value(false), Value("False"), Value("off"), Value("0"), Value(0.0), Value("no")}) {
    CHECK(to_boolean(no) == false);
  }
  CHECK_FALSE(to_boolean("maybe"));
  CHECK_FALSE(to_boolean(2.0));
  CHECK_FALSE(to_boolean(Value()));
}

TEST_CASE("image sizes") {
  CHECK(same_size(to_image(224.0), 0, 224, 224));
  CHECK(same_size(to_image("224"), 0, 224, 224));
  CHECK(same_size(to_image(Value::List{800.0, 1333.0}), 0, 800, 1333));
  CHECK(same_size(to_image("800x1333"), 0, 800, 1333));
  CHECK(same_size(to_image("800,1333"), 0, 800, 1333));
  CHECK(same_size(to_image("[800, 1333]"), 0, 800, 1333));
  CHECK(same_size(to_image(Value::List{16.0, 224.0, 256.0}), 16, 224, 256));
  CHECK(same_size(to_image("512x768x16f"), 16, 512, 768));
  for (const Value& bad : {Value("0"), Value(-1.0), Value("a"), Value("1x2x3x4"), Value("12f"), Value("1x2x3x4f"), Value(Value::List{}),
                           Value(Value::List{1.0, "x"}), Value(224.5), Value(1e9), Value(true), Value()}) {
    CHECK_FALSE(to_image(bad));
  }
}

TEST_CASE("resolutions are width first") {
  CHECK(same_size(to_resolution("1280x720"), 0, 720, 1280));
  CHECK(same_size(to_resolution("1024x1024x81f"), 81, 1024, 1024));
  CHECK(same_size(to_resolution(512.0), 0, 512, 512));
  CHECK_FALSE(to_resolution("1024x1024x81"));
  CHECK_FALSE(to_resolution("x"));
}

TEST_CASE("cache types, one or two") {
  CHECK(to_kv_precision("q8_0")->v == KvType::q8_0);
  CHECK(to_kv_precision("q8_0/fp16")->k == KvType::q8_0);
  CHECK(to_kv_precision("q8_0/fp16")->v == KvType::fp16);
  CHECK(to_text(*to_kv_precision("Q8_0/F16")) == "q8_0/fp16");
  CHECK_FALSE(to_kv_precision("q8_0/"));
  CHECK_FALSE(to_kv_precision("fp12"));
}

TEST_CASE("offload kinds") {
  CHECK(to_offload("optimizer")->kind == OffloadKind::optimizer);
  CHECK(to_offload("layers:20")->layers_on_gpu == 20.0);
  CHECK(to_text(*to_offload("layers:20")) == "layers:20");
  for (const char* bad : {"layers", "layers:", "layers:x", "layers:-1", "layers:1.5", "params:3", "disk", ""}) {
    CHECK_FALSE(to_offload(bad));
  }
}

TEST_CASE("frozen parts") {
  const auto frozen = to_frozen(Value::List{"bn-eval-mode", "frozen-stages"});
  REQUIRE(frozen);
  CHECK(frozen->batchnorm_eval);
  CHECK(frozen->stages);
  CHECK_FALSE(frozen->batchnorm);
  CHECK(to_text(*to_frozen("frozen-bn,backbone")) == "frozen-bn,backbone");
  CHECK(to_text(*to_frozen(Value::List{})).empty());
  CHECK_FALSE(to_frozen("everything"));
  CHECK_FALSE(to_frozen(Value::List{1.0}));
}

TEST_CASE("adapter targets by any family's module names") {
  const auto text = [](std::string_view names) {
    const ParsedTargets parsed = parse_lora_targets(names);
    return parsed.unknown.empty() ? to_text(parsed.targets) : "unknown " + std::string(parsed.unknown);
  };
  CHECK(text("q,v") == "q,v");
  CHECK(text("q_proj,v_proj") == "q,v");
  CHECK(text("c_attn") == "q,k,v");
  CHECK(text("query_key_value") == "q,k,v");
  CHECK(text("W_pack") == "q,k,v");
  CHECK(text("all-linear,lm_head") == "all-linear,lm_head");
  CHECK(text("attention") == "attention");
  CHECK(text("to_q,to_k,to_v,to_out") == "attention");
  CHECK(text("to_out.0") == "o");
  CHECK(text("down_proj,gate_proj,up_proj") == "gate,up,down");
  CHECK(text("['self_attn.q_proj', 'self_attn.k_proj']") == "q,k");
  CHECK(text("dense_h_to_4h") == "gate,up");
  CHECK(text("q,bogus") == "unknown bogus");
}

}  // namespace gpuadvise::workload
