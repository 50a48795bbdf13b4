// wants.* and candidate.*: what the user wants and has, and which candidate is judged.
#include <gpuadvise/units.hpp>

#include "rules/facts.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::rules {
namespace {

// Version texts compare by their first two parts: "2.14.1" -> 2.14 would sort below 2.9, so the minor counts hundredths.
std::optional<double> version_number(std::string_view version) {
  const std::size_t dot = version.find('.');
  const std::optional<double> major = parse_number(version.substr(0, dot));
  if (!major || dot == std::string_view::npos) {
    return major;
  }
  const std::string_view rest = version.substr(dot + 1);
  const std::optional<double> minor = parse_number(rest.substr(0, rest.find('.')));
  return *major + minor.value_or(0.0) / 100.0;
}

template <class Read>
Datum of_wants(const Subject& subject, Read read) {
  return subject.preferences != nullptr ? read(*subject.preferences) : Datum{};
}

template <class T>
bool admits(const std::vector<T>& allowed, T value) {
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

#define WANTS_FACT(name, kind, meaning, expression)                                                          \
  Fact {                                                                                                     \
    "wants." name, Kind::kind, scope::request, meaning,                                                      \
        [](const Subject& s) { return of_wants(s, [](const Preferences& p) { return Datum(expression); }); } \
  }

constexpr auto k_facts = std::to_array<Fact>({
    WANTS_FACT("budget_usd", number, "budget for all GPUs of a candidate", number(p.budget_usd)),
    WANTS_FACT("spendable_usd", number, "the budget less the share kept for renewal", number(p.spendable_usd())),
    WANTS_FACT("reserve_share", number, "share of the budget kept for renewal", number(p.reserve_share)),
    WANTS_FACT("budget_per_hour_usd", number, "what an hour may cost to rent", number(p.budget_per_hour_usd)),
    WANTS_FACT("budget_per_run_usd", number, "what the run may cost", number(p.budget_per_run_usd)),
    WANTS_FACT("source", text, "buy, rent, both", text(to_string(p.source))),
    WANTS_FACT("condition", text, "any, new, used", text(to_string(p.condition))),
    WANTS_FACT("form", text, "desktop, laptop, sff, server", text(to_string(p.form))),
    WANTS_FACT("prefer", text, "balanced, value, speed, memory, efficiency", text(to_string(p.prefer))),
    WANTS_FACT("tier", text, "none, student, pro, lab, enterprise", text(to_string(p.tier))),
    WANTS_FACT("os", text, "linux, windows, macos", text(to_string(p.os))),
    WANTS_FACT("torch", number, "PyTorch version, minor in hundredths: 2.7 is 2.07", number(version_number(p.torch))),
    WANTS_FACT("cuda", number, "CUDA version, minor in hundredths", number(version_number(p.cuda))),
    WANTS_FACT("driver", number, "driver version, minor in hundredths", number(version_number(p.driver))),
    WANTS_FACT("max_power_w", number, "power limit for all GPUs", number(p.max_power_w)),
    WANTS_FACT("psu_w", number, "power supply of the machine", number(p.psu_w)),
    WANTS_FACT("slots", number, "free slots", number(p.slots)),
    WANTS_FACT("max_length_mm", number, "room for the board", number(p.max_length_mm)),
    WANTS_FACT("ram_gib", number, "memory of the machine", number(p.ram_gib)),
    WANTS_FACT("pcie_generation", number, "PCI Express generation of the machine", number(p.pcie_generation)),
    WANTS_FACT("min_speed", number, "least throughput wanted", number(p.min_speed)),
    WANTS_FACT("deadline_hours", number, "the run must end within", number(p.deadline_hours)),
    WANTS_FACT("strict", boolean, "tight counts as no", boolean(p.strict)),
    WANTS_FACT("years", number, "years of use", number(p.years)),
    WANTS_FACT("hours_per_day", number, "hours of use a day", number(p.hours_per_day)),
    WANTS_FACT("form_given", boolean, "the user chose the form", boolean(p.origin(PreferenceKey::form) >= Origin::preset)),
    Fact{"candidate.count", Kind::number, scope::card, "GPUs of the candidate", [](const Subject& s) { return s.gpu ? number(s.count) : Datum{}; }},
    Fact{"candidate.source", Kind::text, scope::card, "buy or rent", [](const Subject& s) { return s.gpu ? text(to_string(s.source)) : Datum{}; }},
    Fact{"candidate.named", Kind::boolean, scope::card, "the user named this card", [](const Subject& s) { return s.gpu ? boolean(s.named) : Datum{}; }},
    Fact{"candidate.vendor_wanted", Kind::boolean, scope::card, "of a vendor the user accepts",
         [](const Subject& s) { return s.gpu && s.preferences ? boolean(admits(s.preferences->vendors, s.gpu->vendor)) : Datum{}; }},
    Fact{"candidate.segment_wanted", Kind::boolean, scope::card, "of a segment the user accepts",
         [](const Subject& s) { return s.gpu && s.preferences ? boolean(admits(s.preferences->segments, s.gpu->segment)) : Datum{}; }},
    Fact{"candidate.segment_asked", Kind::boolean, scope::card, "the user named its segment", [](const Subject& s) {
           return s.gpu && s.preferences ? boolean(!s.preferences->segments.empty() && admits(s.preferences->segments, s.gpu->segment)) : Datum{};
         }},
});
static_assert(k_facts.size() < 256);

#undef WANTS_FACT

}  // namespace

std::span<const Fact> wants_facts() {
  return k_facts;
}

}  // namespace gpuadvise::rules
