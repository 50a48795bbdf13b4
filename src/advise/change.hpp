// Single changes of a request that save memory: what each sets, what it costs, and how frameworks call it.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/assess.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

enum class ChangeId : std::uint8_t {
  accumulate,
  mixed_precision,
  sdpa,
  fused_loss,
  checkpointing,
  optimizer_8bit,
  lora,
  qlora,
  shard,
  smaller_batch,
  kv_8bit,
  int8,
  int4,
  shorter,
  offload_model,
  count_,
};

// A request on its way: the workload so far, and the settings that lead there.
struct Changed {
  const Request* request = nullptr;
  const Assessor* assessor = nullptr;
  const Gpu* gpu = nullptr;
  Workload workload;
  std::vector<Setting> settings;
  Verdict worst = Verdict::fits;  // what searches may end in
};

struct Change {
  ChangeId id = ChangeId::accumulate;
  std::string_view name;
  std::string_view title;
  std::string_view effect;
  std::string_view how;
  // False where the change does not apply, or is in force already.
  bool (*apply)(Changed&) = nullptr;
};

[[nodiscard]] const Change& change_of(ChangeId id);

// The change in words with its numbers, what it costs here, and how it is written here.
[[nodiscard]] std::string title_of(const Change& change, const Changed& changed);
[[nodiscard]] std::string_view effect_of(const Change& change, const Changed& changed);
[[nodiscard]] std::string_view how_of(const Change& change, const Changed& changed);

// Sets a contract key in the list of settings, once.
void set(Changed& changed, std::string_view key, Value value);

}  // namespace gpuadvise::advise
