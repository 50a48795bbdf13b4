#include "cli/flag_table.hpp"

#include "advise/preferences.hpp"
#include "workload/keys.hpp"
#include "workload/setting_text.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::cli {
namespace {

std::string_view heading_of(workload::KeyGroup group) {
  static constexpr std::array<std::string_view, 6> headings{"Model", "Task", "Training", "Inference", "Several GPUs", "Amount of work"};
  return headings[static_cast<std::size_t>(group)];
}

std::string_view value_of(const workload::KeySpec& key) {
  using enum workload::ValueKind;
  switch (key.kind) {
    case size:
      return "SIZE";
    case count:
      return "N";
    case number:
      return "NUMBER";
    case boolean:
      return "";
    case choice:
      return "WORD";
    case precision:
    case kv_precision:
      return "TYPE";
    case image:
      return "PIXELS";
    case resolution:
      return "WxH";
    case lora_targets:
    case frozen:
      return "LIST";
    case offload:
      return "KIND";
    case text:
      return "NAME";
  }
  return "VALUE";
}

std::string_view value_of(const advise::PreferenceSpec& key) {
  using enum advise::PreferenceKind;
  switch (key.kind) {
    case usd:
      return "USD";
    case number:
      return "NUMBER";
    case share:
      return "SHARE";
    case boolean:
      return "";
    case choice:
      return "WORD";
    case names:
      return "LIST";
    case prices:
      return "GPU=USD,..";
    case text:
      return "TEXT";
  }
  return "VALUE";
}

FlagSpec output_flag(std::string_view name, std::string_view value, std::string_view help, std::string_view extra = {},
                     bool repeatable = false) {
  return {std::string(name), std::string(name), value, help, FlagGroup::output, "Output", value.empty(), repeatable, extra};
}

FlagSpec data_flag(std::string_view name, std::string_view value, std::string_view help, bool repeatable = false) {
  return {std::string(name), std::string(name), value, help, FlagGroup::data, "Data", value.empty(), repeatable, {}};
}

std::vector<FlagSpec> workload_flags() {
  std::vector<FlagSpec> flags;
  for (const workload::KeySpec& key : workload::keys()) {
    const bool is_switch = key.kind == workload::ValueKind::boolean;
    flags.push_back({workload::flag_name(key.name),
                     std::string(key.name),
                     value_of(key),
                     key.help,
                     FlagGroup::workload,
                     heading_of(key.group),
                     is_switch,
                     false,
                     {}});
  }
  // In the order of their headings, so that each heading is printed once.
  std::stable_sort(flags.begin(), flags.end(), [](const FlagSpec& a, const FlagSpec& b) {
    static constexpr std::array<std::string_view, 6> order{"Model", "Task", "Training", "Inference", "Several GPUs", "Amount of work"};
    return std::find(order.begin(), order.end(), a.heading) < std::find(order.begin(), order.end(), b.heading);
  });
  return flags;
}

std::vector<FlagSpec> preference_flags() {
  std::vector<FlagSpec> flags;
  for (const advise::PreferenceSpec& key : advise::preference_keys()) {
    // Keys that no rule and no estimate reads yet are no flags: an option without effect would mislead. `prices` are files: the
    // data flag of the same name.
    static constexpr std::array<PreferenceKey, 3> without_effect{PreferenceKey::prices, PreferenceKey::currency, PreferenceKey::fx};
    if (std::find(without_effect.begin(), without_effect.end(), key.key) != without_effect.end()) {
      continue;
    }
    const bool is_switch = key.kind == advise::PreferenceKind::boolean;
    const std::string_view unit_free = key.name.ends_with("_w") ? key.name.substr(0, key.name.size() - 2) : std::string_view{};
    flags.push_back({workload::flag_name(key.name), std::string(key.name), value_of(key), key.help, FlagGroup::preferences,
                     "Budget and machine", is_switch, false, unit_free});
  }
  return flags;
}

std::vector<FlagSpec> output_flags() {
  std::vector<FlagSpec> flags{
      output_flag("format", "FORMAT", "table, json, jsonl, csv, tsv, markdown, html"),
      output_flag("output", "FILE", "write there, format by suffix; - is stdout", {}, true),
      output_flag("limit", "N", "show at most N results"),
      output_flag("sort", "KEY", "order by a column instead of the score"),
      output_flag("columns", "LIST", "columns to show"),
      output_flag("color", "WHEN", "auto, always, never"),
      output_flag("verbose", "", "more detail: breakdown, findings, sources", "-v"),
      output_flag("quiet", "", "only the winner's id", "-q"),
  };
  for (FlagSpec& flag : flags) {
    flag.of_ranking = flag.name == "limit" || flag.name == "sort" || flag.name == "columns" || flag.name == "quiet";
  }
  return flags;
}

std::vector<FlagSpec> data_flags() {
  return {
      data_flag("catalog", "FILE", "lay GPUs, models, prices or software over the data", true),
      data_flag("prices", "FILE", "lay a file of prices over the data", true),
      data_flag("rules", "FILE", "add, replace or disable rules", true),
      data_flag("data-dir", "DIR", "use this folder in place of the built-in data"),
      data_flag("no-user-data", "", "leave out the files of the user's data folder"),
      data_flag("settings", "FILE", "flags in TOML, in place of the user's own file"),
  };
}

}  // namespace

std::vector<FlagSpec> flags_of(FlagGroup group) {
  switch (group) {
    case FlagGroup::workload:
      return workload_flags();
    case FlagGroup::preferences:
      return preference_flags();
    case FlagGroup::output:
      return output_flags();
    case FlagGroup::data:
      return data_flags();
  }
  return {};
}

bool is_known_flag(std::string_view name) {
  return std::any_of(k_flag_groups.begin(), k_flag_groups.end(), [name](FlagGroup group) {
    const std::vector<FlagSpec> flags = flags_of(group);
    return std::any_of(flags.begin(), flags.end(), [name](const FlagSpec& flag) { return flag.name == name; });
  });
}

}  // namespace gpuadvise::cli
