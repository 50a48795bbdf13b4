// What is to be run: one struct with every key of the contract, resolved (no unknowns left but those the contract
// allows) and validated. Text and JSON become this in src/workload.
#pragma once

#include <gpuadvise/finding.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/precision.hpp>
#include <gpuadvise/value.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise {

enum class Task : std::uint8_t { train, finetune, infer };
enum class Head : std::uint8_t { lm, classification, detection, none };
enum class Method : std::uint8_t { full, lora, qlora };
enum class Optimizer : std::uint8_t {
  none,
  sgd,
  sgd_momentum,
  adam,
  adamw,
  adamw_8bit,
  adamw_4bit,
  paged_adamw_8bit,
  adafactor,
  lion,
  galore_adamw,
};
enum class MlaMode : std::uint8_t { absorbed, expanded };
enum class Checkpointing : std::uint8_t { none, selective, full };
enum class AttentionBackend : std::uint8_t { eager, sdpa, flash };
enum class LossKind : std::uint8_t { standard, fused };
enum class ModuleLoading : std::uint8_t { lazy, eager };
enum class Stack : std::uint8_t {
  none,
  hf_trainer,
  hf_deepspeed,
  torchtune,
  torchtitan,
  litgpt,
  axolotl,
  unsloth,
  ms_swift,
  llm_foundry,
  megatron,
  fsdp_qlora,
  torchao,
  simpletuner,
  finetrainers,
  diffusers,
  timm,
  openmmlab,
  detectron2,
  ultralytics,
  nvidia_dle,
  other,
};
enum class Strategy : std::uint8_t { none, ddp, fsdp, zero1, zero2, zero3, tp, pp, layer_split };
enum class OffloadKind : std::uint8_t { none, optimizer, params, activations, model, sequential, layers };
enum class Engine : std::uint8_t {
  pytorch,
  transformers,
  vllm,
  sglang,
  tensorrt_llm,
  llama_cpp,
  exllama,
  mlc_llm,
  mlx,
  autoawq,
  gptq_for_llama,
  diffusers,
  stable_diffusion_cpp,
  openai_whisper,
  faster_whisper,
  whisper_cpp,
  tensorflow,
  tensorrt,
  other,
};

// Linear layers that get a low-rank adapter, as a set.
struct LoraTargets {
  bool q = false, k = false, v = false, o = false;
  bool gate = false, up = false, down = false;
  bool lm_head = false;
};

// Frozen parts of an image network, as a set.
struct Frozen {
  bool batchnorm = false;       // frozen-bn: constants that keep nothing
  bool batchnorm_eval = false;  // bn-eval-mode: statistics fixed, still differentiated
  bool stages = false;          // frozen-stages: stem and first stage
  bool backbone = false;
};

struct ImageSize {
  double frames = 1.0;  // or depth
  double height = 0.0;
  double width = 0.0;
};

struct KvPrecision {
  KvType k = KvType::fp16;
  KvType v = KvType::fp16;
};

struct Offload {
  OffloadKind kind = OffloadKind::none;
  double layers_on_gpu = 0.0;  // kind layers only
};

// Keys in the order of the contract; Origins below is indexed by it.
enum class WorkloadKey : std::uint8_t {
  model,
  config,
  model_file,
  params,
  field,
  task,
  head,
  method,
  lora_rank,
  lora_targets,
  precision,
  weights,
  kv_precision,
  mla,
  optimizer,
  batch,
  accumulate,
  seq,
  prompt_len,
  gen_len,
  concurrency,
  image,
  resolution,
  steps,
  classes,
  grad_checkpointing,
  attention,
  loss,
  compile,
  channels_last,
  train_embeddings,
  cudnn_benchmark,
  fuse_qkv,
  vae_tiling,
  full_seq_logits,
  enforce_eager,
  flash_attn,
  cuda_module_loading,
  frozen,
  stack,
  gpus,
  nodes,
  strategy,
  tp,
  pp,
  cp,
  network_gbit_s,
  nvlink_bridge,
  offload,
  engine,
  gpu_memory_utilization,
  max_num_seqs,
  max_num_batched_tokens,
  n_batch,
  n_ubatch,
  embedding_rows,
  embedding_dim,
  gpu_memory_gib,
  dataset_size,
  epochs,
  steps_total,
  tokens_total,
  count_,
};
inline constexpr std::size_t k_workload_keys = static_cast<std::size_t>(WorkloadKey::count_);

