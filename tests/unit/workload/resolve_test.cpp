#include "workload/resolve.hpp"

#include "catch.hpp"
#include "unit/workload/sample_models.hpp"
#include "workload/keys.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

bool has_finding(const Request& request, std::string_view rule) {
  return std::any_of(request.findings.begin(), request.findings.end(), [&](const Finding& finding) { return finding.rule == rule; });
}

}  // namespace

TEST_CASE("a value keeps its meaning and where it came from") {
  const Request request = resolved({{"model", "resnet50"}, {"batch", "b32"}, {"precision", "half"}, {"image", 288.0}});
  CHECK(request.workload.batch == 32);
  CHECK(request.workload.precision.kind == PrecisionKind::fp16);
  CHECK(request.workload.image.height == 288);
  CHECK(request.workload.image.frames == 1);
  CHECK(request.origins[K::batch] == Origin::user);
  CHECK(request.origins[K::optimizer] == Origin::fallback);
  CHECK(request.workload.given.batch);
  CHECK_FALSE(request.workload.given.seq);
}

TEST_CASE("the command line wins over a file, the later over the earlier, null is not given") {
  const std::vector<Setting> settings{{"model", "resnet50", Origin::file}, {"batch", 8.0, Origin::user},
                                      {"batch", 16.0, Origin::file},       {"accumulate", 2.0, Origin::file},
                                      {"accumulate", 4.0, Origin::file},   {"classes", Value(), Origin::user}};
  const Request request = resolve(settings, SampleModels(), {});
  CHECK(request.workload.batch == 8);
  CHECK(request.workload.accumulate == 4);
  CHECK(request.origins[K::classes] == Origin::unset);
}

TEST_CASE("every fault is reported at once") {
  const Faults faults = faults_of({{"model", "resnet5O"}, {"batch", 0.0}, {"bacth", 2.0}, {"precision", "fp12"}, {"compile", "maybe"}});
  REQUIRE(faults.size() == 5);
  CHECK(faults[0].message == "batch must be a whole number from 1 to 1000000000, not '0'");
  CHECK(faults[1].code == ErrorCode::unknown_key);
  CHECK(faults[1].message == "unknown key 'bacth'");
  CHECK(faults[1].hint == "did you mean 'batch'?");
  CHECK(faults[2].key == "precision");
  CHECK(faults[3].key == "compile");
  CHECK(faults[4].message == "unknown model 'resnet5O'");
  CHECK(faults[4].hint == "did you mean 'resnet50'?");
}

TEST_CASE("unknown words name what is near, or all there is") {
  CHECK(faults_of({{"model", "llama"}, {"engine", "vlm"}})[0].hint == "did you mean 'vllm'?");
  CHECK(faults_of({{"model", "llama"}, {"loss", "zzz"}})[0].hint == "one of standard, fused");
  CHECK(faults_of({{"model", "llama"}, {"engine", 5.0}})[0].message == "engine: '5' is not understood");
}

TEST_CASE("one fault reads as one error") {
  try {
    static_cast<void>(resolved({{"model", "resnet50"}, {"batch", "-3"}}));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_value);
    CHECK(error.message() == "batch must be a whole number from 1 to 1000000000, not '-3'");
  }
}

TEST_CASE("numbers out of range are refused") {
  for (const Value& bad : {Value(0.0), Value(-3.0), Value(1e99), Value(1.5), Value(std::numeric_limits<double>::quiet_NaN()), Value("abc"),
                           Value("1e99"), Value(Value::List{}), Value(true)}) {
    const Faults faults = faults_of({{"model", "resnet50"}, {"batch", bad}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].key == "batch");
  }
  CHECK(faults_of({{"model", "llama"}, {"gpu_memory_utilization", 1.5}}).size() == 1);
  CHECK(resolved({{"model", "llama"}, {"gpu_memory_gib", "24G"}}).workload.gpu_memory_gib == 24.0);
}

TEST_CASE("without a model there is no request") {
  REQUIRE(faults_of({{"batch", 1.0}}).size() == 1);
  CHECK(faults_of({{"batch", 1.0}})[0].hint == "one of model, model_file, params");
  CHECK(faults_of({{"model_file", "missing.json"}})[0].code == ErrorCode::unreadable);
  CHECK(faults_of({{"model", "llama"}, {"model_file", "x.gguf"}})[0].code == ErrorCode::conflict);
}

