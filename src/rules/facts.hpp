// The named facts that rules may ask for: one table says each name, its kind, where it is known, and how it is read.
#pragma once

#include <gpuadvise/advice.hpp>

#include "rules/datum.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::rules {

class SoftwareAnswers;

// Everything a fact may look at. A null pointer makes its facts null.
struct Subject {
  const Request* request = nullptr;
  const Workload* workload = nullptr;  // as it would run on the candidate
  const Preferences* preferences = nullptr;
  const Gpu* gpu = nullptr;
  double count = 1.0;
  Sourcing source = Sourcing::buy;
  bool named = false;          // the user named this card
  std::string_view precision;  // name of the precision of `workload`
  const Costs* cost = nullptr;
  const Figures* figures = nullptr;
  const SoftwareAnswers* software = nullptr;  // what the user's versions make of a card
  double reference_throughput = 0.0;          // of the reference card on the same request; 0 = not known
  double reference_power_w = 0.0;
};

// When a fact becomes known. A rule's scope is the union of its facts' scopes; it decides in which phase the rule runs.
namespace scope {
inline constexpr std::uint8_t request = 1;
inline constexpr std::uint8_t card = 2;
inline constexpr std::uint8_t price = 4;    // purchase price and rent per hour
inline constexpr std::uint8_t figures = 8;  // memory, fit, speed and the costs that follow from speed
}  // namespace scope

struct Fact {
  std::string_view name;
  Kind kind = Kind::number;
  std::uint8_t scope = scope::request;
  std::string_view meaning;
  Datum (*read)(const Subject&) = nullptr;
};

// Facts come in groups; an index is group * 256 + position, so that a compiled table stays valid within one build.
using FactIndex = std::uint16_t;
inline constexpr FactIndex k_no_fact = 0xffff;

[[nodiscard]] std::span<const Fact> gpu_facts();
[[nodiscard]] std::span<const Fact> workload_facts();
[[nodiscard]] std::span<const Fact> wants_facts();
[[nodiscard]] std::span<const Fact> result_facts();
[[nodiscard]] std::span<const Fact> software_facts();

[[nodiscard]] const Fact& fact_at(FactIndex index);
[[nodiscard]] std::optional<FactIndex> find_fact(std::string_view name);
[[nodiscard]] std::vector<std::string_view> fact_names();

}  // namespace gpuadvise::rules
