#include "advise/compare.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>

#include "advise/candidates.hpp"
#include "advise/compare_lineage.hpp"
#include "advise/levers.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::advise {
namespace {

// Errors of an estimate that two cards share cancel in their ratio. Pairs of cards on one job of one source, ratio of the ratios,
// 90 % within: training fitted, n = 47 pairs of 5 sources, median 1.05; inference fitted, n = 1117 pairs of 8 sources, median 1.13;
// diffusion n = 174 pairs of one source, median 1.31. Cards without measurements of their kind: prior, as wide again as diffusion.
constexpr double k_ratio_training = 1.27;
constexpr double k_ratio_inference = 1.5;
constexpr double k_ratio_diffusion = 1.87;

constexpr double k_hours_of_a_day = 24.0;
constexpr double k_days_of_a_month = 365.25 / 12.0;
constexpr double k_largest_batch = 1024.0;
constexpr double k_shortest_sequence = 256.0;
constexpr double k_longest_sequence = 131072.0;

std::optional<double> ratio(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *b > 0.0 ? std::optional<double>(*a / *b) : std::nullopt;
}

std::optional<double> rate_of(const Gpu& gpu) {
  const PeakRates& rates = gpu.tflops;
  return rates.bf16_tensor ? rates.bf16_tensor : rates.fp16_tensor ? rates.fp16_tensor : rates.fp32;
}

bool holds(const Figures& figures) {
  return figures.fit && figures.fit->verdict != Verdict::no;
}

// A speed of a job that the card does not hold is no speed.
std::optional<double> speed_of(const Figures& figures) {
  return figures.speed && holds(figures) ? std::optional<double>(figures.speed->throughput.expected) : std::nullopt;
}

class Comparer {
 public:
  Comparer(std::span<const Gpu* const> cards, std::span<const Setting> settings, const Preferences& preferences, const CatalogView& catalog,
           const Resolver& resolve)
      : cards_(cards), settings_(settings), preferences_(preferences), catalog_(catalog), resolve_(resolve) {}

