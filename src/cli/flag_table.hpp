// Every flag as one row: parsing, help and completion walk the same table.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::cli {

enum class FlagGroup { workload, preferences, output, data };
inline constexpr std::array<FlagGroup, 4> k_flag_groups{FlagGroup::workload, FlagGroup::preferences, FlagGroup::output, FlagGroup::data};

struct FlagSpec {
  std::string name;        // without dashes: "grad-checkpointing"
  std::string key;         // "grad_checkpointing"
  std::string_view value;  // "N", "FILE"; empty for a switch
  std::string_view help;
  FlagGroup group = FlagGroup::workload;
  std::string_view heading;  // of the help text
  bool is_switch = false;    // --x / --no-x
  bool repeatable = false;
  std::string_view extra_name;  // "-v", or a long form without the unit
  bool of_ranking = false;      // only where cards are ranked
};

// All flags of the groups, in the order of the help text.
[[nodiscard]] std::vector<FlagSpec> flags_of(FlagGroup group);

// Whether any group has a flag of that name, without dashes.
[[nodiscard]] bool is_known_flag(std::string_view name);

}  // namespace gpuadvise::cli
