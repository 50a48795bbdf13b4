// Which cards are looked at, and in which ways the job may be spread over several of one kind.
#pragma once

#include <gpuadvise/advice.hpp>

#include <vector>

namespace gpuadvise::advise {

struct Card {
  const Gpu* gpu = nullptr;
  bool named = false;  // the user listed it
};

// All cards of the catalog, or the user's list, less the excluded ones; in catalog order, or as listed.
[[nodiscard]] std::vector<Card> cards_in_question(const Preferences& preferences, const CatalogView& catalog);

// How many boards of the card the user has: a name with several variants means each of them.
[[nodiscard]] double owned_boards(const Gpu& gpu, const Preferences& preferences, const CatalogView& catalog);

// One way to run the job: GPUs per node and the strategy that splits it.
struct Spread {
  double gpus = 1.0;
  Strategy strategy = Strategy::none;
  double tp = 0.0, pp = 0.0;  // degrees; 0 = as the strategy implies
};

// Whether the GPUs hold parts of one job, instead of a whole copy each.
[[nodiscard]] bool pools_memory(Strategy strategy);

// The strategy that pools the memory of several GPUs: sharding in training, what the engine does in inference.
[[nodiscard]] Strategy pooling_strategy(const Workload& workload);

// Every way to divide the job over the GPUs asked for that the training program or engine offers; as requested first, the others from
// simple to intricate.
[[nodiscard]] std::vector<Spread> ways_over(const Request& request);

// As requested first. Where the user left only the strategy open, then every other way to divide the job over the same GPUs. Where
// the number of GPUs is open, the ways that pool memory, with more and more of them: data parallelism keeps a whole copy on each
// and helps nothing when one does not hold it. Spreads over the same number of GPUs stand together.
[[nodiscard]] std::vector<Spread> spreads(const Request& request);

// One job over so many GPUs of a machine: as requested, else as is usual.
[[nodiscard]] Spread machine_spread(const Request& request, double gpus);

// The workload as it runs under a spread; `fp16` replaces bfloat16 where the card lacks it.
[[nodiscard]] Workload spread_over(const Workload& workload, const Spread& spread, bool fp16);

// The card lacks bfloat16 and the user did not ask for it: fp16 is planned instead.
[[nodiscard]] bool needs_fp16(const Request& request, const Gpu& gpu);

}  // namespace gpuadvise::advise
