#include "advise/explain.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>
#include <gpuadvise/units.hpp>

#include "advise/candidates.hpp"
#include "advise/levers.hpp"
#include "workload/describe.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::advise {
namespace {

using M = MemoryComponents;

struct Part {
  std::string_view name;
  double M::*bytes;
};
constexpr std::array<Part, 11> k_parts{{{"weights", &M::weights},
                                        {"gradients", &M::gradients},
                                        {"optimizer_states", &M::optimizer_states},
                                        {"activations", &M::activations},
                                        {"logits", &M::logits},
                                        {"kv_cache", &M::kv_cache},
                                        {"recurrent_state", &M::recurrent_state},
                                        {"workspace", &M::workspace},
                                        {"communication", &M::communication},
                                        {"runtime", &M::runtime},
                                        {"fragmentation", &M::fragmentation}}};

struct Share {
  std::string_view name;
  double SpeedShares::*share;
  std::string_view formula;
};
// T = (T_gpu^4 + T_host^4)^(1/4) + communication, T_gpu = FLOP / (e P) + bytes I: the law of estimate/speed.
constexpr std::array<Share, 4> k_shares{
    {{"compute", &SpeedShares::compute, "operations / (efficiency x rate that the power limit sustains)"},
     {"traffic", &SpeedShares::traffic, "bytes moved x time of a byte: bandwidth, less what too few multiprocessors can keep in flight"},
     {"host", &SpeedShares::host, "kernels launched x time of a launch, and the framework's own work"},
     {"communication", &SpeedShares::communication, "bytes exchanged / link rate, less what hides behind computing"}}};

struct Tried {
  Request request;
  Figures figures;
};

class Bench {
 public:
  Bench(const Gpu& gpu, bool windows, const Resolver& resolve) : gpu_(gpu), use_(estimate::default_use(gpu, windows)), resolve_(resolve) {}

  [[nodiscard]] Tried run(std::span<const Setting> settings) const {
    Tried tried;
    tried.request = resolve_(settings);
    if (needs_fp16(tried.request, gpu_)) {
      const Workload& workload = tried.request.workload;
      tried.request.workload = spread_over(workload, {workload.gpus, workload.strategy}, true);
    }
    tried.figures = estimate::evaluate(estimate::prepare(tried.request.workload, tried.request.model), &gpu_, use_);
    return tried;
  }

