// Changes of inference: cache and weight formats, parts of the model on the host, fewer requests at a time.
#include <gpuadvise/error.hpp>

#include "advise/change_apply.hpp"
#include "advise/smallest_change.hpp"
#include "workload/engine_formats.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::advise {
namespace {

constexpr double k_useful_multiple = 8.0;  // of batches that kernels run well

bool quantised(Changed& c, int bits) {
  constexpr double most_bytes = 2.0;
  Workload& w = c.workload;
  const bool suits = c.request->model.transformer() != nullptr || c.request->model.diffusion() != nullptr;
  if (w.training() || !suits || is_quantised(w.precision) || compute_bytes(w.precision) < most_bytes) {
    return false;
  }
  const Precision chosen = workload::usual_quantised(w.engine, bits);
  if (!workload::engine_runs(w.engine, chosen)) {
    return false;
  }
  w.precision = chosen;
  if (!c.given(WorkloadKey::kv_precision) && element_bytes(w.kv_precision.k) > 2.0) {
    w.kv_precision = {KvType::fp16, KvType::fp16};  // the cache follows the type that is computed in
  }
  set(c, "precision", to_string(chosen));
  return true;
}

bool all_on_card(const Changed& c) {
  return !c.workload.training() && c.workload.offload.kind == OffloadKind::none;
}

bool offload_pipeline(Changed& c, OffloadKind kind, std::string_view word) {
  if (!all_on_card(c) || c.request->model.diffusion() == nullptr) {
    return false;
  }
  c.workload.offload.kind = kind;
  set(c, "offload", std::string(word));
  return true;
}

}  // namespace

bool run_in_half_precision(Changed& c) {
  Workload& w = c.workload;
  const PrecisionKind kind = w.precision.kind;
  const bool whole = kind == PrecisionKind::fp32 || kind == PrecisionKind::tf32;
  const PrecisionKind half = has_bf16(*c.gpu) && c.request->model.transformer() != nullptr ? PrecisionKind::bf16 : PrecisionKind::fp16;
  if (w.training() || !whole || c.request->model.recommender() != nullptr ||
      !workload::engine_runs(w.engine, {half, GgufMix::none, 0.0, 0.0})) {
    return false;
  }
  if (!c.given(WorkloadKey::kv_precision) && element_bytes(w.kv_precision.k) > 2.0) {
    const KvType type = half == PrecisionKind::bf16 ? KvType::bf16 : KvType::fp16;
    w.kv_precision = {type, type};
  }
  set_precision(c, half);
  return true;
}

bool use_8bit_cache(Changed& c) {
  Workload& w = c.workload;
  if (w.training() || !language_model(c) || element_bytes(w.kv_precision.k) < 2.0) {
    return false;
  }
  const bool llama = w.engine == Engine::llama_cpp;
  if (!llama && w.engine != Engine::vllm && w.engine != Engine::sglang && w.engine != Engine::tensorrt_llm) {
    return false;
  }
  const KvType type = llama ? KvType::q8_0 : KvType::fp8;
  w.kv_precision = {type, type};
  set(c, "kv_precision", std::string(to_string(type)));
  return true;
}

bool quantise_to_8_bits(Changed& c) {
  return quantised(c, 8);
}

bool quantise_to_4_bits(Changed& c) {
  return quantised(c, 4);
}

// Where the user left the engine open: files of fewer bits in another program, which need less beside the weights.
bool run_in_llama_cpp(Changed& c) {
  Workload& w = c.workload;
  if (w.engine != Engine::transformers || c.given(WorkloadKey::engine) || !language_model(c)) {
    return false;
  }
  w.engine = Engine::llama_cpp;
  if (!quantised(c, 4)) {
    w.engine = Engine::transformers;
    return false;
  }
  set(c, "engine", std::string("llama.cpp"));
  if (!c.options->with_settings) {
    return true;
  }
  // Caches, buffers and kernels have other defaults there.
  try {
    w = c.options->with_settings(c.settings).workload;
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool decode_in_tiles(Changed& c) {
  const bool diffusers = c.workload.engine == Engine::diffusers && c.request->model.diffusion() != nullptr;
  if (c.workload.training() || !diffusers || c.workload.vae_tiling) {
    return false;
  }
  c.workload.vae_tiling = true;
  set(c, "vae_tiling", true);
  return true;
}

bool move_idle_models_to_host(Changed& c) {
  return offload_pipeline(c, OffloadKind::model, "model");
}

bool move_modules_to_host(Changed& c) {
  // Weights of bitsandbytes are not moved module by module: such a request is refused.
  return !workload::by_bitsandbytes(c.workload.engine, c.workload.precision) && offload_pipeline(c, OffloadKind::sequential, "sequential");
}

bool move_experts_to_host(Changed& c) {
  const TransformerShape* shape = c.request->model.transformer();
  if (!all_on_card(c) || shape == nullptr || shape->moe.experts <= 0.0 || c.workload.engine != Engine::llama_cpp) {
    return false;
  }
  c.workload.offload.kind = OffloadKind::params;
  set(c, "offload", "params");
  return true;
}

// As many layers as the card holds; the others run on the host's processor.
bool move_layers_to_host(Changed& c) {
  const TransformerShape* shape = c.request->model.transformer();
  const bool by_layers = c.workload.engine == Engine::llama_cpp || c.workload.engine == Engine::transformers;
  if (!all_on_card(c) || shape == nullptr || !language_model(c) || !by_layers || c.workload.all_gpus() > 1.0) {
    return false;
  }
  Workload candidate = c.workload;
  candidate.offload.kind = OffloadKind::layers;
  const auto layers = largest_below(shape->layers + 1.0, [&](double count) {
    candidate.offload.layers_on_gpu = count;
    return c.holds(candidate);
  });
  if (!layers) {
    return false;
  }
  c.workload.offload = {OffloadKind::layers, *layers};
  set(c, "offload", "layers:" + std::to_string(static_cast<long long>(*layers)));
  return true;
}

bool take_fewer_requests(Changed& c) {
  Workload& w = c.workload;
  if (w.training() || !w.concurrency || *w.concurrency <= 1.0) {
    return false;
  }
  Workload candidate = w;
  const auto requests = largest_below(*w.concurrency, [&](double count) {
    candidate.concurrency = count;
    return c.holds(candidate);
  });
  if (!requests) {
    return false;
  }
  w.concurrency = *requests;
  set(c, "concurrency", *requests);
  return true;
}

bool take_smaller_batch(Changed& c) {
  Workload& w = c.workload;
  if (w.training()) {
    return false;
  }
  Workload candidate = w;
  const auto batch = largest_below(w.batch, [&](double size) {
    candidate.batch = size;
    return c.holds(candidate);
  });
  if (!batch) {
    return false;
  }
  w.batch = *batch >= k_useful_multiple ? std::floor(*batch / k_useful_multiple) * k_useful_multiple : *batch;
  set(c, "batch", w.batch);
  return true;
}

}  // namespace gpuadvise::advise
