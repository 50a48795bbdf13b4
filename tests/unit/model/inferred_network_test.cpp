#include "model/inferred_network.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"

namespace gpuadvise::model {

TEST_CASE("an image network of ResNet-50's size is like it within the law's spread") {
  const ImageProfile profile = infer_image_profile(25557032);
  CHECK(profile.source == ProfileSource::estimated);
  CHECK(*profile.gmacs > 4.1 / 1.5);
  CHECK(*profile.gmacs < 4.1 * 1.5);
  CHECK(profile.saved_bytes > 88e6 / 1.6);
  CHECK(profile.saved_bytes < 88e6 * 2.0);
  CHECK(infer_image_profile(50e6).saved_bytes > profile.saved_bytes);
}

TEST_CASE("a diffusion transformer holds about the parameters it was asked for") {
  for (const double params : {0.6e9, 2e9, 12e9}) {
    const DiffusionPipeline pipeline = infer_pipeline(params);
    CHECK(20 * pipeline.blocks * pipeline.hidden * pipeline.hidden == Approx(params).epsilon(0.1));
  }
  CHECK(infer_pipeline(12e9).hidden > infer_pipeline(2e9).hidden);
}

TEST_CASE("a mixture of experts holds all and uses some") {
  for (const double params : {30e9, 120e9}) {
    const TransformerShape shape = infer_mixture(params, 3e9, Field::language);
    CHECK(shape.params == Approx(params).epsilon(0.05));
    CHECK(shape.active_params == 3e9);
    CHECK(shape.moe.experts > shape.moe.active);
  }
  CHECK(infer_model(30e9, 3e9, Field::language)->transformer()->moe.experts > 0);
  CHECK(infer_model(30e9, {}, Field::language)->transformer()->moe.experts == 0);
}

TEST_CASE("each field gets its own kind of network, or none") {
  CHECK(infer_model(25e6, {}, Field::vision)->image() != nullptr);
  CHECK(infer_model(7e9, {}, Field::language)->transformer() != nullptr);
  CHECK(infer_model(2e9, {}, Field::diffusion)->diffusion() != nullptr);
  CHECK_FALSE(infer_model(40e6, {}, Field::detection));
  CHECK_THROWS_AS(infer_model(1.0, {}, Field::vision), Error);
  CHECK_THROWS_AS(infer_model(1e13, {}, Field::diffusion), Error);
}

}  // namespace gpuadvise::model
