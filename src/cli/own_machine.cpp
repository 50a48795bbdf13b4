#include "cli/own_machine.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/rank.hpp"
#include "advise/reasons.hpp"
#include "catalog/data_reader.hpp"
#include "host/lines.hpp"
#include "host/probe.hpp"
#include "host/resolve.hpp"
#include "rules/software_answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace gpuadvise::cli {
namespace {

constexpr double k_same_memory = 0.02;
// The tightest profile (1g.18gb of an H200 holds 16.0 GiB) gives less than its name says.
constexpr double k_mig_share = 0.88;
constexpr double k_mig_parts = 7.0;

// The model of the driver's own share is linear: the reported size at which `visible` bytes are seen.
double reported_mib(double visible) {
  Gpu probe;
  probe.reported_memory_mib = 16384.0;
  const double at_16 = estimate::visible_bytes(probe);
  probe.reported_memory_mib = 32768.0;
  const double slope = (estimate::visible_bytes(probe) - at_16) / 16384.0;
  return std::max(0.0, 16384.0 + (visible - at_16) / slope);
}

// What the job finds free. The tool's own free memory is what is left for programs; where only the memory in use is printed, the
// driver's share is still in the rest.
std::optional<double> usable_of(const host::HostGpu& gpu) {
  if (!gpu.total_bytes) {
    return std::nullopt;
  }
  Gpu whole;
  whole.reported_memory_mib = *gpu.total_bytes / k_mib;
  const double visible = estimate::visible_bytes(whole);
  const double after_use = std::max(0.0, visible - gpu.used_bytes.value_or(0.0));
  return gpu.free_bytes ? std::min(*gpu.free_bytes, after_use) : after_use;
}

// Of several cards that a text may mean, the one that promises least.
const Gpu* least_of(const std::vector<const Gpu*>& cards) {
  return *std::min_element(cards.begin(), cards.end(), [](const Gpu* a, const Gpu* b) {
    return a->memory_gib != b->memory_gib                         ? a->memory_gib < b->memory_gib
           : a->memory_bandwidth_gb_s != b->memory_bandwidth_gb_s ? a->memory_bandwidth_gb_s < b->memory_bandwidth_gb_s
                                                                  : a->id < b->id;
  });
}

std::string label_of(const host::HostGpu& gpu) {
  return "GPU " + std::to_string(gpu.index) + (gpu.name.empty() ? "" : " (" + gpu.name + ")");
}

void scale(std::optional<double>& rate, double share) {
  if (rate) {
    *rate *= share;
  }
}

// A slice owns its part of the multiprocessors and of the memory with its bandwidth.
void scale_rates(Gpu& card, double compute_share, double memory_share) {
  for (auto rate : {&PeakRates::fp64, &PeakRates::fp32, &PeakRates::fp16_vector, &PeakRates::fp16_tensor, &PeakRates::bf16_tensor,
                    &PeakRates::tf32_tensor, &PeakRates::fp8_tensor, &PeakRates::int8_tensor, &PeakRates::fp4_tensor}) {
    scale(card.tflops.*rate, compute_share);
  }
  scale(card.measured_bf16_tflops, compute_share);
  scale(card.measured_fp16_tflops, compute_share);
  scale(card.shaders, compute_share);
  scale(card.tensor_cores, compute_share);
  scale(card.sm_count, compute_share);
  scale(card.l2_cache_mib, memory_share);
  card.memory_bandwidth_gb_s *= memory_share;
}

class Collector {
 public:
  explicit Collector(OwnMachine& into) : into_(into) {}

  void add(const host::HostGpu& gpu) {
    const Gpu* card = gpu.card;
    if (card == nullptr && !gpu.possible.empty()) {
      card = least_of(gpu.possible);
      note("own-card-presumed",
           label_of(gpu) + " may be one of " + std::to_string(gpu.possible.size()) + " cards: judged as " + std::string(card->name));
    }
    if (card == nullptr) {
      leave_out(gpu);
      return;
    }
    if (!gpu.mig_enabled) {
      add_whole(gpu, *card);
    } else if (gpu.mig.empty()) {
      note("own-mig-unknown", label_of(gpu) + " is cut into MIG slices that this output does not list: left out; nvidia-smi -L lists them");
    }
    for (const host::MigSlice& slice : gpu.mig) {
      add_slice(gpu, slice, *card);
    }
  }

