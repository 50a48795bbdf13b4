#include "advise/tiers.hpp"

#include "advise/preferences.hpp"
#include "workload/setting_text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace gpuadvise::advise {
namespace {

using K = PreferenceKey;

// Bounds follow the cards that guides name for each kind of buyer: GTX 1660 Super and RTX 3050 (student), RTX 3060 Ti and 4060 Ti
// (pro), one to four RTX 6000-class cards in a workstation (lab), A100 and DGX (enterprise). Rent by the hour follows what an hour
// on those cards costs; a lab and an enterprise have no limit of the hour. An enterprise buys with a warranty: new.
struct TierPreset {
  Tier tier;
  Prefer prefer;
  MachineForm form;
  std::optional<double> budget_usd;
  std::optional<double> budget_per_hour_usd;
  std::optional<Condition> condition;
  std::array<std::optional<Segment>, 2> segments;
};

constexpr auto k_tiers = std::to_array<TierPreset>({
    {Tier::entry, Prefer::value, MachineForm::desktop, 350.0, 0.5, std::nullopt, {Segment::consumer, std::nullopt}},
    {Tier::professional, Prefer::balanced, MachineForm::desktop, 1000.0, 2.0, std::nullopt, {Segment::consumer, Segment::workstation}},
    {Tier::lab, Prefer::memory, MachineForm::desktop, 20000.0, std::nullopt, std::nullopt, {Segment::consumer, Segment::workstation}},
    {Tier::enterprise,
     Prefer::speed,
     MachineForm::server,
     std::nullopt,
     std::nullopt,
     Condition::brand_new,
     {Segment::workstation, Segment::datacenter}},
});

struct Alias {
  std::string_view word;
  std::string_view shown;
};
constexpr auto k_aliases = std::to_array<Alias>({{"entry", "student"}, {"professional", "pro"}});

}  // namespace

std::string_view tier_word(std::string_view word) {
  const auto found = std::find_if(k_aliases.begin(), k_aliases.end(), [word](const Alias& alias) { return alias.word == word; });
  return found == k_aliases.end() ? word : found->shown;
}

void apply_tier(Preferences& p) {
  const auto preset = [&p](K key, auto& slot, const auto& value) {
    Origin& origin = p.origins[static_cast<std::size_t>(key)];
    if (origin == Origin::unset) {
      slot = value;
      origin = Origin::preset;
    }
  };
  const auto tier = std::find_if(k_tiers.begin(), k_tiers.end(), [&p](const TierPreset& each) { return each.tier == p.tier; });
  if (tier == k_tiers.end()) {
    return;
  }
  preset(K::prefer, p.prefer, tier->prefer);
  preset(K::form, p.form, tier->form);
  if (tier->budget_usd) {
    preset(K::budget, p.budget_usd, tier->budget_usd);
  }
  if (tier->budget_per_hour_usd) {
    preset(K::budget_per_hour, p.budget_per_hour_usd, tier->budget_per_hour_usd);
  }
  if (tier->condition) {
    preset(K::condition, p.condition, *tier->condition);
  }
  std::vector<Segment> segments;
  for (const std::optional<Segment>& segment : tier->segments) {
    if (segment) {
      segments.push_back(*segment);
    }
  }
  preset(K::segment, p.segments, segments);
}

std::string tier_text(const Preferences& p) {
  if (p.tier == Tier::none) {
    return {};
  }
  std::string settings;
  for (const PreferenceSpec& spec : preference_keys()) {
    if (p.origin(spec.key) == Origin::preset) {
      settings += (settings.empty() ? "" : ", ") + std::string(spec.name) + " " + workload::text_of(preference_value(p, spec.key));
    }
  }
  return "tier " + std::string(to_string(p.tier)) + " sets " + (settings.empty() ? "nothing that was left open" : settings);
}

}  // namespace gpuadvise::advise
