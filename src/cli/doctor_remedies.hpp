// What would make the user's job fit the card on which a log shows that memory ran out.
#pragma once

#include "cli/advisor.hpp"
#include "cli/own_machine.hpp"
#include "software/diagnosis.hpp"

#include <deque>
#include <optional>
#include <string>

namespace gpuadvise::cli {

// The card of the log: as the user named it, else the one whose name stands in the log and whose memory is that of the message.
struct SeenCard {
  const Gpu* gpu = nullptr;
  std::string how;  // in words: where it was found, or why there is none
};
[[nodiscard]] SeenCard card_of_log(const catalog::Catalog& catalog, const software::LogReport& log,
                                   const std::optional<std::string>& named);

// The judgement points at the machine and its cards.
struct Prescription {
  Request request;
  OwnMachine machine;
  OwnAnswer answer;
};

// Judges the job on the card with what the message leaves of its memory. Throws workload::RequestError.
[[nodiscard]] Prescription prescribe(const Session& session, const Advisor& advisor, const CommandLine& line,
                                     const software::LogReport& log, const Gpu& card);

}  // namespace gpuadvise::cli