  void finish() {
    for (OwnCards& kind : into_.kinds) {
      std::sort(kind.usable_bytes.begin(), kind.usable_bytes.end(), std::greater<>());
    }
  }

 private:
  void note(std::string rule, std::string message) { into_.findings.push_back({std::move(rule), Severity::warn, std::move(message)}); }

  void leave_out(const host::HostGpu& gpu) {
    if (gpu.integrated) {
      into_.findings.push_back({"own-card-integrated", Severity::note, label_of(gpu) + " is the processor's graphics: left out"});
      return;
    }
    const std::string size =
        gpu.total_bytes ? "; it shows " + format_gib(*gpu.total_bytes) + ": estimate --gpu-memory-gib tells whether that is enough" : "";
    note("own-card-unknown", label_of(gpu) + " is no card of the catalog: left out" + size);
  }

  void add_whole(const host::HostGpu& gpu, const Gpu& card) {
    Gpu seen = card;
    if (gpu.total_bytes) {
      seen.memory_gib = *gpu.total_bytes / k_gib;
      seen.unified_memory = false;  // the size that a tool prints is one that was set aside
    } else {
      note("own-memory-presumed", label_of(gpu) + ": no memory is printed; judged with all of the card's, free of other programs");
    }
    join(seen, usable_of(gpu), true);
  }

  void add_slice(const host::HostGpu& gpu, const host::MigSlice& slice, const Gpu& card) {
    const auto profile = host::parse_mig_profile(slice.profile);
    if (!slice.total_bytes && !profile) {
      return;
    }
    const double total = slice.total_bytes.value_or(profile ? profile->memory_gib * k_gib * k_mig_share : 0.0);
    const double whole = gpu.total_bytes.value_or(card.memory_gib * k_gib);
    const double memory_share = std::min(1.0, total / whole);
    const double compute_share = slice.sm_count && card.sm_count ? std::min(1.0, *slice.sm_count / *card.sm_count)
                                 : profile                       ? profile->parts / k_mig_parts
                                                                 : memory_share;
    Gpu seen = card;
    scale_rates(seen, compute_share, memory_share);
    seen.memory_gib = total / k_gib;
    const std::string what = slice.profile.empty() ? format_significant(seen.memory_gib) + "gib" : slice.profile;
    seen.id = keep(std::string(card.id) + "/mig-" + what);
    seen.name = keep(std::string(card.name) + " MIG " + what);
    join(seen, std::max(0.0, total - slice.used_bytes.value_or(0.0)), false);
  }

  std::string_view keep(std::string text) {
    const auto known = std::find(into_.texts.begin(), into_.texts.end(), text);
    return known != into_.texts.end() ? *known : into_.texts.emplace_back(std::move(text));
  }

  void join(const Gpu& seen, std::optional<double> usable, bool joins_others) {
    const auto twin = std::find_if(into_.kinds.begin(), into_.kinds.end(), [&](const OwnCards& kind) {
      return kind.card.id == seen.id && std::abs(kind.card.memory_gib / seen.memory_gib - 1.0) < k_same_memory &&
             kind.usable_bytes.empty() != usable.has_value();
    });
    if (twin != into_.kinds.end()) {
      ++twin->count;
      twin->card.memory_gib = std::min(twin->card.memory_gib, seen.memory_gib);
    } else {
      into_.kinds.push_back({seen, {}, 1, joins_others});
    }
    if (usable) {
      (twin != into_.kinds.end() ? *twin : into_.kinds.back()).usable_bytes.push_back(*usable);
    }
  }

