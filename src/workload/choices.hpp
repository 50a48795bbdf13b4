// The words that choice keys take, with what people write instead. The first word of a value is the contract's.
#pragma once

#include "workload/keys.hpp"

#include <array>

namespace gpuadvise::workload {

template <class E>
constexpr Choice word(std::string_view name, E value) {
  return {name, static_cast<std::uint8_t>(value)};
}

inline constexpr auto k_task_words = std::to_array<Choice>({
    word("train", Task::train),
    word("finetune", Task::finetune),
    word("infer", Task::infer),
    word("training", Task::train),
    word("pretrain", Task::train),
    word("pretraining", Task::train),
    word("tune", Task::finetune),
    word("finetuning", Task::finetune),
    word("inference", Task::infer),
    word("serve", Task::infer),
    word("serving", Task::infer),
});

inline constexpr auto k_head_words = std::to_array<Choice>({
    word("lm", Head::lm),
    word("classification", Head::classification),
    word("detection", Head::detection),
    word("none", Head::none),
});

inline constexpr auto k_method_words = std::to_array<Choice>({
    word("full", Method::full),
    word("lora", Method::lora),
    word("qlora", Method::qlora),
});

inline constexpr auto k_mla_words = std::to_array<Choice>({
    word("absorbed", MlaMode::absorbed),
    word("expanded", MlaMode::expanded),
});

inline constexpr auto k_optimizer_words = std::to_array<Choice>({
    word("none", Optimizer::none),
    word("sgd", Optimizer::sgd),
    word("sgd-momentum", Optimizer::sgd_momentum),
    word("adam", Optimizer::adam),
    word("adamw", Optimizer::adamw),
    word("adamw-8bit", Optimizer::adamw_8bit),
    word("adamw-4bit", Optimizer::adamw_4bit),
    word("paged-adamw-8bit", Optimizer::paged_adamw_8bit),
    word("adafactor", Optimizer::adafactor),
    word("lion", Optimizer::lion),
    word("galore-adamw", Optimizer::galore_adamw),
    word("momentum", Optimizer::sgd_momentum),
    word("nesterov", Optimizer::sgd_momentum),
    word("sgdm", Optimizer::sgd_momentum),
    word("adamw-torch", Optimizer::adamw),
    word("adamw-fused", Optimizer::adamw),
    word("adamw-torch-fused", Optimizer::adamw),
    word("adamw-fused-cpu", Optimizer::adamw),
    word("adamw-bnb-8bit", Optimizer::adamw_8bit),
    word("adam-8bit", Optimizer::adamw_8bit),
    word("8bit-adam", Optimizer::adamw_8bit),
    word("8bit-adamw", Optimizer::adamw_8bit),
    word("paged-adamw", Optimizer::paged_adamw_8bit),
    word("paged-8bit-adamw", Optimizer::paged_adamw_8bit),
    word("lionw", Optimizer::lion),
    word("galore", Optimizer::galore_adamw),
});

inline constexpr auto k_checkpointing_words = std::to_array<Choice>({
    word("none", Checkpointing::none),
    word("selective", Checkpointing::selective),
    word("full", Checkpointing::full),
    word("off", Checkpointing::none),
    word("false", Checkpointing::none),
    word("no", Checkpointing::none),
    word("on", Checkpointing::full),
    word("true", Checkpointing::full),
    word("yes", Checkpointing::full),
});

inline constexpr auto k_attention_words = std::to_array<Choice>({
    word("eager", AttentionBackend::eager),
    word("sdpa", AttentionBackend::sdpa),
    word("flash", AttentionBackend::flash),
    word("flash-attention", AttentionBackend::flash),
    word("flash-attention-2", AttentionBackend::flash),
    word("flash-attn", AttentionBackend::flash),
    word("xformers", AttentionBackend::flash),
    word("math", AttentionBackend::eager),
});

inline constexpr auto k_loss_words = std::to_array<Choice>({
    word("standard", LossKind::standard),
    word("fused", LossKind::fused),
    word("liger", LossKind::fused),
    word("cce", LossKind::fused),
});

inline constexpr auto k_loading_words = std::to_array<Choice>({
    word("lazy", ModuleLoading::lazy),
    word("eager", ModuleLoading::eager),
});

inline constexpr auto k_stack_words = std::to_array<Choice>({
    word("none", Stack::none),
    word("hf-trainer", Stack::hf_trainer),
    word("hf-deepspeed", Stack::hf_deepspeed),
    word("torchtune", Stack::torchtune),
    word("torchtitan", Stack::torchtitan),
    word("litgpt", Stack::litgpt),
    word("axolotl", Stack::axolotl),
    word("unsloth", Stack::unsloth),
    word("ms-swift", Stack::ms_swift),
    word("llm-foundry", Stack::llm_foundry),
    word("megatron", Stack::megatron),
    word("fsdp-qlora", Stack::fsdp_qlora),
    word("torchao", Stack::torchao),
    word("simpletuner", Stack::simpletuner),
    word("finetrainers", Stack::finetrainers),
    word("diffusers", Stack::diffusers),
    word("timm", Stack::timm),
    word("openmmlab", Stack::openmmlab),
    word("detectron2", Stack::detectron2),
    word("ultralytics", Stack::ultralytics),
    word("nvidia-dle", Stack::nvidia_dle),
    word("other", Stack::other),
    word("pytorch", Stack::none),
    word("transformers", Stack::hf_trainer),
    word("trl", Stack::hf_trainer),
    word("peft", Stack::hf_trainer),
    word("huggingface", Stack::hf_trainer),
    word("deepspeed", Stack::hf_deepspeed),
    word("swift", Stack::ms_swift),
    word("megatron-lm", Stack::megatron),
    word("nemo", Stack::megatron),
    word("composer", Stack::llm_foundry),
    word("mmdet", Stack::openmmlab),
    word("mmdetection", Stack::openmmlab),
    word("mmseg", Stack::openmmlab),
    word("mmsegmentation", Stack::openmmlab),
    word("mmaction2", Stack::openmmlab),
});

inline constexpr auto k_strategy_words = std::to_array<Choice>({
    word("none", Strategy::none),
    word("ddp", Strategy::ddp),
    word("fsdp", Strategy::fsdp),
    word("zero1", Strategy::zero1),
    word("zero2", Strategy::zero2),
    word("zero3", Strategy::zero3),
    word("tp", Strategy::tp),
    word("pp", Strategy::pp),
    word("layer-split", Strategy::layer_split),
    word("dp", Strategy::ddp),
    word("data-parallel", Strategy::ddp),
    word("fsdp2", Strategy::fsdp),
    word("tensor-parallel", Strategy::tp),
    word("pipeline-parallel", Strategy::pp),
});

// Engines that are not modelled count as `other`: an answer with a wide band and a finding, rather than none.
inline constexpr auto k_engine_words = std::to_array<Choice>({
    word("pytorch", Engine::pytorch),
    word("transformers", Engine::transformers),
    word("vllm", Engine::vllm),
    word("sglang", Engine::sglang),
    word("tensorrt-llm", Engine::tensorrt_llm),
    word("llama.cpp", Engine::llama_cpp),
    word("exllama", Engine::exllama),
    word("mlc-llm", Engine::mlc_llm),
    word("mlx", Engine::mlx),
    word("autoawq", Engine::autoawq),
    word("gptq-for-llama", Engine::gptq_for_llama),
    word("diffusers", Engine::diffusers),
    word("stable-diffusion.cpp", Engine::stable_diffusion_cpp),
    word("openai-whisper", Engine::openai_whisper),
    word("faster-whisper", Engine::faster_whisper),
    word("whisper.cpp", Engine::whisper_cpp),
    word("tensorflow", Engine::tensorflow),
    word("tensorrt", Engine::tensorrt),
    word("other", Engine::other),
    word("torch", Engine::pytorch),
    word("huggingface", Engine::transformers),
    word("hf", Engine::transformers),
    word("trt-llm", Engine::tensorrt_llm),
    word("ollama", Engine::llama_cpp),
    word("lm-studio", Engine::llama_cpp),
    word("koboldcpp", Engine::llama_cpp),
    word("ik_llama.cpp", Engine::llama_cpp),
    word("llama-cpp-python", Engine::llama_cpp),
    word("exllamav2", Engine::exllama),
    word("exllamav3", Engine::exllama),
    word("tabbyapi", Engine::exllama),
    word("mlc", Engine::mlc_llm),
    word("mlx-lm", Engine::mlx),
    word("sd.cpp", Engine::stable_diffusion_cpp),
    word("ctranslate2", Engine::faster_whisper),
    word("tf", Engine::tensorflow),
    word("keras", Engine::tensorflow),
    word("trt", Engine::tensorrt),
    word("mxnet", Engine::other),
    word("paddle", Engine::other),
    word("paddlepaddle", Engine::other),
    word("torch7", Engine::other),
    word("caffe", Engine::other),
    word("caffe2", Engine::other),
    word("oneflow", Engine::other),
    word("jax", Engine::other),
    word("onnxruntime", Engine::other),
    word("comfyui", Engine::other),
    word("wan2.1", Engine::other),
    word("lmdeploy", Engine::other),
    word("tgi", Engine::other),
    word("mlperf", Engine::other),
    word("cuda-optimized", Engine::other),
});

inline constexpr auto k_offload_words = std::to_array<Choice>({
    word("none", OffloadKind::none),
    word("optimizer", OffloadKind::optimizer),
    word("params", OffloadKind::params),
    word("activations", OffloadKind::activations),
    word("model", OffloadKind::model),
    word("sequential", OffloadKind::sequential),
    word("layers", OffloadKind::layers),
});

enum class FrozenPart : std::uint8_t { batchnorm, batchnorm_eval, stages, backbone };
inline constexpr auto k_frozen_words = std::to_array<Choice>({
    word("frozen-bn", FrozenPart::batchnorm),
    word("bn-eval-mode", FrozenPart::batchnorm_eval),
    word("frozen-stages", FrozenPart::stages),
    word("backbone", FrozenPart::backbone),
});

}  // namespace gpuadvise::workload