TEST_CASE("a size stands for a model that is not known, and this is said") {
  const Request bare = resolved({{"params", "13B"}, {"task", "infer"}, {"precision", "int4-awq"}});
  CHECK(bare.model.params() == 13e9);
  CHECK(bare.workload.field == Field::language);
  CHECK(has_finding(bare, "model-inferred"));
  const Request beside = resolved({{"model", "unheard-of"}, {"params", 3e9}});
  CHECK(beside.model.params() == 3e9);
  CHECK(has_finding(beside, "model-inferred"));
  const Request known = resolved({{"model", "llama"}, {"params", 3e9}});
  CHECK(known.model.params() == 7e9);
  CHECK_FALSE(has_finding(known, "model-inferred"));
  const auto active = [](const char* name) { return resolved({{"model", name}, {"params", 35e9}}).model.transformer()->active_params; };
  CHECK(active("unheard-of-35B-A3B-Q4_K_M") == 3e9);
  CHECK(active("unheard-of-4BA0.6B") == 0.6e9);
  CHECK(active("Agents-A1-35B") == 35e9);
  CHECK(resolved({{"model", "some-bert-thing"}, {"params", 110e6}}).workload.field == Field::encoder);
  CHECK(faults_of({{"params", "25M"}, {"image", 224.0}})[0].code == ErrorCode::unsupported);
}

TEST_CASE("a quantisation in the name sets the precision if none is given") {
  const Request request = resolved({{"model", "llama-awq"}});
  CHECK(request.workload.precision.kind == PrecisionKind::int4_awq);
  CHECK(request.origins[K::precision] == Origin::inferred);
  CHECK(has_finding(request, "model-taken-for"));
  CHECK(resolved({{"model", "llama-awq"}, {"precision", "bf16"}}).workload.precision.kind == PrecisionKind::bf16);
}

TEST_CASE("recommender tables need no model") {
  const Request request = resolved({{"embedding_rows", "100M"}, {"embedding_dim", 64.0}});
  REQUIRE(request.model.recommender() != nullptr);
  CHECK(request.model.params() == 6.4e9);
  CHECK(request.workload.task == Task::train);
  CHECK(faults_of({{"model", "llama"}, {"embedding_rows", 5.0}})[0].code == ErrorCode::conflict);
}

TEST_CASE("presets fill what nobody said") {
  const Request preset = resolved({{"model", "llama"}, {"stack", "unsloth"}, {"task", "finetune"}, {"grad_checkpointing", "full"}});
  CHECK(preset.workload.loss == LossKind::fused);
  CHECK(preset.origins[K::loss] == Origin::preset);
  CHECK(preset.workload.offload.kind == OffloadKind::activations);
  const Request said = resolved({{"model", "llama"}, {"stack", "unsloth"}, {"task", "finetune"}, {"loss", "standard"}});
  CHECK(said.workload.loss == LossKind::standard);
  // Without checkpoints there is nothing to offload.
  CHECK(said.workload.offload.kind == OffloadKind::none);
  const Request one = resolved({{"model", "llama"}, {"stack", "litgpt"}, {"task", "finetune"}});
  CHECK(one.workload.strategy == Strategy::none);
  CHECK(resolved({{"model", "llama"}, {"stack", "litgpt"}, {"task", "finetune"}, {"gpus", 4.0}}).workload.strategy == Strategy::fsdp);
  CHECK_FALSE(resolved({{"model", "mask-rcnn"}, {"stack", "openmmlab"}}).workload.cudnn_benchmark);
}

TEST_CASE("what is not modelled is taken for the nearest thing, and this is said") {
  const Request request = resolved({{"model", "bert"}, {"batch", 8.0}, {"optimizer", "LAMB"}, {"engine", "caffe2 0.8.1"}});
  CHECK(request.workload.optimizer == Optimizer::adamw);
  CHECK(request.workload.engine == Engine::other);
  REQUIRE(request.findings.size() == 2);
  CHECK(request.findings[0].message == "optimizer 'LAMB' is not modelled: figures are those of adamw");
  CHECK(request.findings[1].message == "engine 'caffe2 0.8.1' is not modelled: figures are those of plain PyTorch");
}

TEST_CASE("no value of any kind breaks resolve") {
  std::mt19937 random(7);
  const std::vector<Value> odd{Value(),
                               Value(true),
                               Value(0.0),
                               Value(-1.0),
                               Value(1e300),
                               Value(0.5),
                               Value(""),
                               Value("x"),
                               Value("1x"),
                               Value("layers:"),
                               Value(",,,"),
                               Value("a/b"),
                               Value("["),
                               Value("gguf:"),
                               Value("mlx:g"),
                               Value("4"),
                               Value("on"),
                               Value("1e"),
                               Value("q8_0/q"),
                               Value(Value::List{}),
                               Value(Value::List{1.0, Value::List{}, "x"}),
                               Value(std::string(100000, '/')),
                               Value(std::string(3, '\0'))};
  const std::vector<const char*> models{"resnet50", "llama", "bert", "sdxl", "whisper", "nothing"};
  for (int round = 0; round < 5000; ++round) {
    std::vector<Setting> settings{{"model", models[random() % models.size()], Origin::user}};
    for (int i = 0; i < 4; ++i) {
      settings.push_back({std::string(keys()[random() % k_workload_keys].name), odd[random() % odd.size()], Origin::user});
    }
    try {
      static_cast<void>(resolve(settings, SampleModels(), k_sample_presets));
    } catch (const Error&) {
    }
  }
  SUCCEED();
}

}  // namespace gpuadvise::workload