  OwnMachine& into_;
};

// How many of a kind are tried: as asked, else one and then ever more, as many as there are.
std::vector<std::size_t> counts_to_try(const OwnCards& kind, const Request& request) {
  if (request.origins[WorkloadKey::gpus] >= Origin::file) {
    return {static_cast<std::size_t>(request.workload.gpus)};
  }
  std::vector<std::size_t> counts{1};
  for (std::size_t more = 2; kind.joins_others && more <= std::min<std::size_t>(kind.count, 64); more *= 2) {
    counts.push_back(more);
  }
  return counts;
}

Rejection too_few(const Gpu& card, std::size_t asked, const OwnCards& kind) {
  Rejection rejection;
  rejection.gpu = &card;
  rejection.count = static_cast<double>(asked);
  rejection.rule = "own-cards-too-few";
  rejection.message =
      kind.joins_others ? "the machine has " + std::to_string(kind.count) + " of it" : "MIG slices do not work on one job together";
  rejection.smallest_change = "--gpus " + std::to_string(kind.joins_others ? kind.count : 1);
  rejection.distance = 1.0;
  return rejection;
}

CatalogView view_of(const CatalogView& all, const Gpu& card) {
  CatalogView view = all;
  view.gpus = {&card, 1};
  view.price = [](const Gpu& gpu, Condition) { return Price{gpu.id, 0.0, PriceKind::user, {}, "in the machine"}; };
  view.offers = nullptr;
  view.find = [&card](std::string_view) { return std::vector<const Gpu*>{&card}; };
  return view;
}

void take(Advice& into, Advice&& more) {
  const auto move_all = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_all(into.results, more.results);
  move_all(into.rejected, more.rejected);
  if (into.remedies.empty()) {
    into.remedies = std::move(more.remedies);
  }
  for (Finding& finding : more.findings) {
    const bool known = std::any_of(into.findings.begin(), into.findings.end(),
                                   [&](const Finding& each) { return each.rule == finding.rule && each.message == finding.message; });
    if (!known) {
      into.findings.push_back(std::move(finding));
    }
  }
}

// More cards than there are is no remedy.
void drop_remedies_beyond(Advice& advice, std::size_t count) {
  std::erase_if(advice.remedies, [count](const Remedy& remedy) { return remedy.count > static_cast<double>(count); });
}

void order(Advice& advice) {
  for (Recommendation& result : advice.results) {
    result.reasons.clear();
    result.pareto = false;
  }
  advise::rank(advice.results);
  advise::mark_pareto(advice.results);
  advise::give_reasons(advice.results);
  for (std::size_t i = 0; i < advice.rejected.size(); ++i) {
    if (std::isfinite(advice.rejected[i].distance)) {
      advice.nearest.push_back(i);
    }
  }
  std::stable_sort(advice.nearest.begin(), advice.nearest.end(),
                   [&](std::size_t a, std::size_t b) { return advice.rejected[a].distance < advice.rejected[b].distance; });
}

}  // namespace

host::Machine own_machine(const std::vector<std::string>& from, const catalog::Catalog& catalog) {
  for (auto path = from.begin(); path != from.end(); ++path) {
    if (std::find(from.begin(), path, *path) != path) {
      throw Error(ErrorCode::usage, "--from '" + *path + "' is given twice", "give each output once");
    }
  }
  host::Machine machine;
  if (from.empty()) {
    machine = host::probe([](const std::vector<std::string>& command) { return host::run_tool(command); }).machine;
  }
  for (const std::string& path : from) {
    const std::string name = path == "-" ? "standard input" : path;
    host::Machine read = host::read_machine(catalog::read_text_file(path), name);
    if (machine.gpus.empty()) {
      machine = std::move(read);
    } else {
      host::add_output(machine, std::move(read), name);
    }
  }
  host::resolve(machine, catalog);
  return machine;
}

namespace {

bool is_host(const std::string& name) {
  return lower_case(host::trim(name)) == "host";
}

}  // namespace

