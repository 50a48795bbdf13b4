// Changes of training: precision, checkpointing, optimizer, adapters, offloading, accumulation.
#include "advise/change_apply.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gpuadvise::advise {
namespace {

constexpr double k_adapter_rank = 16.0;

bool move_to_host(Changed& c, OffloadKind kind, std::string_view word) {
  if (!c.workload.training() || c.workload.offload.kind != OffloadKind::none) {
    return false;
  }
  c.workload.offload.kind = kind;
  set(c, "offload", std::string(word));
  return true;
}

void checkpoint(Changed& c, Checkpointing kind, std::string_view word) {
  c.workload.checkpointing = kind;
  set(c, "grad_checkpointing", std::string(word));
}

bool use_optimizer(Changed& c, Optimizer optimizer, std::string_view word) {
  const bool adam = c.workload.optimizer == Optimizer::adam || c.workload.optimizer == Optimizer::adamw;
  if (!c.workload.training() || !adam || c.workload.method != Method::full || c.gpu->vendor != Vendor::nvidia) {
    return false;
  }
  c.workload.optimizer = optimizer;
  set(c, "optimizer", std::string(word));
  return true;
}

// Adapters train projections of the attention; the rest of the model is frozen. Tuners of diffusion models adapt all four.
void add_adapters(Changed& c) {
  const bool all = c.request->model.diffusion() != nullptr;
  if (!c.given(WorkloadKey::lora_rank)) {
    c.workload.lora_rank = k_adapter_rank;
  }
  c.workload.lora_targets = {};
  c.workload.lora_targets.q = true;
  c.workload.lora_targets.v = true;
  c.workload.lora_targets.k = all;
  c.workload.lora_targets.o = all;
  set(c, "lora_rank", c.workload.lora_rank);
  set(c, "lora_targets", all ? "attention" : "q,v");
}

// ZeRO's offloading replaces DDP and does not know 4-bit weights; FSDP's moves whatever it shards.
bool offloads_states(const Changed& c) {
  const Strategy strategy = c.workload.strategy;
  return strategy == Strategy::fsdp || (strategy != Strategy::ddp && c.workload.method != Method::qlora);
}

// Largest first.
std::vector<double> divisors_below(double whole) {
  std::vector<double> found;
  for (double d = 1.0; d * d <= whole; d += 1.0) {
    if (std::fmod(whole, d) == 0.0) {
      found.push_back(d);
      found.push_back(whole / d);
    }
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  found.erase(found.begin());
  return found;
}

}  // namespace

bool use_sdpa(Changed& c) {
  if (c.workload.attention != AttentionBackend::eager || c.request->model.transformer() == nullptr) {
    return false;
  }
  c.workload.attention = AttentionBackend::sdpa;
  set(c, "attention", "sdpa");
  return true;
}

bool use_fused_loss(Changed& c) {
  if (!c.workload.training() || !language_model(c) || c.workload.loss == LossKind::fused) {
    return false;
  }
  c.workload.loss = LossKind::fused;
  set(c, "loss", "fused");
  return true;
}

bool use_mixed_precision(Changed& c) {
  if (!c.workload.training() || compute_bytes(c.workload.precision) < 4.0) {
    return false;
  }
  set_precision(c, has_bf16(*c.gpu) ? PrecisionKind::amp_bf16 : PrecisionKind::amp_fp16);
  return true;
}

bool keep_weights_in_bf16(Changed& c) {
  const bool mixed = c.workload.precision.kind == PrecisionKind::amp_bf16 || compute_bytes(c.workload.precision) >= 4.0;
  const bool suits = c.request->model.transformer() != nullptr && c.workload.field != Field::encoder;
  if (!c.workload.training() || c.workload.method != Method::full || !suits || !mixed || !has_bf16(*c.gpu)) {
    return false;
  }
  set_precision(c, PrecisionKind::bf16);
  return true;
}

bool checkpoint_selectively(Changed& c) {
  if (!c.workload.training() || c.workload.checkpointing != Checkpointing::none) {
    return false;
  }
  // Counted by the estimator for blocks of transformers; a U-Net is recomputed whole or not at all.
  const DiffusionPipeline* pipeline = c.request->model.diffusion();
  const bool known = c.request->model.transformer() != nullptr || (pipeline != nullptr && pipeline->denoiser != DenoiserKind::unet);
  if (!known) {
    return false;
  }
  checkpoint(c, Checkpointing::selective, "selective");
  return true;
}

bool checkpoint_all(Changed& c) {
  if (!c.workload.training() || c.workload.checkpointing == Checkpointing::full) {
    return false;
  }
  checkpoint(c, Checkpointing::full, "full");
  return true;
}

bool use_8bit_optimizer(Changed& c) {
  return use_optimizer(c, Optimizer::adamw_8bit, "adamw-8bit");
}

bool page_optimizer(Changed& c) {
  return c.request->model.transformer() != nullptr && use_optimizer(c, Optimizer::paged_adamw_8bit, "paged-adamw-8bit");
}

// Tables of embeddings are trained with plain SGD; Adam's two states make three copies of them. Another optimizer only where none was
// asked for.
bool use_plain_sgd(Changed& c) {
  Workload& w = c.workload;
  const bool adam = w.optimizer == Optimizer::adam || w.optimizer == Optimizer::adamw;
  if (!w.training() || !adam || c.given(WorkloadKey::optimizer) || c.request->model.recommender() == nullptr) {
    return false;
  }
  w.optimizer = Optimizer::sgd;
  set(c, "optimizer", std::string("sgd"));
  return true;
}

bool adapt_with_lora(Changed& c) {
  const bool suits = language_model(c) || c.request->model.diffusion() != nullptr;
  if (!c.workload.training() || !suits || c.workload.method != Method::full) {
    return false;
  }
  c.workload.method = Method::lora;
  set(c, "method", "lora");
  set_precision(c, has_bf16(*c.gpu) ? PrecisionKind::bf16 : PrecisionKind::fp16);
  add_adapters(c);
  return true;
}

bool adapt_with_qlora(Changed& c) {
  // bitsandbytes is built for these three (Intel from 0.48 on).
  const bool kernels = c.gpu->vendor == Vendor::nvidia || c.gpu->vendor == Vendor::amd || c.gpu->vendor == Vendor::intel;
  const bool suits = language_model(c) || c.request->model.diffusion() != nullptr;
  if (!c.workload.training() || !suits || c.workload.method == Method::qlora || !kernels) {
    return false;
  }
  const bool full = c.workload.method == Method::full;
  c.workload.method = Method::qlora;
  c.workload.weights = Precision{PrecisionKind::nf4, GgufMix::none, 0.0, 0.0};
  set(c, "method", "qlora");
  set(c, "weights", "nf4");
  const bool text = c.request->model.transformer() != nullptr;
  if (has_bf16(*c.gpu)) {
    set_precision(c, text ? PrecisionKind::amp_bf16 : PrecisionKind::bf16);
  } else {
    set_precision(c, text ? PrecisionKind::amp_fp16 : PrecisionKind::fp16);
  }
  if (full) {
    add_adapters(c);
  }
  // prepare_model_for_kbit_training turns checkpointing on unless told otherwise.
  if (text && !c.given(WorkloadKey::grad_checkpointing) && c.workload.checkpointing == Checkpointing::none) {
    checkpoint(c, Checkpointing::full, "full");
  }
  return true;
}

bool move_activations_to_host(Changed& c) {
  const bool counted = c.request->model.transformer() != nullptr || c.request->model.diffusion() != nullptr;
  return counted && move_to_host(c, OffloadKind::activations, "activations");
}

bool move_optimizer_to_host(Changed& c) {
  const bool zero = offloads_states(c) && c.workload.strategy != Strategy::fsdp;
  return zero && c.workload.optimizer != Optimizer::none && move_to_host(c, OffloadKind::optimizer, "optimizer");
}

bool move_params_to_host(Changed& c) {
  // Of image networks only the optimizer's states are moved.
  return c.request->model.image() == nullptr && offloads_states(c) && move_to_host(c, OffloadKind::params, "params");
}

// The largest micro-batch that fits and divides the batch, so that micro-batch x steps stays what it was.
bool accumulate_gradients(Changed& c) {
  Workload& w = c.workload;
  if (!w.training() || w.batch <= 1.0) {
    return false;
  }
  const std::vector<double> sizes = divisors_below(w.batch);
  Workload candidate = w;
  const auto with = [&](double micro) {
    candidate.batch = micro;
    candidate.accumulate = w.accumulate * w.batch / micro;
    return c.holds(candidate);
  };
  const auto largest = std::partition_point(sizes.begin(), sizes.end(), [&](double micro) { return !with(micro); });
  if (largest == sizes.end()) {
    return false;
  }
  w.accumulate *= w.batch / *largest;
  w.batch = *largest;
  set(c, "batch", w.batch);
  set(c, "accumulate", w.accumulate);
  return true;
}

}  // namespace gpuadvise::advise
