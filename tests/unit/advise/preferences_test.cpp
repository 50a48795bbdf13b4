#include "advise/preferences.hpp"

#include "advise/tiers.hpp"
#include "catch.hpp"

namespace gpuadvise::advise {
namespace {

Preferences read(std::vector<Setting> settings) {
  return read_preferences(settings);
}

}  // namespace

TEST_CASE("preferences take what people write", "[advise]") {
  const Preferences p = read({{"budget", "$1,500", Origin::user},
                              {"reserve-share", "20%", Origin::user},
                              {"psu", "650", Origin::user},
                              {"prefer", "Value", Origin::file},
                              {"vendor", "nvidia, AMD", Origin::user},
                              {"candidates", "rtx-3090,rtx 4090", Origin::user},
                              {"strict", true, Origin::user},
                              {"price", "rtx-3090=650", Origin::user}});
  CHECK(p.budget_usd == 1500.0);
  CHECK(*p.spendable_usd() == Approx(1200.0));
  CHECK(p.psu_w == 650.0);
  CHECK(p.prefer == Prefer::value);
  CHECK(p.vendors == std::vector<Vendor>{Vendor::nvidia, Vendor::amd});
  CHECK(p.candidates == std::vector<std::string>{"rtx-3090", "rtx 4090"});
  CHECK(p.strict);
  REQUIRE(p.price_overrides.size() == 1);
  CHECK(p.price_overrides[0].usd == 650.0);
  CHECK(p.origin(PreferenceKey::prefer) == Origin::file);
  CHECK(p.origin(PreferenceKey::years) == Origin::unset);
}

TEST_CASE("all faults of the preferences are told at once", "[advise]") {
  const std::vector<Setting> settings{{"budget", "abc", Origin::user}, {"prefer", "cheap", Origin::user}, {"years", "-1", Origin::user}};
  workload::Faults faults;
  static_cast<void>(read_preferences(settings, faults));
  REQUIRE(faults.size() == 3);
  CHECK_THAT(faults[0].message, ContainsSubstring("budget 'abc'"));
  CHECK_THAT(faults[1].hint, ContainsSubstring("value"));
  CHECK_THAT(faults[2].message, ContainsSubstring("out of range"));
  CHECK_THROWS_AS(read_preferences(settings), workload::RequestError);
}

TEST_CASE("a tier fills in only what is left open", "[advise]") {
  const Preferences entry = read({{"tier", "entry", Origin::user}, {"budget", 200.0, Origin::user}});
  CHECK(entry.budget_usd == 200.0);
  CHECK(entry.prefer == Prefer::value);
  CHECK(entry.origin(PreferenceKey::prefer) == Origin::preset);
  CHECK(entry.segments == std::vector<Segment>{Segment::consumer});
  const Preferences enterprise = read({{"tier", "enterprise", Origin::user}, {"form", "desktop", Origin::user}});
  CHECK(enterprise.form == MachineForm::desktop);
  CHECK_FALSE(enterprise.budget_usd.has_value());
  CHECK(enterprise.condition == Condition::brand_new);
  CHECK_THAT(tier_text(enterprise), ContainsSubstring("condition new"));
  CHECK(read({{"tier", "enterprise", Origin::user}, {"condition", "used", Origin::user}}).condition == Condition::used);
  CHECK(read({{"tier", "lab", Origin::user}}).condition == Condition::any);
}

TEST_CASE("each kind of buyer has a tier, by either of its words", "[advise]") {
  const Preferences student = read({{"tier", "student", Origin::user}});
  CHECK(student.tier == Tier::entry);
  CHECK(to_string(student.tier) == "student");
  CHECK(read({{"tier", "professional", Origin::user}}).budget_usd == read({{"tier", "pro", Origin::user}}).budget_usd);
  CHECK(read({{"tier", "entry", Origin::user}}).budget_per_hour_usd == student.budget_per_hour_usd);
  const Preferences lab = read({{"tier", "lab", Origin::user}});
  CHECK(lab.segments == std::vector<Segment>{Segment::consumer, Segment::workstation});
  CHECK(*lab.budget_usd > *read({{"tier", "pro", Origin::user}}).budget_usd);
  CHECK_FALSE(lab.budget_per_hour_usd.has_value());
  CHECK_THROWS_AS(read({{"tier", "hobby", Origin::user}}), workload::RequestError);
}

TEST_CASE("what a tier set is told, and only that", "[advise]") {
  const Preferences p = read({{"tier", "student", Origin::user}, {"budget", 200.0, Origin::user}});
  CHECK(tier_text(p) == "tier student sets budget_per_hour 0.5, form desktop, segment consumer, prefer value");
  CHECK(tier_text(Preferences{}).empty());
}

TEST_CASE("changed wishes keep the others, in dollars", "[advise]") {
  const Preferences euros = read({{"budget", 920.0, Origin::user}, {"currency", "EUR", Origin::user}, {"fx", 0.92, Origin::user}});
  const std::vector<Setting> hourly{{"budget_per_hour", 1.84, Origin::user}};
  const Preferences changed = with_settings(euros, hourly);
  CHECK(*changed.budget_usd == Approx(1000.0));
  CHECK(*changed.budget_per_hour_usd == Approx(2.0));
  const std::vector<Setting> budget{{"budget", 1840.0, Origin::user}};
  CHECK(*with_settings(euros, budget).budget_usd == Approx(2000.0));
  const std::vector<Setting> wrong{{"form", "sofa", Origin::user}};
  CHECK_THROWS_AS(with_settings(euros, wrong), workload::RequestError);
}

TEST_CASE("budgets are in the user's currency", "[advise]") {
  CHECK(*read({{"budget", 920.0, Origin::user}, {"currency", "EUR", Origin::user}, {"fx", 0.92, Origin::user}}).budget_usd ==
        Approx(1000.0));
  CHECK_THROWS_AS(read({{"currency", "EUR", Origin::user}}), workload::RequestError);
}

TEST_CASE("every key is in the table in order, and can be read back", "[advise]") {
  const auto keys = preference_keys();
  REQUIRE(keys.size() == k_preference_keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK(static_cast<std::size_t>(keys[i].key) == i);
    CHECK(find_preference(keys[i].name) == &keys[i]);
    CHECK(keys[i].help.size() <= 60);
  }
  CHECK(find_preference("max-power")->key == PreferenceKey::max_power_w);
  CHECK(find_preference("batch") == nullptr);
  CHECK(*preference_value(read({{"budget", 500.0, Origin::user}}), PreferenceKey::budget).number() == 500.0);
  CHECK(preference_value(Preferences{}, PreferenceKey::budget).is_null());
}

}  // namespace gpuadvise::advise
