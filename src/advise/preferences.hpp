// The vocabulary of preferences, once: reader, flags, help and output all walk this table.
#pragma once

#include <gpuadvise/preferences.hpp>
#include <gpuadvise/workload.hpp>

#include "workload/fault.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::advise {

enum class PreferenceKind : std::uint8_t { usd, number, share, boolean, choice, names, text, prices };

struct PreferenceSpec {
  PreferenceKey key = PreferenceKey::budget;
  std::string_view name;
  PreferenceKind kind = PreferenceKind::text;
  std::string_view unit;
  std::string_view help;                      // at most 60 characters
  std::span<const std::string_view> choices;  // kind choice, and names of a closed list
  double low = 0.0;
  double high = 0.0;
};

// In the order of PreferenceKey.
[[nodiscard]] std::span<const PreferenceSpec> preference_keys();
// Forgives '-' for '_', case, and a unit left off ("psu" is psu_w); nullptr when there is no such key.
[[nodiscard]] const PreferenceSpec* find_preference(std::string_view name);

// Lower case, '_' for '-'.
[[nodiscard]] std::string canonical(std::string_view name);

// Reads the settings whose key is a preference; others are not its business. A later setting replaces an earlier one.
// Every fault is added to `faults`.
[[nodiscard]] Preferences read_preferences(std::span<const Setting> settings, workload::Faults& faults);
// Throws workload::RequestError.
[[nodiscard]] Preferences read_preferences(std::span<const Setting> settings);

// The same wishes with some settings changed; throws workload::RequestError.
[[nodiscard]] Preferences with_settings(const Preferences& preferences, std::span<const Setting> settings);

// The value in force, for output; null where nothing is set.
[[nodiscard]] Value preference_value(const Preferences& preferences, PreferenceKey key);

}  // namespace gpuadvise::advise