struct Origins {
  std::array<Origin, k_workload_keys> by_key{};
  [[nodiscard]] Origin operator[](WorkloadKey key) const { return by_key[static_cast<std::size_t>(key)]; }
  [[nodiscard]] Origin& operator[](WorkloadKey key) { return by_key[static_cast<std::size_t>(key)]; }
};

// Which amounts the user stated. Where one is a mere default, a speed is that of a usual run of the kind: a batch that
// fills the card, a short context.
struct Given {
  bool batch = true;
  bool seq = true;
  bool lengths = true;         // prompt_len or gen_len
  bool checkpointing = false;  // grad_checkpointing; where it is not, a training recipe is presumed to have its usual setting
  bool image = true;           // image or resolution
};

// Numbers only, so that a plan can copy it.
struct Workload {
  Field field = Field::vision;
  Task task = Task::train;
  Head head = Head::none;
  Method method = Method::full;
  double lora_rank = 16;
  LoraTargets lora_targets;
  Precision precision;
  std::optional<Precision> weights;  // storage of a frozen base, where it differs
  KvPrecision kv_precision;
  MlaMode mla = MlaMode::absorbed;
  Optimizer optimizer = Optimizer::adamw;
  double batch = 1;  // samples per GPU in one micro-batch
  double accumulate = 1;
  double seq = 0;  // tokens; inference: prompt + generated
  double prompt_len = 0;
  double gen_len = 0;
  std::optional<double> concurrency;  // unset = as many as fit
  ImageSize image;
  double steps = 0;    // denoising steps
  double classes = 0;  // 0 = the model's own
  Checkpointing checkpointing = Checkpointing::none;
  AttentionBackend attention = AttentionBackend::sdpa;
  LossKind loss = LossKind::standard;
  bool compile = false;
  bool channels_last = false;
  bool train_embeddings = false;
  bool cudnn_benchmark = false;
  bool fuse_qkv = false;
  bool vae_tiling = false;  // the autoencoder decodes tiles, one sample at a time (enable_tiling and enable_slicing)
  bool full_seq_logits = false;
  bool enforce_eager = false;
  bool flash_attn = false;
  ModuleLoading module_loading = ModuleLoading::lazy;
  Frozen frozen;
  Stack stack = Stack::none;
  double gpus = 1;  // per node
  double nodes = 1;
  Strategy strategy = Strategy::none;
  double tp = 1, pp = 1, cp = 1;
  Offload offload;
  Engine engine = Engine::pytorch;
  std::optional<double> gpu_memory_utilization;  // 0..1
  std::optional<double> max_num_seqs;
  std::optional<double> max_num_batched_tokens;
  std::optional<double> n_batch;
  std::optional<double> n_ubatch;
  std::optional<double> gpu_memory_gib;
  std::optional<double> dataset_size;  // samples
  std::optional<double> epochs;
  std::optional<double> steps_total;
  std::optional<double> tokens_total;
  Given given;
  std::optional<double> network_gbit_s;  // link of a node to the others; unset = usual for the kind of card
  bool nvlink_bridge = false;            // pairs of PCIe cards are bridged

  [[nodiscard]] bool training() const { return task != Task::infer; }
  [[nodiscard]] double all_gpus() const { return gpus * nodes; }
};

// One setting as given, before it is understood.
struct Setting {
  std::string key;
  Value value;
  Origin origin = Origin::user;
};

// The texts and the model behind a workload, for output; the workload itself is what estimators read.
struct Request {
  Workload workload;
  Origins origins;
  Model model;
  std::string model_text;  // as the user wrote it
  std::string config;
  std::string model_file;
  std::optional<double> params_hint;
  std::vector<Finding> findings;  // e.g. which catalog entry an inexact name was taken for
};

}  // namespace gpuadvise
