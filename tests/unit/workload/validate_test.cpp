#include "catch.hpp"
#include "unit/workload/sample_models.hpp"

#include <algorithm>

namespace gpuadvise::workload {
namespace {

// The message of the only fault, or how many there are.
std::string fault_of(Pairs pairs) {
  const Faults faults = faults_of(pairs);
  return faults.size() == 1 && faults[0].code == ErrorCode::conflict ? faults[0].message : std::to_string(faults.size()) + " faults";
}

}  // namespace

TEST_CASE("what cannot be names both settings") {
  CHECK(fault_of({{"model", "llama"}, {"method", "qlora"}, {"task", "infer"}}) == "method qlora and task infer exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"optimizer", "adamw"}, {"task", "infer"}}) == "optimizer adamw and task infer exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"precision", "fp8"}, {"engine", "llama.cpp"}}) ==
        "precision fp8 and engine llama.cpp exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"precision", "gguf:Q4_K_M"}, {"engine", "transformers"}}) ==
        "precision gguf:Q4_K_M and engine transformers exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"engine", "vllm"}, {"method", "lora"}}) == "engine vllm and task finetune exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"precision", "int4-awq"}, {"task", "finetune"}}) ==
        "precision int4-awq and task finetune exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"method", "full"}, {"lora_rank", 8.0}}) == "lora_rank 8 and method full exclude each other");
  CHECK(fault_of({{"model", "llama"}, {"method", "full"}, {"weights", "nf4"}}) == "weights nf4 and method full exclude each other");
  CHECK(fault_of({{"model", "sdxl"}, {"image", 512.0}, {"resolution", "1024x1024"}}) == "image and resolution differ");
  CHECK(fault_of({{"model", "llama"}, {"seq", 100.0}, {"prompt_len", 90.0}, {"gen_len", 20.0}}) ==
        "seq 100 is less than prompt_len 90 + gen_len 20");
  CHECK(fault_of({{"model", "llama"}, {"gpus", 4.0}, {"tp", 3.0}}) == "gpus 4 in all cannot be split into groups of tp 3 x pp 1 x cp 1");
  CHECK(fault_of({{"model", "resnet50"}, {"offload", "sequential"}}) == "offload sequential is for diffusion pipelines only");
  // What bitsandbytes stores cannot be moved module by module; what other libraries store can, and whole models can.
  for (const char* format : {"int8", "nf4"}) {
    CHECK(fault_of({{"model", "sdxl"}, {"task", "infer"}, {"precision", format}, {"offload", "sequential"}}) ==
          "precision " + std::string(format) + " and offload sequential exclude each other");
    CHECK(faults_of({{"model", "sdxl"}, {"task", "infer"}, {"precision", format}, {"offload", "model"}}).empty());
  }
  CHECK(faults_of({{"model", "sdxl"}, {"task", "infer"}, {"precision", "fp8"}, {"offload", "sequential"}}).empty());
}

TEST_CASE("several conflicts are reported together") {
  const Faults faults = faults_of({{"model", "llama"},
                                   {"task", "infer"},
                                   {"method", "qlora"},
                                   {"grad_checkpointing", "full"},
                                   {"precision", "mlx:4g64"},
                                   {"engine", "vllm"}});
  CHECK(faults.size() == 3);
}

TEST_CASE("what agrees is allowed") {
  CHECK(faults_of({{"model", "sdxl"}, {"image", 1024.0}, {"resolution", "1024x1024"}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"seq", 200.0}, {"prompt_len", 90.0}, {"gen_len", 20.0}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"gpus", 8.0}, {"tp", 4.0}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"task", "train"}, {"precision", "fp8"}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"task", "infer"}, {"grad_checkpointing", "none"}, {"optimizer", "none"}}).empty());
}

TEST_CASE("a speed of another batch than the memory's is said") {
  REQUIRE(resolved({{"model", "resnet50"}}).findings.size() == 1);
  CHECK(resolved({{"model", "resnet50"}}).findings[0].rule == "batch-open");
  CHECK(resolved({{"model", "resnet50"}, {"batch", 1.0}}).findings.empty());
  CHECK(resolved({{"model", "llama"}}).findings.empty());
}

TEST_CASE("settings without effect are said, not refused") {
  const Request request = resolved({{"model", "llama"}, {"accumulate", 4.0}, {"seq", 10000.0}});
  REQUIRE(request.findings.size() == 2);
  CHECK(request.findings[0].rule == "beyond-context");
  CHECK(request.findings[1].message == "accumulate has no effect in inference");
}

TEST_CASE("links between cards that are not there are refused") {
  CHECK(fault_of({{"model", "llama"}, {"nvlink_bridge", true}}) == "nvlink_bridge has no effect with one GPU in a machine");
  CHECK(fault_of({{"model", "llama"}, {"nvlink_bridge", true}, {"nodes", 2.0}}) == "nvlink_bridge has no effect with one GPU in a machine");
  CHECK(fault_of({{"model", "llama"}, {"network_gbit_s", 10.0}, {"gpus", 8.0}}) == "network_gbit_s has no effect with one node");
  CHECK(faults_of({{"model", "llama"}, {"nvlink_bridge", true}, {"gpus", 2.0}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"nvlink_bridge", false}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"network_gbit_s", 10.0}, {"nodes", 2.0}}).empty());
  CHECK(faults_of({{"model", "llama"}, {"network_gbit_s", 10.0}, {"gpus", 64.0}}).empty());  // more than one machine holds
  const Request request = resolved({{"model", "llama"}, {"network_gbit_s", 10.0}, {"nodes", 2.0}, {"nvlink_bridge", true}, {"gpus", 4.0}});
  CHECK(request.workload.network_gbit_s == 10.0);
  CHECK(request.workload.nvlink_bridge);
}

TEST_CASE("a network between nodes that is not given is said to be assumed") {
  const auto assumed = [](const Request& request) {
    return std::any_of(request.findings.begin(), request.findings.end(), [](const Finding& f) { return f.rule == "network-assumed"; });
  };
  CHECK(assumed(resolved({{"model", "llama"}, {"nodes", 2.0}})));
  CHECK_FALSE(assumed(resolved({{"model", "llama"}, {"nodes", 2.0}, {"network_gbit_s", 25.0}})));
  CHECK_FALSE(assumed(resolved({{"model", "llama"}, {"gpus", 2.0}})));
}

}  // namespace gpuadvise::workload
