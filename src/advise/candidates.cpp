#include "advise/candidates.hpp"

#include <gpuadvise/error.hpp>

#include "workload/defaults.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

bool division_given(const Request& request) {
  return given(request, WorkloadKey::strategy) || given(request, WorkloadKey::tp) || given(request, WorkloadKey::pp) ||
         given(request, WorkloadKey::cp);
}

// Networks over images and recommenders are replicated in practice; sharding them is not offered unasked.
bool worth_splitting(const Request& request) {
  return request.model.transformer() != nullptr || request.model.diffusion() != nullptr;
}

// What a training program can do with several GPUs (its documentation). Others than these are made for one GPU or have no say.
struct Offered {
  Stack stack = Stack::none;
  bool ddp = false, zero = false, fsdp = false;
  bool model_parallel = false;  // tensor and pipeline parallelism of dense matrices
};
constexpr auto k_offered = std::to_array<Offered>({
    {Stack::none, true, true, true, true},
    {Stack::hf_trainer, true, true, true, false},
    {Stack::hf_deepspeed, true, true, false, false},
    {Stack::axolotl, true, true, true, false},
    {Stack::ms_swift, true, true, true, false},
    {Stack::torchtune, true, false, true, false},
    {Stack::torchao, true, false, true, false},
    {Stack::litgpt, true, false, true, false},
    {Stack::torchtitan, true, false, true, true},
    {Stack::llm_foundry, true, false, true, false},
    {Stack::megatron, false, true, false, true},
    {Stack::fsdp_qlora, false, false, true, false},
    {Stack::diffusers, true, true, true, false},
});

Offered offered_by(Stack stack) {
  const auto found = std::find_if(k_offered.begin(), k_offered.end(), [stack](const Offered& row) { return row.stack == stack; });
  return found == k_offered.end() ? Offered{stack, true, false, false, false} : *found;
}

bool divides(double whole, double parts) {
  return parts >= 1.0 && std::fmod(whole, parts) == 0.0;
}

// Matrices are divided inside a node, layers between nodes: a layer is exchanged many times a step, a stage's output once.
void add_model_parallel(const Workload& workload, const TransformerShape& shape, std::vector<Spread>& ways) {
  const double gpus = workload.gpus;
  const double nodes = workload.nodes;
  const bool by_heads = gpus > 1.0 && divides(shape.heads, gpus);
  const Strategy beside = workload.training() ? Strategy::fsdp : Strategy::tp;
  if (nodes > 1.0) {
    if (by_heads && workload.training()) {
      ways.push_back({gpus, beside, gpus, 0.0});
    }
    if (shape.layers >= nodes) {
      ways.push_back({gpus, by_heads ? Strategy::tp : Strategy::pp, by_heads ? gpus : 0.0, by_heads ? nodes : gpus * nodes});
    }
    return;
  }
  if (by_heads) {
    ways.push_back({gpus, Strategy::tp, gpus, 0.0});
  }
  if (gpus >= 4.0 && divides(gpus, 2.0) && divides(shape.heads, gpus / 2.0)) {
    ways.push_back({gpus, Strategy::tp, gpus / 2.0, 2.0});
  }
  if (shape.layers >= gpus) {
    ways.push_back({gpus, Strategy::pp, 0.0, gpus});
  }
}

// The simplest first: of equally fast ways the first is taken.
void add_training_ways(const Request& request, std::vector<Spread>& ways) {
  const Workload& workload = request.workload;
  const Offered offered = offered_by(workload.stack);
  const bool full = workload.method == Method::full;
  const double gpus = workload.gpus;
  if (offered.ddp) {
    ways.push_back({gpus, Strategy::ddp});
  }
  if (offered.zero && full) {
    ways.push_back({gpus, Strategy::zero1});
    ways.push_back({gpus, Strategy::zero2});
  }
  if (offered.fsdp) {
    ways.push_back({gpus, Strategy::fsdp});
  } else if (offered.zero && workload.stack != Stack::megatron) {
    ways.push_back({gpus, Strategy::zero3});
  }
  const TransformerShape* shape = request.model.transformer();
  if (offered.model_parallel && full && shape != nullptr && request.workload.field != Field::encoder) {
    add_model_parallel(workload, *shape, ways);
  }
}

