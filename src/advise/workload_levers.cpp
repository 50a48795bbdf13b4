#include "advise/candidates.hpp"
#include "advise/change.hpp"
#include "advise/levers.hpp"
#include "advise/smallest_change.hpp"
#include "workload/describe.hpp"
#include "workload/engine_formats.hpp"
#include "workload/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace gpuadvise::advise {
namespace {

using K = WorkloadKey;
using Proposals = std::vector<Settings>;

Setting setting(K key, Value value) {
  return {std::string(workload::spec_of(key).name), std::move(value), Origin::user};
}

template <class E>
Setting word(K key, E value) {
  return setting(key, std::string(workload::name_of(key, value)));
}

void propose(Proposals& out, Setting one) {
  out.push_back({std::move(one)});
}

bool language_model(const Situation& s) {
  return s.request.model.transformer() != nullptr && s.request.workload.head == Head::lm;
}

bool trains(const Situation& s) {
  return s.request.workload.training();
}

// At least half of the batch is nearly the same job; less is a larger change than recomputation or a format of fewer bits, and less
// than an eighth a larger one than both of these.
enum class Cut : std::uint8_t { near, far, deep };

Cut cut_of(double batch, double asked) {
  return batch * 2.0 >= asked ? Cut::near : batch * 8.0 >= asked ? Cut::far : Cut::deep;
}

void batch(const Situation& s, Cut cut, Proposals& out) {
  if (!s.by_memory()) {
    return;
  }
  const auto largest = fitting_batch(s.assessor, s.workload(), *s.rejection.gpu);
  if (largest && cut_of(*largest, s.request.workload.batch) == cut) {
    propose(out, setting(K::batch, *largest));
  }
}

void near_batch(const Situation& s, Proposals& out) {
  batch(s, Cut::near, out);
}

void far_batch(const Situation& s, Proposals& out) {
  batch(s, Cut::far, out);
}

void deep_batch(const Situation& s, Proposals& out) {
  batch(s, Cut::deep, out);
}

void sequence(const Situation& s, Proposals& out) {
  if (!s.by_memory() || s.request.model.transformer() == nullptr) {
    return;
  }
  const auto largest = fitting_seq(s.assessor, s.workload(), *s.rejection.gpu);
  if (!largest) {
    return;
  }
  Settings settings{setting(K::seq, *largest)};
  if (s.given(K::prompt_len)) {
    settings.push_back(setting(K::prompt_len, std::max(1.0, *largest - s.request.workload.gen_len)));
  }
  out.push_back(std::move(settings));
}

void requests(const Situation& s, Proposals& out) {
  const Workload workload = s.workload();
  if (!s.by_memory() || trains(s) || !workload.concurrency) {
    return;
  }
  Workload fewer = workload;
  const auto largest = largest_below(*workload.concurrency, [&](double count) {
    fewer.concurrency = count;
    return s.assessor.acceptable(s.assessor.figures_of(fewer, *s.rejection.gpu));
  });
  if (largest) {
    propose(out, setting(K::concurrency, *largest));
  }
}

void cheap_kernels(const Situation& s, Proposals& out) {
  if (s.request.workload.attention == AttentionBackend::eager) {
    propose(out, word(K::attention, AttentionBackend::sdpa));
  }
  if (trains(s) && language_model(s) && s.request.workload.loss != LossKind::fused) {
    propose(out, word(K::loss, LossKind::fused));
  }
}

void recomputation(const Situation& s, Proposals& out) {
  if (trains(s) && s.request.workload.checkpointing != Checkpointing::full) {
    propose(out, word(K::grad_checkpointing, Checkpointing::full));
  }
}

void training_precision(const Situation& s, Proposals& out) {
  const Precision& now = s.request.workload.precision;
  if (!trains(s)) {
    return;
  }
  const bool fp8 = now.kind == PrecisionKind::fp8 || now.kind == PrecisionKind::mxfp8;
  if (compute_bytes(now) >= 4.0 || fp8) {
    propose(out, setting(K::precision, has_bf16(*s.rejection.gpu) ? "amp-bf16" : "amp-fp16"));
  }
  if (!has_bf16(*s.rejection.gpu) && uses_bf16(now)) {
    propose(out, setting(K::precision, "amp-fp16"));
  }
}

void optimizers(const Situation& s, Proposals& out) {
  const Optimizer now = s.request.workload.optimizer;
  const bool adam = now == Optimizer::adam || now == Optimizer::adamw;
  if (trains(s) && adam && s.request.model.recommender() != nullptr && !s.given(K::optimizer)) {
    propose(out, word(K::optimizer, Optimizer::sgd));
  } else if (trains(s) && s.by_memory() && adam) {
    propose(out, word(K::optimizer, Optimizer::adamw_8bit));
  }
  if (trains(s) && !s.by_memory() && (now == Optimizer::adamw_8bit || now == Optimizer::paged_adamw_8bit)) {
    propose(out, word(K::optimizer, Optimizer::adamw));
  }
}

// Where neither does alone: recomputation with a format or an optimizer of fewer bytes keeps the batch.
void recomputed(const Situation& s, Proposals& out) {
  if (!s.by_memory() || !trains(s) || s.request.workload.checkpointing == Checkpointing::full) {
    return;
  }
  Proposals others;
  training_precision(s, others);
  optimizers(s, others);
  for (Settings& other : others) {
    other.push_back(word(K::grad_checkpointing, Checkpointing::full));
    out.push_back(std::move(other));
  }
}

void cache_format(const Situation& s, Proposals& out) {
  if (!trains(s) && language_model(s)) {
    propose(out, setting(K::kv_precision, s.request.workload.engine == Engine::llama_cpp ? "q8_0" : "fp8"));
  }
}

// Formats of fewer bits, the same that remedies name; what the engine cannot run is refused when the request is read.
void weight_formats(const Situation& s, Proposals& out) {
  if (trains(s) || !s.by_memory()) {
    return;
  }
  const Precision& now = s.request.workload.precision;
  const Engine engine = s.request.workload.engine;
  if (!is_quantised(now)) {
    if (compute_bytes(now) > 2.0) {
      propose(out, setting(K::precision, "fp16"));
    }
    for (const int bits : {8, 4}) {
      propose(out, setting(K::precision, to_string(workload::usual_quantised(engine, bits))));
    }
  }
  if (s.request.workload.engine == Engine::llama_cpp || s.request.workload.engine == Engine::transformers) {
    Settings gguf{setting(K::precision, "gguf:Q4_K_M")};
    if (s.given(K::engine)) {
      gguf.push_back(word(K::engine, Engine::llama_cpp));
    }
    out.push_back(std::move(gguf));
  }
}

void adapters(const Situation& s, Proposals& out) {
  const bool suits = language_model(s) || s.request.model.diffusion() != nullptr;
  if (!trains(s) || !suits) {
    return;
  }
  if (s.request.workload.method == Method::full) {
    propose(out, word(K::method, Method::lora));
  }
  if (s.request.workload.method != Method::qlora && s.by_memory()) {
    propose(out, word(K::method, Method::qlora));
    // The base is the smaller part of what long inputs and large images need.
    if (s.request.workload.checkpointing != Checkpointing::full) {
      out.push_back({word(K::method, Method::qlora), word(K::grad_checkpointing, Checkpointing::full)});
    }
  } else if (s.request.workload.method == Method::qlora && !s.by_memory()) {
    propose(out, word(K::method, Method::lora));
  }
}

void host_memory(const Situation& s, Proposals& out) {
  if (!trains(s) && s.request.model.diffusion() != nullptr && s.request.workload.offload.kind == OffloadKind::none) {
    propose(out, setting(K::offload, "model"));
    propose(out, setting(K::offload, "sequential"));
  }
}

void more_gpus(const Situation& s, Proposals& out) {
  const Workload& w = s.request.workload;
  const FormFactor form = s.rejection.gpu->form_factor;
  if (form == FormFactor::mxm || form == FormFactor::soc || !s.by_memory()) {
    return;  // there is one of it in its machine
  }
  if (!splittable(s.request) || s.given(K::tp) || s.given(K::pp) || s.given(K::cp)) {
    return;
  }
  // The first two stages of ZeRO keep whole weights on every GPU.
  const bool partly = w.strategy == Strategy::zero1 || w.strategy == Strategy::zero2;
  const Strategy strategy = partly ? Strategy::zero3 : pools_memory(w.strategy) ? w.strategy : pooling_strategy(w);
  if (w.all_gpus() > 1.0 && strategy != w.strategy) {
    propose(out, word(K::strategy, strategy));
  }
  // Tables of a recommender without the two states of Adam, which nobody asked for, need a third.
  const bool adam = w.optimizer == Optimizer::adam || w.optimizer == Optimizer::adamw;
  const bool open = s.request.model.recommender() != nullptr && adam && !s.given(K::optimizer);
  for (const double count : {2.0, 4.0, 8.0}) {
    if (count > w.gpus) {
      Settings settings{setting(K::gpus, count), word(K::strategy, strategy)};
      if (open) {
        settings.push_back(word(K::optimizer, Optimizer::sgd));
      }
      out.push_back(std::move(settings));
    }
  }
}

void engines(const Situation& s, Proposals& out) {
  if (trains(s) || s.by_memory() || !s.given(K::engine)) {
    return;
  }
  for (const Engine engine : {Engine::vllm, Engine::llama_cpp, Engine::transformers, Engine::pytorch}) {
    if (engine != s.request.workload.engine) {
      propose(out, word(K::engine, engine));
    }
  }
}

// The least change for the result first: what is computed stays the same, then the format, then the method, then the machine.
constexpr auto k_workload = std::to_array<void (*)(const Situation&, Proposals&)>(
    {near_batch, cheap_kernels, recomputation, requests, training_precision, far_batch, recomputed, deep_batch, sequence, optimizers,
     cache_format, weight_formats, adapters, host_memory, more_gpus, engines});

}  // namespace

std::vector<Settings> workload_levers(const Situation& situation) {
  Proposals out;
  for (const auto lever : k_workload) {
    lever(situation, out);
  }
  return out;
}

}  // namespace gpuadvise::advise
