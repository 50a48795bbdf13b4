#include "workload/describe.hpp"

#include "catch.hpp"
#include "unit/workload/sample_models.hpp"

namespace gpuadvise::workload {

TEST_CASE("a request reads back as it was given") {
  const Request request = resolved({{"model", "llama"},
                                    {"method", "qlora"},
                                    {"lora_targets", "c_attn"},
                                    {"batch", 4.0},
                                    {"kv_precision", "fp16"},
                                    {"offload", "optimizer"},
                                    {"compile", true}});
  CHECK(value_text(request, WorkloadKey::model) == "llama");
  CHECK(value_text(request, WorkloadKey::lora_targets) == "q,k,v");
  CHECK(value_text(request, WorkloadKey::weights) == "nf4");
  CHECK(value_text(request, WorkloadKey::batch) == "4");
  CHECK(value_text(request, WorkloadKey::offload) == "optimizer");
  CHECK(*value_of(request, WorkloadKey::compile).boolean());
  CHECK(value_of(request, WorkloadKey::epochs).is_null());
  CHECK(summary(request) == "llama, finetune*, qlora, amp-bf16*, batch 4, seq 2048*, adamw* (* assumed)");
}

namespace {

std::string without_marks(std::string line) {
  const auto legend = line.find(" (* assumed)");
  line.erase(legend == std::string::npos ? line.size() : legend);
  std::erase(line, '*');
  return line;
}

}  // namespace

TEST_CASE("described keys resolve to the same request") {
  for (const char* model : {"resnet50", "vit", "llama", "bert", "sdxl", "whisper"}) {
    const Request first = resolved({{"model", model}});
    std::vector<Setting> settings;
    for (const Described& item : describe(first)) {
      INFO(item.name);
      CHECK(item.origin != Origin::unset);
      settings.push_back({std::string(item.name), item.value, Origin::file});
    }
    const Request second = resolve(settings, SampleModels(), {});
    CHECK(summary(second).find('*') == std::string::npos);  // now everything was told
    CHECK(summary(second) == without_marks(summary(first)));
    CHECK(describe(second).size() == describe(first).size());
  }
}

TEST_CASE("sizes are shown as they are given") {
  CHECK(summary(resolved({{"model", "resnet50"}, {"batch", 32.0}})) ==
        "resnet50, train*, fp32*, batch 32, 224x224*, sgd-momentum* (* assumed)");
  CHECK(summary(resolved({{"params", "13B"}, {"precision", "bf16"}, {"engine", "vllm"}, {"gpus", 2.0}})) ==
        "13.0B parameters, infer*, bf16, batch 1*, seq 8192*, vllm, 2 GPUs, tp* (* assumed)");
  const Request open = resolved({{"params", "13B"}, {"precision", "bf16"}, {"engine", "vllm"}, {"gpus", 2.0}});
  CHECK_THAT(summary(open, "divided as said below"), ContainsSubstring("2 GPUs, divided as said below"));
  CHECK(summary(open, "divided as said below").find("tp") == std::string::npos);
  const Request frames = resolved({{"model", "resnet50"}, {"image", Value::List{8.0, 224.0, 256.0}}});
  CHECK(value_text(frames, WorkloadKey::image) == "[8, 224, 256]");
  CHECK(value_text(resolved({{"model", "sdxl"}}), WorkloadKey::resolution) == "1024x1024");
}

TEST_CASE("origins have the contract's words") {
  CHECK(to_string(Origin::user) == "user");
  CHECK(to_string(Origin::fallback) == "default");
  CHECK(to_string(Origin::preset) == "preset");
}

}  // namespace gpuadvise::workload
