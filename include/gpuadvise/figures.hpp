// Results of the estimators: memory, fit, speed. All memory is in bytes for the fullest GPU unless a name says all_gpus.
#pragma once

#include <gpuadvise/units.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuadvise {

// Parts of the expected device figure; they sum to it.
struct MemoryComponents {
  double weights = 0;
  double gradients = 0;
  double optimizer_states = 0;
  double activations = 0;
  double logits = 0;
  double kv_cache = 0;
  double recurrent_state = 0;
  double workspace = 0;
  double communication = 0;
  double runtime = 0;
  double fragmentation = 0;

  [[nodiscard]] double sum() const {
    return weights + gradients + optimizer_states + activations + logits + kv_cache + recurrent_state + workspace + communication +
           runtime + fragmentation;
  }
  [[nodiscard]] MemoryComponents scaled(double factor) const {
    return {weights * factor,       gradients * factor, optimizer_states * factor, activations * factor,
            logits * factor,        kv_cache * factor,  recurrent_state * factor,  workspace * factor,
            communication * factor, runtime * factor,   fragmentation * factor};
  }
};

struct AllGpusMemory {
  Interval allocated;
  Interval reserved;
  Interval device;
  std::optional<Interval> steady;
  MemoryComponents components;
};

struct MemoryFigures {
  Interval need;                   // what a card must have: 1.06 x allocated + runtime + communication
  Interval allocated;              // live tensors at the peak
  Interval reserved;               // with what the caching allocator keeps
  Interval device;                 // what the driver's tool shows with room to spare
  std::optional<Interval> steady;  // inference: weights and state at the end of decoding
  MemoryComponents components;
  AllGpusMemory all_gpus;
  double host_bytes = 0;  // RAM the host must hold for this GPU set
};

struct Capacity {
  std::optional<double> kv_tokens;
  std::optional<double> max_concurrency;
  std::optional<double> max_batch;
  std::optional<double> max_seq;
};

enum class Verdict : std::uint8_t { fits, tight, no };
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Fit {
  double visible_bytes = 0;
  double usable_bytes = 0;
  Verdict verdict = Verdict::no;
  double probability = 0;  // that the need is at most the usable memory
};

enum class ThroughputUnit : std::uint8_t { images, samples, tokens, iterations };
[[nodiscard]] std::string_view to_string(ThroughputUnit unit);  // "images/s" ...
enum class Bound : std::uint8_t { compute, bandwidth, launch, communication };
[[nodiscard]] std::string_view to_string(Bound bound);

// Shares of the step time; they sum to 1.
struct SpeedShares {
  double compute = 0;
  double traffic = 0;
  double host = 0;
  double communication = 0;
};

struct SpeedFigures {
  Interval step_seconds;  // one optimizer step with all its micro-batches; inference: one forward of the batch
  Interval throughput;    // whole job, all GPUs
  ThroughputUnit unit = ThroughputUnit::images;
  std::optional<Interval> prefill_tokens_per_s;
  std::optional<Interval> decode_tokens_per_s;
  Bound bound = Bound::compute;
  SpeedShares shares;
  std::optional<double> scaling_efficiency;  // several GPUs against one
  bool prior = false;                        // rests on constants that no measurement of this kind of card supports
};

struct Figures {
  MemoryFigures memory;
  Capacity capacity;
  std::optional<Fit> fit;             // with a card
  std::optional<SpeedFigures> speed;  // with a card that can run it
  bool speed_refused = false;         // a speed is known, and withheld: the job certainly does not fit
};

}  // namespace gpuadvise
