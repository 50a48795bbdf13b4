// A small catalog for tests of the advisor, with the shipped rules and objectives.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/error.hpp>

#include "rules/engine.hpp"
#include "rules/objectives.hpp"
#include "unit/rules/bench.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise::test {

// Cards that differ in what is asked of them; the rest is an ordinary desktop card.
inline Gpu card(std::string_view id, double memory_gib, double speed = 1.0) {
  Gpu gpu = rules::test::Bench{}.gpu;
  gpu.id = id;
  gpu.name = id;
  gpu.segment = Segment::workstation;  // drives no display, so that all of its memory counts
  gpu.memory_gib = memory_gib;
  gpu.memory_bandwidth_gb_s = 360.0 * speed;
  gpu.sm_count = 28.0 * speed;
  gpu.shaders = 3584.0 * speed;
  gpu.boost_clock_mhz = 1777.0;
  gpu.l2_cache_mib = 3.0;
  gpu.tflops = {};
  gpu.tflops.fp32 = 12.7 * speed;
  gpu.tflops.fp16_vector = 12.7 * speed;
  gpu.tflops.fp16_tensor = 25.5 * speed;
  gpu.tflops.bf16_tensor = 25.5 * speed;
  gpu.tflops.tf32_tensor = 12.7 * speed;
  return gpu;
}

class FakeCatalog {
 public:
  FakeCatalog() : compiled_(rules::compile_rules(rules::test::shipped_files())), table_(compiled_.table()), rules_(table_) {
    std::ifstream stream(std::string(GPUADVISE_SOURCE_DIR) + "/data/rules/objectives.json");
    objectives_ = rules::compile_objectives(std::string(std::istreambuf_iterator<char>(stream), {}), "objectives.json");
    objectives_.table.reference_gpu = "reference";
    gpus_.reserve(32);
    add(card("reference", 12.0), std::nullopt);
    gpus_.back().availability = Availability::announced;  // measured against, never offered
  }
  FakeCatalog(const FakeCatalog&) = delete;
  FakeCatalog& operator=(const FakeCatalog&) = delete;

  Gpu& add(Gpu gpu, std::optional<double> usd) {
    gpus_.push_back(gpu);
    if (usd) {
      prices_[gpu.id] = Price{gpu.id, *usd, PriceKind::new_retail, "2026-06", "shop"};
    }
    return gpus_.back();
  }

  [[nodiscard]] CatalogView view() const {
    CatalogView view;
    view.gpus = gpus_;
    view.price = [this](const Gpu& gpu, Condition) {
      const auto found = prices_.find(gpu.id);
      return found == prices_.end() ? std::nullopt : std::optional<Price>(found->second);
    };
    view.find = [this](std::string_view name) {
      for (const Gpu& gpu : gpus_) {
        if (gpu.id == name) {
          return std::vector<const Gpu*>{&gpu};
        }
      }
      throw Error(ErrorCode::unknown_gpu, "unknown GPU '" + std::string(name) + "'");
    };
    view.rules = &rules_;
    view.objectives = &objectives_.table;
    return view;
  }

 private:
  rules::CompiledRules compiled_;
  rules::RuleTable table_;
  rules::RuleSet rules_;
  rules::CompiledObjectives objectives_;
  std::vector<Gpu> gpus_;
  std::map<std::string_view, Price> prices_;
};

// A decoder of seven billion parameters.
inline Request language_request(Task task) {
  Request request;
  TransformerShape shape;
  shape.params = 6.74e9;
  shape.active_params = 6.74e9;
  shape.layers = 32.0;
  shape.hidden = 4096.0;
  shape.heads = 32.0;
  shape.kv_heads = 32.0;
  shape.head_dim = 128.0;
  shape.ffn = 11008.0;
  shape.vocab = 32000.0;
  shape.attention_layers = 32.0;
  shape.max_context = 4096.0;
  request.model.id = "seven";
  request.model.field = Field::language;
  request.model.shape = shape;
  Workload& w = request.workload;
  w.field = Field::language;
  w.head = Head::lm;
  w.task = task;
  w.seq = 512.0;
  w.precision.kind = task == Task::infer ? PrecisionKind::bf16 : PrecisionKind::amp_bf16;
  if (task == Task::infer) {
    w.optimizer = Optimizer::none;
    w.engine = Engine::transformers;
    w.prompt_len = 256.0;
    w.gen_len = 256.0;
    w.kv_precision = {KvType::bf16, KvType::bf16};
  }
  return request;
}

}  // namespace gpuadvise::advise::test