bool names_host(const std::vector<std::string>& have) {
  return std::any_of(have.begin(), have.end(), is_host);
}

std::vector<std::string> with_host_cards(const std::vector<std::string>& have, const host::Machine& machine) {
  std::vector<std::string> cards;
  for (const std::string& name : have) {
    if (!is_host(name)) {
      cards.push_back(name);
      continue;
    }
    for (const host::HostGpu& gpu : machine.gpus) {
      if (gpu.card != nullptr) {
        cards.emplace_back(gpu.card->id);
      }
    }
  }
  return cards;
}

std::string use_versions_of(const host::Machine& machine, const Session& session, Preferences& preferences) {
  if (machine.torch.empty() || !preferences.torch.empty()) {
    return {};
  }
  // The driver alone decides nothing: the tool that printed it drives the cards. A release that is not known here decides nothing too.
  Preferences tried = preferences;
  tried.torch = machine.torch;
  tried.driver = tried.driver.empty() ? machine.driver : tried.driver;
  if (!rules::version_faults(tried, [&session]() -> const software::Facts& { return session.software(); }).empty()) {
    return {};
  }
  preferences = tried;
  return "torch " + machine.torch + (machine.driver.empty() ? "" : " and driver " + machine.driver) + " as the output tells them";
}

Gpu OwnCards::seen_by(std::size_t gpus) const {
  Gpu gpu = card;
  if (!usable_bytes.empty()) {
    gpu.reported_memory_mib = reported_mib(usable_bytes[std::min(gpus, usable_bytes.size()) - 1]);
    gpu.display_outputs = false;  // what the desktop takes is in use already
  }
  return gpu;
}

OwnMachine own_cards(const host::Machine& machine) {
  OwnMachine own;
  Collector collector(own);
  for (const host::HostGpu& gpu : machine.gpus) {
    collector.add(gpu);
  }
  collector.finish();
  if (own.kinds.empty()) {
    throw Error(ErrorCode::host_unreadable,
                "no GPU of the machine is a card that can be judged: " +
                    (own.findings.empty() ? std::string("none is named") : own.findings.front().message),
                "gpuadvise host shows what was read; --candidates CARD names the card");
  }
  return own;
}

OwnAnswer check_machine(const OwnMachine& machine, const Session& session, const Advisor& advisor, const CommandLine& line,
                        const Asked& asked, const AdviceOptions& options) {
  OwnAnswer answer;
  answer.advice.findings = machine.findings;
  Preferences preferences = asked.preferences;
  preferences.candidates = {"host"};
  const CatalogView all = advisor.view(asked.preferences);
  for (const OwnCards& kind : machine.kinds) {
    Advice best;
    for (const std::size_t count : counts_to_try(kind, asked.request)) {
      const Gpu& card = answer.cards.emplace_back(kind.seen_by(count));
      if (count > kind.count || (count > 1 && !kind.joins_others)) {
        best.rejected.push_back(too_few(card, count, kind));
        break;
      }
      std::vector<Setting> settings = line.workload;
      if (count != static_cast<std::size_t>(asked.request.workload.gpus)) {
        settings.push_back({"gpus", Value(static_cast<double>(count)), Origin::inferred});
      }
      Request request = session.resolve(settings);
      request.origins[WorkloadKey::gpus] = Origin::user;  // as many as are there, no more
      best = recommend(request, preferences, view_of(all, card), options);
      drop_remedies_beyond(best, kind.count);
      if (!best.results.empty()) {
        break;
      }
    }
    take(answer.advice, std::move(best));
  }
  order(answer.advice);
  const bool sound = std::any_of(answer.advice.results.begin(), answer.advice.results.end(),
                                 [](const Recommendation& each) { return each.figures.fit->verdict == Verdict::fits; });
  if (sound && !options.force_remedies) {
    answer.advice.remedies.clear();
  }
  answer.advice.assumptions = {"the machine's own cards with the memory that is free on them now"};
  return answer;
}

}  // namespace gpuadvise::cli
