// The advisor's answer: ranked candidates, the rejected ones with the reason, remedies, findings.
#pragma once

#include <gpuadvise/cost.hpp>
#include <gpuadvise/figures.hpp>
#include <gpuadvise/finding.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/preferences.hpp>
#include <gpuadvise/workload.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise {

namespace rules {
class RuleSet;
struct ObjectiveTable;
}  // namespace rules
namespace software {
struct Facts;
}  // namespace software

enum class Objective : std::uint8_t { performance, price, headroom, efficiency, longevity, risk };
inline constexpr std::size_t k_objectives = 6;
[[nodiscard]] std::string_view to_string(Objective objective);

// value is 0..1, higher is better for every objective (risk 1 = none); contribution = weight x value.
struct ScorePart {
  Objective objective = Objective::performance;
  double value = 0.0;
  double weight = 0.0;
  double contribution = 0.0;
};

struct Score {
  double total = 0.0;  // sum of the contributions, 0..1
  std::array<ScorePart, k_objectives> parts;
};

struct Recommendation {
  int rank = 0;
  const Gpu* gpu = nullptr;
  double count = 1.0;               // GPUs, not boards
  std::vector<const Gpu*> mixed;    // a machine of several kinds: all its cards, `gpu` is the one that limits; empty = one kind
  Sourcing source = Sourcing::buy;  // buy or rent
  Workload workload;                // as it would run here: GPUs, strategy and precision may differ from the request
  Figures figures;                  // fit is always set
  Costs cost;
  Score score;
  bool pareto = false;
  std::vector<Finding> findings;
  std::vector<std::string> reasons;
};

struct Rejection {
  const Gpu* gpu = nullptr;
  double count = 1.0;
  Sourcing source = Sourcing::buy;
  std::string rule;
  std::string message;
  std::string smallest_change;  // may be empty
  // The same as settings of the request and preferences, where it can be written so: with them the candidate is accepted.
  std::vector<Setting> change;
  std::optional<Figures> figures;  // where it came as far as the estimate
  Costs cost;
  double distance = 0.0;  // how far from being accepted, 0 = just; orders the nearest misses
};

// One or two changed settings that make the job fit.
struct Remedy {
  std::string id;  // "grad_checkpointing", "accumulate+amp" ...
  std::string title;
  std::vector<Setting> settings;  // contract keys, to be applied to the request
  const Gpu* gpu = nullptr;
  double count = 1.0;
  Figures figures;
  std::optional<double> speed_ratio;  // throughput against the unchanged request, same card
  std::string effect;                 // what it costs: speed, quality, money
  std::string how;                    // the exact setting in framework terms
  std::optional<double> extra_usd;
  Sourcing source = Sourcing::buy;          // rent: of an hourly offer
  std::optional<double> rent_usd_per_hour;  // where renting is the remedy
  std::string snippet;                      // code or commands in the stack's own terms; empty = none
  Workload workload;                        // as it would run with the settings
};

// What became of a card that was asked about by name.
struct WhyNot {
  enum class State : std::uint8_t { recommended, rejected, not_in_question };
  const Gpu* gpu = nullptr;
  State state = State::not_in_question;
  std::size_t index = 0;             // into results or rejected
  std::string reason;                // not in question: what left it out
  std::optional<Rejection> outcome;  // not in question: why it would be rejected all the same
};
[[nodiscard]] std::string_view to_string(WhyNot::State state);

struct Advice {
  std::vector<Recommendation> results;  // by rank
  std::vector<Rejection> rejected;      // catalog order
  std::vector<std::size_t> nearest;     // indexes into rejected, nearest miss first, at most five
  std::vector<Remedy> remedies;
  std::vector<Finding> findings;  // about the request as a whole
  std::vector<std::string> assumptions;
  std::vector<WhyNot> why_not;  // the cards of AdviceOptions::why_not, each variant of a name for itself
};

// What recommend reads of the catalog; the catalog fills it, tests fake it.
struct CatalogView {
  std::span<const Gpu> gpus;
  // The price of one board to judge by (newest of the right kind); nullopt = none known.
  std::function<std::optional<Price>(const Gpu&, Condition)> price;
  std::function<std::span<const CloudOffer>(const Gpu&)> offers;
  // All cards a text may mean; throws Error unknown_gpu with near names.
  std::function<std::vector<const Gpu*>(std::string_view)> find;
  const rules::RuleSet* rules = nullptr;
  const rules::ObjectiveTable* objectives = nullptr;
  // What is known of PyTorch builds and drivers, read when first asked; empty: what is compiled in.
  std::function<const software::Facts&()> software;
};

struct AdviceOptions {
  bool remedies = true;  // look for changes where nothing fits, or only tightly
  bool force_remedies = false;
  bool shorter_input = false;        // a shorter sequence or a smaller image is allowed as a remedy
  std::vector<std::string> why_not;  // cards whose rejection is wanted in full
  bool every_change = false;         // look for the smallest change of every rejected candidate, not only of those that are shown
  bool snippets = false;             // write Remedy::snippet
  // Reads settings added to the request's own as every command does; where given, each remedy is checked by it.
  std::function<Request(std::span<const Setting>)> with_settings;
};

[[nodiscard]] Advice recommend(const Request& request, const Preferences& preferences, const CatalogView& catalog,
                               const AdviceOptions& options = {});

}  // namespace gpuadvise
