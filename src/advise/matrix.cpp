#include "advise/matrix.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "advise/candidates.hpp"
#include "advise/strategies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gpuadvise::advise {
namespace {

constexpr std::size_t k_most_values = 1000000;

// Settings whose value stands in one number that nothing else is derived from: cells along such an axis need no new reading of
// the request. A test holds them to what a full reading gives.
struct Direct {
  std::string_view key;
  void (*set)(Workload&, double);
};
constexpr std::array<Direct, 3> k_direct{{
    {"batch", [](Workload& workload, double value) { workload.batch = value; }},
    {"accumulate", [](Workload& workload, double value) { workload.accumulate = value; }},
    {"concurrency", [](Workload& workload, double value) { workload.concurrency = value; }},
}};

const Direct* direct_of(std::string_view key) {
  const auto found = std::find_if(k_direct.begin(), k_direct.end(), [key](const Direct& direct) { return direct.key == key; });
  return found == k_direct.end() ? nullptr : &*found;
}

[[noreturn]] void bad_axis(std::string_view text, const std::string& why) {
  throw Error(ErrorCode::usage, "--over '" + std::string(text) + "' " + why,
              "write key=a..b (doubling), key=a..b..step or key=value,value");
}

std::string number_text(double value) {
  return value == std::floor(value) ? std::to_string(static_cast<long long>(value)) : format_significant(value, 6);
}

void add_range(Axis& axis, std::string_view text, std::string_view part, std::size_t dots) {
  const std::string_view rest = part.substr(dots + 2);
  const auto second = rest.find("..");
  const auto low = parse_number(part.substr(0, dots));
  const auto high = parse_number(rest.substr(0, second));
  const bool doubling = second == std::string_view::npos;
  const double step = doubling ? 1.0 : parse_number(rest.substr(second + 2)).value_or(0.0);
  if (!low || !high || *low > *high || *low <= 0 || step <= 0) {
    bad_axis(text, "is not a range");
  }
  if (!doubling && (*high - *low) / step > static_cast<double>(k_most_values)) {
    bad_axis(text, "has too many values");
  }
  double last = 0;
  for (double value = *low; value <= *high * (1 + 1e-12); value = doubling ? value * 2 : value + step) {
    axis.values.push_back(number_text(value));
    last = value;
  }
  // A doubling range ends where the user said it does.
  if (doubling && last < *high) {
    axis.values.push_back(number_text(*high));
  }
}

// The last axis as numbers, where it can be set without reading the request again.
std::vector<double> direct_values(const Axis& axis) {
  std::vector<double> values;
  for (const std::string& text : axis.values) {
    const auto number = parse_number(text);
    if (!number || *number < 1 || *number != std::floor(*number)) {
      return {};
    }
    values.push_back(*number);
  }
  return values;
}

class Walk {
 public:
  Walk(std::span<const Axis> axes, std::span<const Setting> settings, std::span<const Gpu* const> cards, bool windows,
       const Resolver& resolve, const MatrixVisitor& visitor)
      : axes_(axes), settings_(settings.begin(), settings.end()), resolve_(resolve), visitor_(visitor), at_(axes.size(), 0) {
    for (const Gpu* gpu : cards) {
      cards_.push_back({gpu, estimate::default_use(*gpu, windows)});
    }
    if (!axes.empty() && direct_of(axes.back().key) != nullptr) {
      direct_ = direct_of(axes.back().key);
      values_ = direct_values(axes.back());
    }
  }

  void run(std::size_t depth = 0) {
    const bool last = depth + 1 == axes_.size();
    if (depth == axes_.size()) {
      read_and_visit();
      return;
    }
    if (last && !values_.empty() && along_direct_axis()) {
      return;
    }
    for (std::size_t i = 0; i < axes_[depth].values.size(); ++i) {
      at_[depth] = i;
      settings_.push_back({axes_[depth].key, Value(axes_[depth].values[i]), Origin::user});
      run(depth + 1);
      settings_.pop_back();
    }
  }

 private:
  struct CardAndUse {
    const Gpu* gpu;
    estimate::CardUse use;
  };

  void read_and_visit() {
    if (const auto request = read()) {
      visit(*request, plan_of(*request, false), fp16_plan_of(*request));
    }
  }

