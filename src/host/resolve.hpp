// Which card of the catalog a GPU of the machine is.
#pragma once

#include "catalog/catalog.hpp"
#include "host/machine.hpp"

namespace gpuadvise::host {

// By PCI id where the tool prints one, by name (also one that a table cut short), then by memory. What was printed stays: a card with
// another memory than the catalog's keeps the size that was seen, with a note.
void resolve(HostGpu& gpu, const catalog::Catalog& catalog);
void resolve(Machine& machine, const catalog::Catalog& catalog);

// The nominal GiB of a MIG profile ("3g.40gb" -> 40) and its compute parts of seven (3); nullopt for another text.
struct MigProfile {
  double parts = 0.0;
  double memory_gib = 0.0;
};
[[nodiscard]] std::optional<MigProfile> parse_mig_profile(std::string_view profile);

}  // namespace gpuadvise::host
