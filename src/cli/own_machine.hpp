// The machine the user has: read, and made into cards that can be judged.
#pragma once

#include <gpuadvise/advice.hpp>

#include "cli/advisor.hpp"
#include "host/machine.hpp"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::cli {

// From saved outputs of one machine ("-" is standard input), or by asking the machine's tools where there are none.
// Throws Error{bad_data}, Error{host_unreadable}.
[[nodiscard]] host::Machine own_machine(const std::vector<std::string>& from, const catalog::Catalog& catalog);

[[nodiscard]] bool names_host(const std::vector<std::string>& have);
// "host" in a list of cards the user has, as the ids of the cards that are in this machine.
[[nodiscard]] std::vector<std::string> with_host_cards(const std::vector<std::string>& have, const host::Machine& machine);

// The machine's own PyTorch, where the output tells it and the user does not say otherwise: with it the cards are judged. Returns the
// assumption in words; empty: nothing was taken over.
[[nodiscard]] std::string use_versions_of(const host::Machine& machine, const Session& session, Preferences& preferences);

// GPUs of one kind, with what each may use now: a copy of the catalog's card, changed to the memory that was seen.
struct OwnCards {
  Gpu card;
  std::vector<double> usable_bytes;  // largest first; empty where the tool printed no memory: then the card's own figure holds
  std::size_t count = 1;
  bool joins_others = true;  // MIG slices cannot work on one job together

  // The card as the fullest of `gpus` of them shows it.
  [[nodiscard]] Gpu seen_by(std::size_t gpus) const;
};

struct OwnMachine {
  std::deque<OwnCards> kinds;
  std::deque<std::string> texts;  // ids and names of changed cards
  std::vector<Finding> findings;  // what was left out, and what was presumed
};
[[nodiscard]] OwnMachine own_cards(const host::Machine& machine);

// What the machine's own cards make of the request: one, two, four ... of a kind, as many as there are.
struct OwnAnswer {
  Advice advice;
  std::deque<Gpu> cards;  // the advice points at them
};
[[nodiscard]] OwnAnswer check_machine(const OwnMachine& machine, const Session& session, const Advisor& advisor, const CommandLine& line,
                                      const Asked& asked, const AdviceOptions& options = {});

}  // namespace gpuadvise::cli