  [[nodiscard]] Comparison run() {
    out_.request = resolve_(settings_);
    out_.source = preferences_.source;
    for (const Gpu* gpu : cards_) {
      Compared& card = out_.cards.emplace_back();
      card.gpu = gpu;
      card.figures = figures_of(out_.request, *gpu);
      card.rate_tflops = rate_of(*gpu);
    }
    judge();
    for (Compared& card : out_.cards) {
      relate(card);
      add_values(card);
      add_gain(card);
    }
    const bool server = out_.request.workload.concurrency.has_value();
    out_.varied = server ? "concurrency" : "batch";
    out_.stretches = stretches_over(out_.varied, 1.0, k_largest_batch);
    if (const TransformerShape* shape = out_.request.model.transformer()) {
      const double context = shape->max_context > 0.0 ? shape->max_context : k_longest_sequence;
      out_.by_sequence = stretches_over("seq", k_shortest_sequence, std::min(context, k_longest_sequence));
    }
    out_.money = money_flips(cards_, out_.request, alone(), catalog_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] Figures figures_of(const Request& request, const Gpu& gpu) const {
    const Workload& asked = request.workload;
    const Workload workload = spread_over(asked, {asked.gpus, asked.strategy}, needs_fp16(request, gpu));
    return estimate::evaluate(estimate::prepare(workload, request.model), &gpu,
                              estimate::default_use(gpu, has_windows_driver(preferences_.os)));
  }

  void judge() {
    AdviceOptions options;
    options.remedies = false;
    options.with_settings = [this](std::span<const Setting> changes) { return resolve_(replaced(settings_, changes)); };
    const Advice advice = recommend(out_.request, alone(), catalog_, options);
    for (Compared& card : out_.cards) {
      const auto same = [&card](const auto& each) { return each.gpu == card.gpu; };
      const auto ranked = std::find_if(advice.results.begin(), advice.results.end(), same);
      const auto rejected = std::find_if(advice.rejected.begin(), advice.rejected.end(), same);
      if (ranked != advice.results.end()) {
        card.ranked = *ranked;
        card.cost = ranked->cost;
      } else if (rejected != advice.rejected.end()) {
        card.rejected = *rejected;
        card.cost = rejected->cost;
      }
    }
  }

  [[nodiscard]] double factor_between(const Figures& a, const Figures& b) const {
    const bool prior = a.speed->prior || b.speed->prior;
    const double factor = ratio_factor(out_.request.workload, out_.request.model);
    return prior ? std::max(factor, k_ratio_diffusion) : factor;
  }

  [[nodiscard]] std::optional<Interval> ratio_between(const Figures& a, const Figures& b) const {
    const auto expected = ratio(speed_of(a), speed_of(b));
    if (!expected) {
      return std::nullopt;
    }
    const double factor = factor_between(a, b);
    return Interval{*expected / factor, *expected, *expected * factor};
  }

  void relate(Compared& card) const {
    const Compared& base = out_.cards.front();
    if (&card == &base) {
      card.relation = Relation::base;
      return;
    }
    card.speed_ratio = ratio_between(card.figures, base.figures);
    if (card.speed_ratio) {
      card.relation = card.speed_ratio->low > 1.0 ? Relation::faster : card.speed_ratio->high < 1.0 ? Relation::slower : Relation::tie;
    }
  }

  void add_values(Compared& card) const {
    const Gpu& gpu = *card.gpu;
    const std::optional<double> memory = gpu.memory_gib;
    const std::optional<double> bandwidth = gpu.memory_bandwidth_gb_s;
    card.rate_per_gib = ratio(card.rate_tflops, memory);
    card.bandwidth_per_gib = ratio(bandwidth, memory);
    if (card.cost.price) {
      // A price buys a board, which may hold several GPUs.
      const double thousands = card.cost.price->usd / gpu.gpus_per_board / 1000.0;
      card.rate_per_1000_usd = ratio(card.rate_tflops, thousands);
      card.bandwidth_per_1000_usd = ratio(bandwidth, thousands);
      card.gib_per_1000_usd = ratio(memory, thousands);
      card.speed_per_1000_usd = ratio(speed_of(card.figures), thousands * out_.request.workload.all_gpus());
    }
    if (gpu.tdp_w) {
      card.speed_per_100_w = ratio(speed_of(card.figures), *gpu.tdp_w / gpu.gpus_per_board * out_.request.workload.all_gpus() / 100.0);
    }
    if (card.cost.break_even_hours && preferences_.hours_per_day > 0.0) {
      const double hours_a_day = std::min(k_hours_of_a_day, preferences_.hours_per_day);
      card.payback_months = *card.cost.break_even_hours / hours_a_day / k_days_of_a_month;
    }
  }

  void add_gain(Compared& card) const {
    const std::string_view id = predecessor_of(card.gpu->id);
    const auto found = std::find_if(catalog_.gpus.begin(), catalog_.gpus.end(), [id](const Gpu& gpu) { return gpu.id == id; });
    if (id.empty() || found == catalog_.gpus.end()) {
      return;
    }
    const Figures before = figures_of(out_.request, *found);
    Gain gain;
    gain.over = &*found;
    gain.speed = ratio(speed_of(card.figures), speed_of(before));
    gain.bandwidth = ratio(card.gpu->memory_bandwidth_gb_s, found->memory_bandwidth_gb_s);
    gain.rate = ratio(card.rate_tflops, rate_of(*found));
    gain.memory = card.gpu->memory_gib / found->memory_gib;
    card.gain = gain;
  }

  // By doubling, since the order of cards changes slowly. Lengths that follow from the sequence are left to it.
  [[nodiscard]] std::vector<Stretch> stretches_over(const std::string& key, double from, double to) const {
    std::vector<Stretch> out;
    std::vector<Setting> settings;
    std::copy_if(settings_.begin(), settings_.end(), std::back_inserter(settings), [&key](const Setting& setting) {
      return setting.key != key && !(key == "seq" && (setting.key == "prompt_len" || setting.key == "gen_len"));
    });
    for (double value = from; value <= to; value *= 2.0) {
      settings.push_back({key, Value(value), Origin::user});
      try {
        add_stretch(value, resolve_(settings), out);
      } catch (const Error&) {
        return out;  // the engine or the model allows no more
      }
      settings.pop_back();
    }
    return out;
  }

  void add_stretch(double value, const Request& request, std::vector<Stretch>& out) const {
    Stretch now{value, value, nullptr, nullptr};
    std::vector<std::pair<const Gpu*, Figures>> able;
    for (const Gpu* gpu : cards_) {
      if (out_of_question(*gpu)) {
        continue;
      }
      const Figures figures = figures_of(request, *gpu);
      if (holds(figures) && figures.speed) {
        able.emplace_back(gpu, figures);
      }
    }
    std::stable_sort(able.begin(), able.end(), [](const auto& a, const auto& b) { return speed_of(a.second) > speed_of(b.second); });
    if (!able.empty()) {
      now.fastest = able.front().first;
      if (able.size() > 1 && ratio_between(able[0].second, able[1].second)->low <= 1.0) {
        now.tied = able[1].first;
      }
    }
    if (!out.empty() && out.back().fastest == now.fastest && out.back().tied == now.tied) {
      out.back().to = value;
    } else {
      out.push_back(now);
    }
  }

  // Rejected before any estimate, by its software or its kind: no batch changes that.
  [[nodiscard]] bool out_of_question(const Gpu& gpu) const {
    return std::any_of(out_.cards.begin(), out_.cards.end(),
                       [&gpu](const Compared& card) { return card.gpu == &gpu && card.rejected && !card.rejected->figures; });
  }

  // The wishes with the compared cards as the only candidates.
  [[nodiscard]] Preferences alone() const {
    Preferences preferences = preferences_;
    preferences.exclude.clear();
    preferences.candidates.clear();
    for (const Gpu* gpu : cards_) {
      preferences.candidates.emplace_back(gpu->id);
    }
    return preferences;
  }

  std::span<const Gpu* const> cards_;
  std::span<const Setting> settings_;
  const Preferences& preferences_;
  const CatalogView& catalog_;
  const Resolver& resolve_;
  Comparison out_;
};

}  // namespace

std::string_view to_string(Relation relation) {
  switch (relation) {
    case Relation::base:
      return "base";
    case Relation::faster:
      return "faster";
    case Relation::slower:
      return "slower";
    case Relation::tie:
      return "tie";
    case Relation::unknown:
      break;
  }
  return "unknown";
}

double ratio_factor(const Workload& workload, const Model& model) {
  if (model.diffusion() != nullptr) {
    return k_ratio_diffusion;
  }
  return workload.training() ? k_ratio_training : k_ratio_inference;
}

Comparison compare(std::span<const Gpu* const> cards, std::span<const Setting> settings, const Preferences& preferences,
                   const CatalogView& catalog, const Resolver& resolve) {
  return Comparer(cards, settings, preferences, catalog, resolve).run();
}

}  // namespace gpuadvise::advise