  // Read once, with the largest value: what a key's range allows of it, it allows of the others. False where it is refused; then
  // each value has to speak for itself.
  bool along_direct_axis() {
    settings_.push_back({axes_.back().key, Value(*std::max_element(values_.begin(), values_.end())), Origin::user});
    std::optional<Request> request;
    try {
      request = resolve_(settings_);
    } catch (const Error&) {
      settings_.pop_back();
      return false;
    }
    settings_.pop_back();
    estimate::Plan plan = plan_of(*request, false);
    std::optional<estimate::Plan> fp16 = fp16_plan_of(*request);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      at_.back() = i;
      direct_->set(plan.workload, values_[i]);
      if (fp16) {
        direct_->set(fp16->workload, values_[i]);
      }
      visit(*request, plan, fp16);
    }
    return true;
  }

  std::optional<Request> read() {
    try {
      return resolve_(settings_);
    } catch (const Error& error) {
      visitor_.refused({at_, to_string(error.code()), error.message()});
      return std::nullopt;
    }
  }

  static estimate::Plan plan_of(const Request& request, bool fp16) {
    const Workload& workload = request.workload;
    return estimate::prepare(fp16 ? spread_over(workload, {workload.gpus, workload.strategy}, true) : workload, request.model);
  }

  // Only where a card of the list would need it.
  [[nodiscard]] std::optional<estimate::Plan> fp16_plan_of(const Request& request) const {
    const bool wanted = std::any_of(cards_.begin(), cards_.end(), [&](const CardAndUse& card) { return needs_fp16(request, *card.gpu); });
    return wanted ? std::optional<estimate::Plan>(plan_of(request, true)) : std::nullopt;
  }

  void visit(const Request& request, const estimate::Plan& plan, const std::optional<estimate::Plan>& fp16) {
    for (const CardAndUse& card : cards_) {
      if (visit_divided(request, plan.workload, card)) {
        continue;
      }
      const bool other = fp16 && needs_fp16(request, *card.gpu);
      const Figures figures = estimate::evaluate(other ? *fp16 : plan, card.gpu, card.use);
      visitor_.cell({at_, *card.gpu, figures});
    }
  }

  // Several GPUs with no way to divide the job given: the best way, or the one that needs least where none fits.
  [[nodiscard]] bool visit_divided(const Request& request, const Workload& workload, const CardAndUse& card) const {
    if (workload.all_gpus() <= 1.0 || spreads(request).size() < 2) {
      return false;
    }
    Request asked = request;
    asked.workload = workload;
    const std::vector<TriedWay> ways = try_ways(asked, *card.gpu, card.use);
    if (ways.empty()) {
      return false;
    }
    const auto least = std::min_element(ways.begin(), ways.end(), [](const TriedWay& a, const TriedWay& b) {
      return a.figures.memory.need.expected < b.figures.memory.need.expected;
    });
    const TriedWay& way = ways[best_way(ways).value_or(static_cast<std::size_t>(least - ways.begin()))];
    const std::string words = way_words(way.workload);
    visitor_.cell({at_, *card.gpu, way.figures, words});
    return true;
  }

  std::span<const Axis> axes_;
  std::vector<Setting> settings_;
  std::vector<CardAndUse> cards_;
  const Resolver& resolve_;
  const MatrixVisitor& visitor_;
  std::vector<std::size_t> at_;
  const Direct* direct_ = nullptr;
  std::vector<double> values_;
};

}  // namespace

Axis parse_axis(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    bad_axis(text, "names no values");
  }
  Axis axis;
  axis.key = std::string(text.substr(0, equals));
  std::replace(axis.key.begin(), axis.key.end(), '-', '_');
  std::string_view rest = text.substr(equals + 1);
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const auto dots = part.find("..");
    if (part.empty()) {
      bad_axis(text, "has an empty value");
    } else if (dots == std::string_view::npos) {
      axis.values.emplace_back(part);
    } else {
      add_range(axis, text, part, dots);
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return axis;
}

void visit_matrix(std::span<const Axis> axes, std::span<const Setting> settings, std::span<const Gpu* const> cards, bool windows,
                  const Resolver& resolve, const MatrixVisitor& visitor) {
  for (const Axis& axis : axes) {
    const auto same = [&axis](const auto& other) { return other.key == axis.key; };
    if (std::any_of(settings.begin(), settings.end(), same) || std::count_if(axes.begin(), axes.end(), same) > 1) {
      throw Error(ErrorCode::conflict, axis.key + " is given twice", "give it once: as a setting or with --over");
    }
  }
  Walk(axes, settings, cards, windows, resolve, visitor).run();
}

}  // namespace gpuadvise::advise