 private:
  const Gpu& gpu_;
  estimate::CardUse use_;
  const Resolver& resolve_;
};

// A setting one step away.
struct Step {
  WorkloadKey key;
  std::string_view name;
  std::string value;
};

std::string whole(double value) {
  return std::to_string(static_cast<long long>(std::max(1.0, std::round(value))));
}

std::string_view other_precision(const Request& request, const Gpu& gpu) {
  const Workload& workload = request.workload;
  const bool bf16 = gpu.vendor != Vendor::nvidia || gpu.compute_capability.value_or(8.0) >= 8.0;
  if (workload.training()) {
    return compute_bytes(workload.precision) > 2.0 ? (bf16 ? "amp-bf16" : "amp-fp16") : "fp32";
  }
  if (workload.engine == Engine::llama_cpp) {
    return workload.precision.mix == GgufMix::Q8_0 ? "gguf:Q4_K_M" : "gguf:Q8_0";
  }
  if (is_quantised(workload.precision)) {
    return "fp16";
  }
  return compute_bytes(workload.precision) > 2.0 ? "fp16" : request.model.transformer() != nullptr ? "int8" : "fp32";
}

// A side of sqrt(2): half or twice the pixels, in steps of 32 as networks want them.
std::string scaled_image(const ImageSize& image, double factor) {
  const auto side = [factor](double pixels) { return whole(std::max(1.0, std::round(pixels * factor / 32.0)) * 32.0); };
  const std::string frames = image.frames > 1.0 ? whole(image.frames) + "x" : "";
  return frames + side(image.height) + "x" + side(image.width);
}

std::vector<Step> steps_of(const Request& request, const Gpu& gpu) {
  const Workload& workload = request.workload;
  std::vector<Step> steps;
  const bool server = workload.concurrency.has_value();
  const double batch = server ? *workload.concurrency : workload.batch;
  const WorkloadKey batch_key = server ? WorkloadKey::concurrency : WorkloadKey::batch;
  const std::string_view batch_name = server ? "concurrency" : "batch";
  if (batch > 1.0) {
    steps.push_back({batch_key, batch_name, whole(batch / 2.0)});
  }
  steps.push_back({batch_key, batch_name, whole(batch * 2.0)});
  steps.push_back({WorkloadKey::precision, "precision", std::string(other_precision(request, gpu))});
  if (request.model.transformer() != nullptr && workload.seq > 1.0) {
    steps.push_back({WorkloadKey::seq, "seq", whole(workload.seq / 2.0)});
    steps.push_back({WorkloadKey::seq, "seq", whole(workload.seq * 2.0)});
  } else if (workload.image.height > 0.0) {
    for (const double factor : {std::sqrt(0.5), std::sqrt(2.0)}) {
      steps.push_back({WorkloadKey::image, "image", scaled_image(workload.image, factor)});
    }
  }
  if (workload.training() && (request.model.transformer() != nullptr || request.model.diffusion() != nullptr)) {
    steps.push_back(
        {WorkloadKey::grad_checkpointing, "grad_checkpointing", workload.checkpointing == Checkpointing::none ? "full" : "none"});
  }
  return steps;
}

// The image may be given under either name; the step replaces both.
std::vector<Setting> with(std::span<const Setting> settings, const Step& step) {
  std::vector<Setting> changed;
  for (const Setting& setting : settings) {
    const bool same_size = step.key == WorkloadKey::image && setting.key == "resolution";
    if (setting.key != step.name && !same_size) {
      changed.push_back(setting);
    }
  }
  changed.push_back({std::string(step.name), Value(step.value), Origin::user});
  return changed;
}

std::optional<double> speed_ratio(const Figures& now, const Figures& before) {
  if (!now.speed || !before.speed || before.speed->throughput.expected <= 0.0) {
    return std::nullopt;
  }
  return now.speed->throughput.expected / before.speed->throughput.expected;
}

struct Judged {
  std::optional<Recommendation> accepted;
  std::optional<Rejection> rejected;
};

Judged judge(const Request& request, Preferences preferences, const Gpu& gpu, const CatalogView& catalog,
             const std::function<Request(std::span<const Setting>)>& with_settings = {}) {
  preferences.candidates = {std::string(gpu.id)};
  preferences.exclude.clear();
  AdviceOptions options;
  options.remedies = false;
  options.with_settings = with_settings;
  Advice advice = recommend(request, preferences, catalog, options);
  Judged judged;
  if (!advice.results.empty()) {
    judged.accepted = std::move(advice.results.front());
  } else if (!advice.rejected.empty()) {
    judged.rejected = std::move(advice.rejected.front());
  }
  return judged;
}

double size_of(const Sensitivity& each) {
  return std::abs(std::log(each.need_ratio)) + std::abs(std::log(each.speed_ratio.value_or(1.0)));
}

class Explainer {
 public:
  Explainer(const Gpu& gpu, std::span<const Setting> settings, const Preferences& preferences, const CatalogView& catalog,
            const Resolver& resolve)
      : gpu_(gpu),
        settings_(settings),
        preferences_(preferences),
        catalog_(catalog),
        resolve_(resolve),
        bench_(gpu, has_windows_driver(preferences.os), resolve) {}

  [[nodiscard]] Explanation run() {
    Tried tried = bench_.run(settings_);
    out_.request = std::move(tried.request);
    out_.gpu = &gpu_;
    out_.figures = tried.figures;
    const Request request = resolve_(settings_);
    out_.ways = try_ways(request, gpu_, estimate::default_use(gpu_, has_windows_driver(preferences_.os)));
    out_.best = best_way(out_.ways);
    Judged judged = judge(request, preferences_, gpu_, catalog_,
                          [this](std::span<const Setting> changes) { return resolve_(replaced(settings_, changes)); });
    out_.accepted = std::move(judged.accepted);
    out_.rejected = std::move(judged.rejected);
    add_terms();
    add_sensitivities();
    return std::move(out_);
  }

