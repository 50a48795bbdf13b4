// Physics of diffusion pipelines and image networks that only run, over the whole catalog.
#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "estimate/memory/inference_memory.hpp"
#include "unit/model/catalog_shape.hpp"

#include <array>

using namespace gpuadvise;
using namespace gpuadvise::estimate;

namespace {

constexpr auto k_formats =
    std::to_array<PrecisionKind>({PrecisionKind::fp32, PrecisionKind::fp16, PrecisionKind::bf16, PrecisionKind::fp8_weight_only,
                                  PrecisionKind::int8_dynamic, PrecisionKind::int4_weight_only, PrecisionKind::nf4});
constexpr auto k_offloads = std::to_array<OffloadKind>({OffloadKind::none, OffloadKind::model, OffloadKind::sequential});

Workload request(PrecisionKind kind) {
  Workload w;
  w.task = Task::infer;
  w.engine = Engine::diffusers;
  w.precision = {kind, GgufMix::none, 0, 0};
  return w;
}

void check_parts(const MemoryFigures& m) {
  CHECK(m.components.sum() == Approx(m.device.expected));
  for (const double part : {m.components.weights, m.components.activations, m.components.workspace, m.components.fragmentation}) {
    CHECK(part >= -1.0);
  }
  CHECK(m.need.expected > m.allocated.expected);
  CHECK(m.allocated.low > 0);
}

template <class F>
void for_each_pipeline(F&& check) {
  for (const catalog::ModelEntry& entry : catalog::builtin_models()) {
    if (entry.diffusion != nullptr) {
      INFO(entry.id);
      check(*entry.diffusion);
    }
  }
}

template <class F>
void for_each_network(F&& check) {
  for (const catalog::ModelEntry& entry : catalog::builtin_models()) {
    if (entry.image != nullptr) {
      INFO(entry.id);
      check(*entry.image);
    }
  }
}

}  // namespace

TEST_CASE("parts of a pipeline sum, whatever the format and the offload mode") {
  for_each_pipeline([](const DiffusionPipeline& pipeline) {
    for (const PrecisionKind kind : k_formats) {
      for (const OffloadKind offload : k_offloads) {
        Workload w = request(kind);
        w.offload.kind = offload;
        check_parts(diffusion_inference_memory(w, pipeline, nullptr));
      }
    }
  });
}

TEST_CASE("more images, more pixels or more resident parts never need less") {
  for_each_pipeline([](const DiffusionPipeline& pipeline) {
    Workload w = request(PrecisionKind::bf16);
    const double one = diffusion_inference_memory(w, pipeline, nullptr).allocated.expected;
    w.batch = 4;
    CHECK(diffusion_inference_memory(w, pipeline, nullptr).allocated.expected >= one);
    w.batch = 1;
    w.image = {pipeline.frames, 2 * pipeline.height_px, 2 * pipeline.width_px};
    CHECK(diffusion_inference_memory(w, pipeline, nullptr).allocated.expected >= one);
    w.image = {};
    w.offload.kind = OffloadKind::model;
    const double model = diffusion_inference_memory(w, pipeline, nullptr).allocated.expected;
    w.offload.kind = OffloadKind::sequential;
    CHECK(model <= one);
    CHECK(diffusion_inference_memory(w, pipeline, nullptr).allocated.expected <= model);
  });
}

TEST_CASE("narrower weights of a denoiser are never larger") {
  for_each_pipeline([](const DiffusionPipeline& pipeline) {
    double last = 0;
    for (const PrecisionKind kind :
         {PrecisionKind::int4_weight_only, PrecisionKind::int8_weight_only, PrecisionKind::bf16, PrecisionKind::fp32}) {
      const double weights = diffusion_inference_memory(request(kind), pipeline, nullptr).components.weights;
      CHECK(weights >= last);
      last = weights;
    }
  });
}

TEST_CASE("image networks: parts sum, batches and sizes grow, half the width is no larger") {
  for_each_network([](const ImageProfile& profile) {
    Workload w = request(PrecisionKind::fp32);
    const MemoryFigures one = image_inference_memory(w, profile, nullptr);
    check_parts(one);
    CHECK(one.steady->expected <= one.allocated.expected);
    w.batch = 16;
    const double sixteen = image_inference_memory(w, profile, nullptr).allocated.expected;
    CHECK(sixteen > one.allocated.expected);
    w.precision.kind = PrecisionKind::fp16;
    CHECK(image_inference_memory(w, profile, nullptr).allocated.expected < sixteen);
  });
}
