// Physics that every inference estimate obeys, over all language models of the catalog.
#include "estimate/memory/inference_memory.hpp"

#include <gpuadvise/units.hpp>

#include "catch.hpp"
#include "unit/model/catalog_shape.hpp"

#include <array>

using namespace gpuadvise;
using namespace gpuadvise::estimate;

namespace {

constexpr auto k_engines = std::to_array<Engine>({Engine::transformers, Engine::vllm, Engine::sglang, Engine::tensorrt_llm,
                                                  Engine::llama_cpp, Engine::exllama, Engine::mlx, Engine::autoawq});

Workload request(Engine engine, PrecisionKind kind = PrecisionKind::bf16) {
  Workload w;
  w.task = Task::infer;
  w.engine = engine;
  w.precision = {kind, GgufMix::none, 0, 0};
  w.prompt_len = 1024;
  w.gen_len = 256;
  w.seq = 1280;
  return w;
}

MemoryFigures memory(const Workload& w, const TransformerShape& shape, const Gpu* gpu = nullptr) {
  return inference_memory(w, shape, gpu, nullptr);
}

template <class F>
void for_each_shape(F&& check) {
  for (const catalog::ModelEntry& entry : catalog::builtin_models()) {
    if (entry.transformer != nullptr) {
      INFO(entry.id);
      check(*entry.transformer);
    }
  }
}

}  // namespace

TEST_CASE("more sequences or longer ones never need less") {
  for_each_shape([](const TransformerShape& shape) {
    for (const Engine engine : k_engines) {
      Workload w = request(engine);
      const double one = memory(w, shape).allocated.expected;
      w.batch = 4;
      CHECK(memory(w, shape).allocated.expected >= one);
      w.batch = 1;
      w.prompt_len = 4096;
      w.seq = 4352;
      CHECK(memory(w, shape).allocated.expected >= one);
    }
  });
}

TEST_CASE("narrower weights are never larger") {
  for_each_shape([](const TransformerShape& shape) {
    double last = 0;
    for (const PrecisionKind kind : {PrecisionKind::int4_awq, PrecisionKind::int8_weight_only, PrecisionKind::bf16, PrecisionKind::fp32}) {
      const double weights = memory(request(Engine::transformers, kind), shape).components.weights;
      CHECK(weights >= last);
      last = weights;
    }
  });
}

TEST_CASE("components sum to the device figure and intervals are ordered") {
  const Gpu& gpu = test::catalog_gpu("h100-80gb-sxm");
  for_each_shape([&gpu](const TransformerShape& shape) {
    for (const Engine engine : k_engines) {
      for (const Gpu* card : {static_cast<const Gpu*>(nullptr), &gpu}) {
        const MemoryFigures m = memory(request(engine), shape, card);
        CHECK(m.components.sum() == Approx(m.device.expected));
        CHECK(m.all_gpus.components.sum() == Approx(m.all_gpus.device.expected));
        for (const Interval& i : {m.need, m.allocated, m.reserved, m.device}) {
          CHECK(i.low <= i.expected);
          CHECK(i.expected <= i.high);
          CHECK(i.low > 0);
        }
        CHECK(m.need.expected >= m.allocated.expected);
        CHECK(m.device.expected >= m.reserved.expected);
        CHECK(m.steady->expected <= m.allocated.expected * (1 + 1e-9));
      }
    }
  });
}

TEST_CASE("more GPUs never hold more of the weights each, nor less in all") {
  for_each_shape([](const TransformerShape& shape) {
    for (const Engine engine : {Engine::vllm, Engine::llama_cpp, Engine::transformers}) {
      double last = 1e30;
      double last_all = 0;
      for (const double gpus : {1.0, 2.0, 4.0, 8.0}) {
        Workload w = request(engine);
        w.gpus = gpus;
        const MemoryFigures m = memory(w, shape);
        CHECK(m.components.weights <= last * (1 + 1e-9));
        CHECK(m.all_gpus.components.weights >= last_all * (1 - 1e-9));
        last = m.components.weights;
        last_all = m.all_gpus.components.weights;
      }
    }
  });
}

TEST_CASE("every file mix lies between its neighbours") {
  for_each_shape([](const TransformerShape& shape) {
    double last = 0;
    for (const GgufMix mix : {GgufMix::Q4_0, GgufMix::Q5_0, GgufMix::Q8_0, GgufMix::F16, GgufMix::F32}) {
      Workload w = request(Engine::llama_cpp, PrecisionKind::gguf);
      w.precision.mix = mix;
      const double weights = memory(w, shape).components.weights;
      CHECK(weights > last);
      last = weights;
    }
  });
}