 private:
  void add_terms() {
    const Workload& workload = out_.request.workload;
    const Model& model = out_.request.model;
    for (const Part& part : k_parts) {
      const double bytes = out_.figures.memory.components.*part.bytes;
      std::optional<MemoryTerm> pool = part.bytes == &M::kv_cache ? pool_term(out_.request, out_.figures) : std::nullopt;
      if (pool) {
        out_.memory.push_back(std::move(*pool));
      } else if (bytes > 0.0) {
        out_.memory.push_back({part.name, bytes, formula_of(part.bytes, workload, model), inputs_of(part.bytes, out_.request),
                               source_of(part.bytes, workload, model)});
      }
    }
    std::stable_sort(out_.memory.begin(), out_.memory.end(), [](const MemoryTerm& a, const MemoryTerm& b) { return a.bytes > b.bytes; });
    out_.memory_basis = &memory_basis(workload, model);
    if (!out_.figures.speed) {
      return;
    }
    const SpeedFigures& speed = *out_.figures.speed;
    for (const Share& share : k_shares) {
      const double part = speed.shares.*share.share;
      if (part > 0.0) {
        out_.speed.push_back({share.name, part, part * speed.step_seconds.expected, share.formula, source_of(share.share)});
      }
    }
    std::stable_sort(out_.speed.begin(), out_.speed.end(), [](const SpeedTerm& a, const SpeedTerm& b) { return a.share > b.share; });
    out_.speed_basis = &speed_basis(workload, model);
  }

  void add_sensitivities() {
    for (const Step& step : steps_of(out_.request, gpu_)) {
      try {
        add_sensitivity(step);
      } catch (const Error&) {
        // A step that the model or the engine refuses is no assumption that could be otherwise.
      }
    }
    std::stable_sort(out_.sensitivity.begin(), out_.sensitivity.end(),
                     [](const Sensitivity& a, const Sensitivity& b) { return size_of(a) > size_of(b); });
    add_price(0.8);
    add_price(1.2);
  }

  void add_sensitivity(const Step& step) {
    const std::vector<Setting> settings = with(settings_, step);
    const Tried tried = bench_.run(settings);
    Sensitivity row;
    row.key = std::string(step.name);
    row.from = workload::value_text(out_.request, step.key);
    row.to = step.value;
    row.assumed = out_.request.origins[step.key] < Origin::file;
    row.need_ratio = tried.figures.memory.need.expected / out_.figures.memory.need.expected;
    row.speed_ratio = speed_ratio(tried.figures, out_.figures);
    row.verdict = tried.figures.fit->verdict;
    row.score_change = score_change(judge(resolve_(settings), preferences_, gpu_, catalog_));
    if (row.from != row.to) {
      out_.sensitivity.push_back(std::move(row));
    }
  }

  // What the card costs moves its place, not its figures.
  void add_price(double factor) {
    if (!out_.accepted || !out_.accepted->cost.price) {
      return;
    }
    const double usd = out_.accepted->cost.price->usd;
    Preferences changed = preferences_;
    CatalogView view = catalog_;
    if (out_.accepted->cost.price->kind == PriceKind::user) {
      changed.price_overrides.insert(changed.price_overrides.begin(), {std::string(gpu_.id), usd * factor});
    } else {
      // The quote stays what it is, of a used or a new card: only the sum moves.
      view.price = [this, factor](const Gpu& gpu, Condition condition) {
        std::optional<Price> price = catalog_.price(gpu, condition);
        if (price && &gpu == &gpu_) {
          price->usd *= factor;
        }
        return price;
      };
    }
    Sensitivity row;
    row.key = "price";
    row.from = format_usd(usd);
    row.to = format_usd(usd * factor);
    row.assumed = out_.accepted->cost.price->kind != PriceKind::user;
    row.speed_ratio = out_.figures.speed ? std::optional<double>(1.0) : std::nullopt;
    row.verdict = out_.figures.fit->verdict;
    row.score_change = score_change(judge(resolve_(settings_), changed, gpu_, view));
    out_.sensitivity.push_back(std::move(row));
  }

  [[nodiscard]] std::optional<double> score_change(const Judged& judged) const {
    if (!out_.accepted || !judged.accepted) {
      return std::nullopt;
    }
    return judged.accepted->score.total - out_.accepted->score.total;
  }

  const Gpu& gpu_;
  std::span<const Setting> settings_;
  const Preferences& preferences_;
  const CatalogView& catalog_;
  const Resolver& resolve_;
  Bench bench_;
  Explanation out_;
};

}  // namespace

Explanation explain(const Gpu& gpu, std::span<const Setting> settings, const Preferences& preferences, const CatalogView& catalog,
                    const Resolver& resolve) {
  return Explainer(gpu, settings, preferences, catalog, resolve).run();
}

}  // namespace gpuadvise::advise
