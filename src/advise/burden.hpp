// What a remedy costs its user, to order remedies and to drop those that another one beats in everything.
#pragma once

#include <gpuadvise/advice.hpp>

#include <cstddef>

namespace gpuadvise::advise {

struct Burden {
  double money_usd = 0.0;
  double risk = 0.0;      // for the result
  double slowness = 1.0;  // time of the changed job over that of the job as asked
  double host_gib = 0.0;  // memory that the host must have
  double need = 0.0;      // bytes on the card
  std::size_t changes = 1;
  bool tight = false;
  bool rebuilt = false;  // another way to run the training: DeepSpeed or FSDP around it
};

// Nothing lost, then time, then quality, then money.
[[nodiscard]] double total(const Burden& burden);

// As good in everything and better in something. Much less memory is a good of its own: room for a larger batch.
[[nodiscard]] bool beats(const Burden& a, const Burden& b);

}  // namespace gpuadvise::advise
