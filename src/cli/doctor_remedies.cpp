#include "cli/doctor_remedies.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "cli/software_question.hpp"
#include "host/resolve.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::cli {
namespace {

// A name with words of the log behind it: shorter and shorter, as long as two words are left.
std::vector<const Gpu*> cards_named(const catalog::Catalog& catalog, std::string name, const std::optional<double>& total) {
  while (!name.empty()) {
    host::HostGpu gpu;
    gpu.name = name;
    gpu.total_bytes = total;
    host::resolve(gpu, catalog);
    if (gpu.card != nullptr) {
      return {gpu.card};
    }
    if (!gpu.possible.empty()) {
      return gpu.possible;
    }
    const std::size_t space = name.rfind(' ');
    name.erase(space == std::string::npos || name.find(' ') == space ? 0 : space);
  }
  return {};
}

// What programs see of a card is a little less than its size; another size differs by more.
bool memory_agrees(const Gpu& card, double total_bytes) {
  constexpr double k_least = 0.90;
  constexpr double k_most = 1.03;
  const double share = total_bytes / (card.memory_gib * k_gib);
  return card.unified_memory || (share >= k_least && share <= k_most);
}

std::string list_of(const std::vector<const Gpu*>& cards) {
  std::string list;
  for (const Gpu* card : cards) {
    list += (list.empty() ? "" : ", ") + std::string(card->id);
  }
  return list;
}

host::HostGpu gpu_of_log(const Gpu& card, const software::MemoryPicture& memory, int index) {
  host::HostGpu gpu;
  gpu.index = index;
  gpu.name = card.name;
  gpu.card = &card;
  gpu.total_bytes = card.reported_memory_mib ? *card.reported_memory_mib * k_mib : card.memory_gib * k_gib;
  gpu.used_bytes = memory.others_bytes().value_or(0.0);
  if (memory.total_bytes) {
    gpu.free_bytes = std::max(0.0, *memory.total_bytes - *gpu.used_bytes);
  }
  return gpu;
}

}  // namespace

SeenCard card_of_log(const catalog::Catalog& catalog, const software::LogReport& log, const std::optional<std::string>& named) {
  const std::optional<double> total = log.memory ? log.memory->total_bytes : std::nullopt;
  std::vector<const Gpu*> found;
  const auto add = [&](const std::vector<const Gpu*>& cards) {
    for (const Gpu* card : cards) {
      const bool agrees = !total || memory_agrees(*card, *total);
      if (agrees && std::find(found.begin(), found.end(), card) == found.end()) {
        found.push_back(card);
      }
    }
  };
  if (named) {
    for (const std::string& name : split_commas(*named)) {
      add(catalog.find_gpus(name));
    }
  } else {
    for (const std::string& name : log.cards) {
      add(cards_named(catalog, name, total));
    }
  }
  if (found.size() == 1) {
    const std::string where = named ? "as named" : "named in the log";
    return {found.front(), total && !named ? where + ", with the memory of the message" : where};
  }
  if (!found.empty()) {
    return {nullptr, "it may be any of " + list_of(found)};
  }
  return {nullptr, named               ? "the card that is named has another memory than the message tells"
                   : log.cards.empty() ? "the log names no card"
                                       : "the log names no card of the catalog with this memory"};
}

Prescription prescribe(const Session& session, const Advisor& advisor, const CommandLine& line, const software::LogReport& log,
                       const Gpu& card) {
  Prescription out;
  Asked asked = read_request(session, line);
  out.request = asked.request;
  host::Machine machine;
  for (int i = 0; i < static_cast<int>(std::min(asked.request.workload.gpus, 64.0)); ++i) {
    machine.gpus.push_back(gpu_of_log(card, log.memory.value_or(software::MemoryPicture{}), i));
  }
  out.machine = own_cards(machine);
  AdviceOptions options;
  options.force_remedies = true;  // the job did not fit, whatever the estimate says
  out.answer = check_machine(out.machine, session, advisor, line, asked, options);
  return out;
}

}  // namespace gpuadvise::cli