void add_serving_ways(const Request& request, std::vector<Spread>& ways) {
  const TransformerShape* shape = request.model.transformer();
  if (!splits_tensors(request.workload.engine) || shape == nullptr) {
    ways.push_back({request.workload.gpus, pooling_strategy(request.workload)});
    return;
  }
  ways.push_back({request.workload.gpus, Strategy::ddp});
  add_model_parallel(request.workload, *shape, ways);
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

// Vendors all of whose parts come with their computer: whoever names one, or the system that runs on nothing else, means the computer.
bool asks_for_system(const Gpu& gpu, const Preferences& preferences, const CatalogView& catalog) {
  const auto& vendors = preferences.vendors;
  const bool its_system = preferences.os == HostSystem::macos && gpu.vendor == Vendor::apple;
  const bool wanted = its_system || std::find(vendors.begin(), vendors.end(), gpu.vendor) != vendors.end();
  if (gpu.availability == Availability::announced || !wanted) {
    return false;
  }
  return std::none_of(catalog.gpus.begin(), catalog.gpus.end(),
                      [&gpu](const Gpu& other) { return other.vendor == gpu.vendor && other.form_factor != FormFactor::soc; });
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
    if (cards.empty()) {
      throw Error(ErrorCode::conflict, "every card of candidates is also in exclude", "leave a card out of one of them");
    }
    return cards;
  }
  cards.reserve(catalog.gpus.size());
  // A card that is in the machine needs no shop, slot or cooler: it counts as named.
  const std::vector<const Gpu*> owned = found(preferences.have, catalog);
  for (const Gpu& gpu : catalog.gpus) {
    if (!contains(excluded, &gpu)) {
      cards.push_back({&gpu, contains(owned, &gpu) || asks_for_system(gpu, preferences, catalog)});
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

std::vector<Spread> ways_over(const Request& request) {
  std::vector<Spread> ways{{request.workload.gpus, request.workload.strategy}};
  if (!worth_splitting(request) || request.workload.all_gpus() <= 1.0) {
    return ways;
  }
  std::vector<Spread> all;
  request.workload.training() ? add_training_ways(request, all) : add_serving_ways(request, all);
  const Workload& asked = request.workload;
  for (const Spread& way : all) {
    const Workload divided = spread_over(asked, way, false);
    const bool same = divided.strategy == asked.strategy && divided.tp == asked.tp && divided.pp == asked.pp;
    if (!same) {
      ways.push_back(way);
    }
  }
  return ways;
}

std::vector<Spread> spreads(const Request& request) {
  const Workload& workload = request.workload;
  std::vector<Spread> ways{{workload.gpus, workload.strategy}};
  const bool strategy_open = !division_given(request);
  if (!worth_splitting(request) || (!strategy_open && !pools_memory(workload.strategy))) {
    return ways;
  }
  if (given(request, WorkloadKey::gpus) || given(request, WorkloadKey::nodes)) {
    return strategy_open ? ways_over(request) : ways;
  }
  const Strategy strategy = strategy_open ? pooling_strategy(workload) : workload.strategy;
  for (const double count : k_counts) {
    if (count > workload.gpus) {
      ways.push_back({count, strategy});
    }
  }
  return ways;
}

Spread machine_spread(const Request& request, double gpus) {
  if (division_given(request) || request.workload.gpus == gpus) {
    return {gpus, request.workload.strategy};
  }
  Workload workload = request.workload;
  workload.gpus = gpus;
  return {gpus, workload::default_strategy(workload)};
}

Workload spread_over(const Workload& workload, const Spread& spread, bool fp16) {
  Workload out = workload;
  if (spread.gpus != workload.gpus || spread.strategy != workload.strategy || spread.tp > 0.0 || spread.pp > 0.0) {
    out.gpus = spread.gpus;
    out.strategy = spread.strategy;
    if (spread.tp > 0.0 || spread.pp > 0.0) {
      out.tp = std::max(1.0, spread.tp);
      out.pp = std::max(1.0, spread.pp);
    } else if (spread.strategy == Strategy::tp) {
      out.tp = spread.gpus;
    } else if (spread.strategy != workload.strategy) {
      out.tp = out.pp = 1.0;
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
