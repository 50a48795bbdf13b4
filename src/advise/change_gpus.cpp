// More GPUs of a kind: shares of the batch for each, or parts of one job.
#include "advise/candidates.hpp"
#include "advise/change_apply.hpp"
#include "workload/keys.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace gpuadvise::advise {
namespace {

constexpr std::array<double, 3> k_counts{2.0, 4.0, 8.0};

Strategy sharding(const Workload& workload) {
  return workload.training() && workload.stack == Stack::hf_deepspeed ? Strategy::zero3 : pooling_strategy(workload);
}

// Tensor parallelism gives each GPU whole heads; engines refuse to start otherwise.
bool heads_divide(const Request& request, const Spread& way) {
  const TransformerShape* shape = request.model.transformer();
  return way.strategy != Strategy::tp || shape == nullptr || std::fmod(shape->heads, way.gpus) == 0.0;
}

void settle_spread(Changed& c) {
  for (Setting& each : spread_settings(*c.request, c.workload)) {
    set(c, each.key, std::move(each.value));
  }
}

}  // namespace

std::vector<Setting> spread_settings(const Request& request, const Workload& workload) {
  const Workload& asked = request.workload;
  std::vector<Setting> settings;
  const auto add = [&settings](std::string_view key, Value value) {
    settings.push_back({std::string(key), std::move(value), Origin::user});
  };
  if (workload.gpus != asked.gpus || workload.strategy != asked.strategy) {
    add("gpus", workload.gpus);
    add("strategy", std::string(workload::name_of(WorkloadKey::strategy, workload.strategy)));
  }
  if (workload.tp != asked.tp || (workload.tp > 1.0 && request.origins[WorkloadKey::tp] < Origin::file)) {
    add("tp", workload.tp);
  }
  if (workload.pp != asked.pp || (workload.pp > 1.0 && request.origins[WorkloadKey::pp] < Origin::file)) {
    add("pp", workload.pp);
  }
  return settings;
}

void keep_inferred_strategy(Changed& c) {
  const Origin origin = c.request->origins[WorkloadKey::strategy];
  if (c.workload.all_gpus() > 1.0 && origin != Origin::fallback && !c.given(WorkloadKey::strategy)) {
    set(c, "strategy", std::string(workload::name_of(WorkloadKey::strategy, c.workload.strategy)));
  }
}

// Data parallel: the same batch in all, a share of it on each.
bool share_batch(Changed& c) {
  Workload& w = c.workload;
  const bool replicated = w.strategy == Strategy::none || w.strategy == Strategy::ddp;
  if (!w.training() || w.batch <= 1.0 || !replicated || w.nodes > 1.0) {
    return false;
  }
  for (const double count : k_counts) {
    Workload candidate = spread_over(w, {count, Strategy::ddp}, false);
    candidate.batch = w.batch * w.gpus / count;
    if (count <= w.gpus || candidate.batch != std::floor(candidate.batch) || candidate.batch < 1.0 || !c.holds(candidate)) {
      continue;
    }
    w = candidate;
    settle_spread(c);
    set(c, "batch", w.batch);
    return true;
  }
  return false;
}

// The GPUs that the user has, or the fewest of the kind that hold the job, once their memory is pooled.
bool shard_over_gpus(Changed& c) {
  const Workload& w = c.workload;
  if (!splittable(*c.request) || w.offload.kind == OffloadKind::layers) {
    return false;
  }
  const Strategy strategy = sharding(w);
  std::array<Spread, k_counts.size() + 1> ways{};
  std::size_t count = 0;
  if (w.gpus > 1.0 && !pools_memory(w.strategy)) {
    ways[count++] = {w.gpus, strategy};
  }
  for (const double gpus : k_counts) {
    if (gpus > w.gpus) {
      ways[count++] = {gpus, strategy};
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Workload candidate = spread_over(w, ways[i], false);
    if (heads_divide(*c.request, ways[i]) && c.holds(candidate)) {
      c.workload = candidate;
      settle_spread(c);
      return true;
    }
  }
  return false;
}

}  // namespace gpuadvise::advise
