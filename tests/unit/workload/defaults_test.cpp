#include "catch.hpp"
#include "unit/workload/sample_models.hpp"

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

Workload workload_of(Pairs pairs) {
  return resolved(pairs).workload;
}

}  // namespace

TEST_CASE("the task follows the field, and training flags") {
  CHECK(workload_of({{"model", "resnet50"}}).task == Task::train);
  CHECK(workload_of({{"model", "bert"}}).task == Task::train);
  CHECK(workload_of({{"model", "bert"}, {"lora_rank", 8.0}}).task == Task::finetune);
  CHECK(workload_of({{"model", "llama"}}).task == Task::infer);
  CHECK(workload_of({{"model", "sdxl"}}).task == Task::infer);
  CHECK(workload_of({{"model", "llama"}, {"method", "qlora"}}).task == Task::finetune);
  CHECK(workload_of({{"model", "llama"}, {"optimizer", "adamw"}}).task == Task::finetune);
  CHECK(workload_of({{"model", "llama"}, {"epochs", 3.0}}).task == Task::finetune);
  CHECK(workload_of({{"model", "llama"}, {"batch", 3.0}}).task == Task::infer);
  CHECK(workload_of({{"model", "bert"}, {"engine", "tensorrt"}}).task == Task::infer);
}

TEST_CASE("precision follows field, task, method and engine") {
  const auto kind = [](Pairs pairs) { return workload_of(pairs).precision.kind; };
  CHECK(kind({{"model", "resnet50"}}) == PrecisionKind::fp32);
  CHECK(kind({{"model", "bert"}}) == PrecisionKind::fp32);
  CHECK(kind({{"model", "llama"}, {"method", "full"}}) == PrecisionKind::amp_bf16);
  CHECK(kind({{"model", "llama"}, {"method", "lora"}}) == PrecisionKind::bf16);
  CHECK(kind({{"model", "llama"}, {"method", "qlora"}}) == PrecisionKind::amp_bf16);
  CHECK(kind({{"model", "llama"}}) == PrecisionKind::bf16);
  CHECK(kind({{"model", "gpt-oss-20b"}}) == PrecisionKind::mxfp4);
  CHECK(kind({{"model", "sdxl"}}) == PrecisionKind::fp16);
  CHECK(kind({{"model", "sdxl"}, {"method", "lora"}}) == PrecisionKind::bf16);
  CHECK(workload_of({{"model", "llama"}, {"engine", "llama.cpp"}}).precision.mix == GgufMix::Q4_K_M);
  CHECK(workload_of({{"model", "gpt-oss-20b"}, {"engine", "llama.cpp"}}).precision.mix == GgufMix::MXFP4_MOE);
  CHECK(workload_of({{"model", "llama"}, {"engine", "llama.cpp"}, {"precision", "int8"}}).precision.mix == GgufMix::Q8_0);
}

TEST_CASE("the engine follows the format") {
  CHECK(workload_of({{"model", "llama"}}).engine == Engine::transformers);
  CHECK(workload_of({{"model", "llama"}, {"precision", "gguf:Q8_0"}}).engine == Engine::llama_cpp);
  CHECK(workload_of({{"model", "llama"}, {"precision", "exl2:4.0"}}).engine == Engine::exllama);
  CHECK(workload_of({{"model", "llama"}, {"precision", "mlx:4g64"}}).engine == Engine::mlx);
  CHECK(workload_of({{"model", "whisper"}, {"precision", "gguf:Q5_0"}}).engine == Engine::whisper_cpp);
  CHECK(workload_of({{"model", "sdxl"}}).engine == Engine::diffusers);
  CHECK(workload_of({{"model", "resnet50"}, {"task", "infer"}}).engine == Engine::pytorch);
  CHECK(workload_of({{"model", "llama"}, {"concurrency", 16.0}}).engine == Engine::vllm);
  CHECK(workload_of({{"model", "llama"}, {"concurrency", 1.0}}).engine == Engine::transformers);
  CHECK(workload_of({{"model", "llama"}, {"concurrency", 16.0}, {"precision", "gguf:Q8_0"}}).engine == Engine::llama_cpp);
}

