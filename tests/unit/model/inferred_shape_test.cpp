#include "model/inferred_shape.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "model/inventory.hpp"

using gpuadvise::Field;
using gpuadvise::TransformerKind;
using gpuadvise::TransformerShape;
using gpuadvise::model::count_params;
using gpuadvise::model::infer_shape;

TEST_CASE("an inferred shape holds the parameters asked for") {
  for (const Field field : {Field::language, Field::vision_language, Field::encoder, Field::speech}) {
    for (double params = 1e6; params < 2e12; params *= 1.37) {
      const TransformerShape shape = infer_shape(params, field);
      CAPTURE(params, static_cast<int>(field), shape.layers, shape.hidden, shape.ffn);
      CHECK(count_params(shape) == Approx(params).epsilon(0.01));
      CHECK(shape.params == Approx(count_params(shape)));
      CHECK(shape.ffn >= 8);
      CHECK(shape.layers >= 1);
      CHECK(static_cast<int>(shape.heads) % static_cast<int>(shape.kv_heads) == 0);
    }
  }
}

TEST_CASE("common sizes look like the published models") {
  const TransformerShape seven = infer_shape(7e9, Field::language);
  CHECK(seven.layers == Approx(32).margin(1));
  CHECK(seven.hidden == 4096);
  CHECK(seven.kv_heads == 8);
  CHECK(seven.ffn == Approx(14336).epsilon(0.1));
  const TransformerShape seventy = infer_shape(70e9, Field::language);
  CHECK(seventy.layers == Approx(80).margin(2));
  CHECK(seventy.hidden == 8192);
  const TransformerShape bert = infer_shape(110e6, Field::encoder);
  CHECK(bert.kind == TransformerKind::encoder);
  CHECK(bert.layers == 12);
  CHECK(bert.hidden == 768);
  CHECK(bert.ffn == Approx(3072).epsilon(0.05));
}

TEST_CASE("a larger count never gives fewer parameters") {
  double last = 0;
  for (double params = 1e8; params < 1e12; params *= 1.11) {
    const double counted = infer_shape(params, Field::language).params;
    CHECK(counted > last);
    last = counted;
  }
}

TEST_CASE("no shape is made up for other fields or absurd counts") {
  CHECK_THROWS_AS(infer_shape(25e6, Field::vision), gpuadvise::Error);
  CHECK_THROWS_AS(infer_shape(0, Field::language), gpuadvise::Error);
  CHECK_THROWS_AS(infer_shape(1e15, Field::language), gpuadvise::Error);
}
