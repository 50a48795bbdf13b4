// Single changes of a request that save memory: what each sets, what it costs, and how frameworks call it.
#pragma once

#include <gpuadvise/advice.hpp>

#include "advise/assess.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

// In the order in which they are applied: those that search for a value come last, when everything else is settled.
enum class ChangeId : std::uint8_t {
  sdpa,
  fused_loss,
  mixed_precision,
  bf16_weights,
  selective_checkpointing,
  checkpointing,
  optimizer_8bit,
  paged_optimizer,
  sgd,
  lora,
  qlora,
  half_precision,
  kv_8bit,
  int8,
  int4,
  gguf,
  vae_tiling,
  offload_activations,
  offload_optimizer,
  offload_params,
  offload_model,
  offload_sequential,
  offload_experts,
  offload_layers,
  accumulate,
  fewer_requests,
  smaller_batch,
  shorter,
  smaller_image,
  share_batch,
  shard,
  count_,
};

// A request on its way: the workload so far, and the settings that lead there.
struct Changed {
  const Request* request = nullptr;
  const Assessor* assessor = nullptr;
  const AdviceOptions* options = nullptr;
  const Gpu* gpu = nullptr;
  Workload workload;
  std::vector<Setting> settings;
  Verdict worst = Verdict::fits;  // what searches may end in
  bool windows = false;           // its driver takes a share of the card

  // Whether this card holds the workload, by the verdict asked for.
  [[nodiscard]] bool holds(const Workload& candidate) const;
  // The same where the network must be counted anew: read from the settings so far and one more. Unset: they cannot be read.
  [[nodiscard]] std::optional<Workload> holds_with(const Setting& setting) const;
  // The user said so, in the request or a file of it.
  [[nodiscard]] bool given(WorkloadKey key) const { return request->origins[key] >= Origin::file; }
};

inline constexpr std::string_view k_same_result = "same result";

// What of a request a change touches; two that touch the same are no combination.
using Touches = unsigned;

struct Change {
  ChangeId id = ChangeId::sdpa;
  std::string_view name;
  std::string_view title;
  std::string_view effect;
  double risk = 0.0;  // for the result: 0 none, 1 another job; what the user allowed is little
  Touches touches = 0;
  bool searches = false;  // its value depends on what else was changed
  bool speeds_up = false;
  // False where the change does not apply, is in force already, or finds no value.
  bool (*apply)(Changed&) = nullptr;
};

[[nodiscard]] std::span<const Change> changes();
[[nodiscard]] const Change& change_of(ChangeId id);
// More cards; they are bought.
[[nodiscard]] bool adds_cards(ChangeId id);

// The change in words with its numbers, what it costs here, and how it is written here.
[[nodiscard]] std::string title_of(const Change& change, const Changed& changed);
[[nodiscard]] double risk_of(const Change& change, const Changed& changed);
[[nodiscard]] std::string effect_of(const Change& change, const Changed& changed);
[[nodiscard]] std::string how_of(const Change& change, const Changed& changed);

// Sets a contract key in the list of settings, once.
void set(Changed& changed, std::string_view key, Value value);
void set_precision(Changed& changed, PrecisionKind kind);

// How a workload is spread over GPUs, as far as the request is not read so anyway.
[[nodiscard]] std::vector<Setting> spread_settings(const Request& request, const Workload& workload);
// A strategy that followed from the job as asked need not follow from the changed one.
void keep_inferred_strategy(Changed& changed);

[[nodiscard]] bool has_bf16(const Gpu& gpu);
[[nodiscard]] bool language_model(const Changed& changed);
[[nodiscard]] bool splittable(const Request& request);

}  // namespace gpuadvise::advise