TEST_CASE("lengths add up") {
  const Workload serving = workload_of({{"model", "gpt-oss-20b"}});
  CHECK(serving.seq == 8192);
  CHECK(serving.prompt_len == 7680);
  CHECK(serving.gen_len == 512);
  CHECK(workload_of({{"model", "llama"}}).seq == 4096);  // the model's context
  CHECK(workload_of({{"model", "llama"}, {"method", "lora"}}).seq == 2048);
  CHECK(workload_of({{"model", "bert"}}).seq == 512);
  CHECK(workload_of({{"model", "bert"}, {"task", "infer"}}).seq == 128);
  const Workload stated = workload_of({{"model", "llama"}, {"prompt_len", 1000.0}, {"gen_len", 200.0}});
  CHECK(stated.seq == 1200);
  const Workload rest = workload_of({{"model", "llama"}, {"seq", 2000.0}, {"gen_len", 200.0}});
  CHECK(rest.prompt_len == 1800);
  const Workload small = workload_of({{"model", "llama"}, {"seq", 100.0}});
  CHECK(small.prompt_len + small.gen_len == 100);
}

TEST_CASE("optimizer, adapters and storage of the base") {
  CHECK(workload_of({{"model", "resnet50"}}).optimizer == Optimizer::sgd_momentum);
  CHECK(workload_of({{"model", "vit"}}).optimizer == Optimizer::adamw);
  CHECK(workload_of({{"model", "windows"}}).optimizer == Optimizer::adamw);
  CHECK(workload_of({{"model", "convnext"}}).optimizer == Optimizer::sgd_momentum);
  CHECK(workload_of({{"model", "llama"}}).optimizer == Optimizer::none);
  const Workload qlora = workload_of({{"model", "llama"}, {"method", "qlora"}});
  CHECK(qlora.weights->kind == PrecisionKind::nf4);
  CHECK(qlora.lora_rank == 16);
  CHECK(qlora.lora_targets.q);
  CHECK(qlora.lora_targets.v);
  CHECK_FALSE(qlora.lora_targets.k);
  CHECK(workload_of({{"model", "llama"}, {"lora_rank", 8.0}}).method == Method::lora);
  CHECK(workload_of({{"model", "sdxl"}, {"task", "finetune"}, {"weights", "int8"}}).method == Method::lora);
  CHECK(workload_of({{"model", "llama"}, {"method", "lora"}}).stack == Stack::hf_trainer);
}

TEST_CASE("strategy follows engine and task") {
  CHECK(workload_of({{"model", "resnet50"}, {"gpus", 4.0}}).strategy == Strategy::ddp);
  const Workload served = workload_of({{"model", "llama"}, {"engine", "vllm"}, {"gpus", 2.0}});
  CHECK(served.strategy == Strategy::tp);
  CHECK(served.tp == 2);
  CHECK(workload_of({{"model", "llama"}, {"engine", "llama.cpp"}, {"gpus", 2.0}}).strategy == Strategy::layer_split);
  CHECK(workload_of({{"model", "llama"}, {"tp", 4.0}}).gpus == 4);
  const Request sharded = resolved({{"model", "llama"}, {"method", "full"}, {"gpus", 8.0}});
  CHECK(sharded.workload.strategy == Strategy::fsdp);  // 7e9 x 16 bytes is more than 80 GiB
  CHECK(sharded.origins[K::strategy] == Origin::inferred);
  CHECK(workload_of({{"model", "llama"}, {"method", "full"}, {"gpus", 8.0}, {"strategy", "ddp"}}).strategy == Strategy::ddp);
}

TEST_CASE("image sizes come from the model") {
  CHECK(workload_of({{"model", "resnet50"}}).image.width == 224);
  const Request picture = resolved({{"model", "sdxl"}});
  CHECK(picture.workload.image.width == 1024);
  CHECK(picture.workload.steps == 50);
  CHECK(picture.origins[K::resolution] == Origin::fallback);
  CHECK(workload_of({{"model", "sdxl"}, {"resolution", "1280x720"}}).image.height == 720);
}

TEST_CASE("the cache is kept in the compute type") {
  CHECK(workload_of({{"model", "llama"}, {"precision", "fp16"}}).kv_precision.k == KvType::fp16);
  CHECK(workload_of({{"model", "llama"}, {"precision", "fp8"}}).kv_precision.v == KvType::bf16);
  CHECK(workload_of({{"model", "llama"}, {"precision", "gguf:Q4_0"}}).kv_precision.v == KvType::fp16);
  CHECK(workload_of({{"model", "llama"}, {"precision", "fp32"}}).kv_precision.v == KvType::fp32);
}

}  // namespace gpuadvise::workload
