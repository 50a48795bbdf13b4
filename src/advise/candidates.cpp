#include "advise/candidates.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::advise {
namespace {

constexpr std::array<double, 3> k_counts{2.0, 4.0, 8.0};
constexpr double k_bf16_capability = 8.0;  // Ampere is the first with bfloat16 tensor cores

bool contains(const std::vector<const Gpu*>& cards, const Gpu* gpu) {
  return std::find(cards.begin(), cards.end(), gpu) != cards.end();
}

std::vector<const Gpu*> found(const std::vector<std::string>& names, const CatalogView& catalog) {
  std::vector<const Gpu*> cards;
  for (const std::string& name : names) {
    for (const Gpu* gpu : catalog.find(name)) {
      if (!contains(cards, gpu)) {
        cards.push_back(gpu);
      }
    }
  }
  return cards;
}

// Engines that split each layer; the others put whole layers on each GPU.
bool splits_tensors(Engine engine) {
  return engine == Engine::vllm || engine == Engine::sglang || engine == Engine::tensorrt_llm;
}

bool given(const Request& request, WorkloadKey key) {
  return request.origins[key] >= Origin::file;
}

PrecisionKind without_bf16(PrecisionKind kind) {
  switch (kind) {
    case PrecisionKind::amp_bf16:
      return PrecisionKind::amp_fp16;
    case PrecisionKind::bf16:
      return PrecisionKind::fp16;
    default:
      return kind;
  }
}

KvType without_bf16(KvType type) {
  return type == KvType::bf16 ? KvType::fp16 : type;
}

}  // namespace

std::vector<Card> cards_in_question(const Preferences& preferences, const CatalogView& catalog) {
  const std::vector<const Gpu*> excluded = found(preferences.exclude, catalog);
  std::vector<Card> cards;
  if (!preferences.candidates.empty()) {
    for (const Gpu* gpu : found(preferences.candidates, catalog)) {
      if (!contains(excluded, gpu)) {
        cards.push_back({gpu, true});
      }
    }
    return cards;
  }
  cards.reserve(catalog.gpus.size());
  // A card that is in the machine needs no shop, slot or cooler: it counts as named.
  const std::vector<const Gpu*> owned = found(preferences.have, catalog);
  for (const Gpu& gpu : catalog.gpus) {
    if (!contains(excluded, &gpu)) {
      cards.push_back({&gpu, contains(owned, &gpu)});
    }
  }
  return cards;
}

double owned_boards(const Gpu& gpu, const Preferences& preferences, const CatalogView& catalog) {
  return static_cast<double>(std::count_if(preferences.have.begin(), preferences.have.end(),
                                           [&](const std::string& name) { return contains(catalog.find(name), &gpu); }));
}

bool pools_memory(Strategy strategy) {
  return strategy != Strategy::none && strategy != Strategy::ddp;
}

Strategy pooling_strategy(const Workload& workload) {
  if (workload.training()) {
    return Strategy::fsdp;
  }
  return splits_tensors(workload.engine) ? Strategy::tp : Strategy::layer_split;
}

std::vector<Spread> spreads(const Request& request) {
  const Workload& workload = request.workload;
  std::vector<Spread> ways{{workload.gpus, workload.strategy}};
  const bool strategy_open = !given(request, WorkloadKey::strategy);
  // Networks over images and recommenders are replicated in practice; sharding them is not offered unasked.
  const bool worth_splitting = request.model.transformer() != nullptr || request.model.diffusion() != nullptr;
  if (!worth_splitting || (!strategy_open && !pools_memory(workload.strategy))) {
    return ways;
  }
  const Strategy strategy = strategy_open ? pooling_strategy(workload) : workload.strategy;
  if (given(request, WorkloadKey::gpus)) {
    if (workload.gpus > 1.0 && strategy != workload.strategy) {
      ways.push_back({workload.gpus, strategy});
    }
    return ways;
  }
  for (const double count : k_counts) {
    if (count > workload.gpus) {
      ways.push_back({count, strategy});
    }
  }
  return ways;
}

Workload spread_over(const Workload& workload, const Spread& spread, bool fp16) {
  Workload out = workload;
  if (spread.gpus != workload.gpus || spread.strategy != workload.strategy) {
    out.gpus = spread.gpus;
    out.strategy = spread.strategy;
    if (spread.strategy == Strategy::tp) {
      out.tp = spread.gpus;
    }
  }
  if (fp16) {
    out.precision.kind = without_bf16(out.precision.kind);
    out.kv_precision = {without_bf16(out.kv_precision.k), without_bf16(out.kv_precision.v)};
    if (out.weights) {
      out.weights->kind = without_bf16(out.weights->kind);
    }
  }
  return out;
}

bool needs_fp16(const Request& request, const Gpu& gpu) {
  if (given(request, WorkloadKey::precision) || !uses_bf16(request.workload.precision)) {
    return false;
  }
  return gpu.vendor == Vendor::nvidia && gpu.compute_capability.value_or(k_bf16_capability) < k_bf16_capability;
}

}  // namespace gpuadvise::advise
