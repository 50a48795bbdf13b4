#include "advise/solve.hpp"

#include <gpuadvise/error.hpp>

#include "advise/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gpuadvise::advise {
namespace {

struct Scale {
  SolveFor what;
  std::string_view name;
  double step;     // values are its multiples
  double largest;  // beyond it nothing is learnt
};

// Image sides go in steps of 32, the stride of most backbones.
constexpr std::array<Scale, 6> k_scales{{{SolveFor::batch, "batch", 1, 1048576},
                                         {SolveFor::seq, "seq", 16, 16777216},
                                         {SolveFor::image, "image", 32, 16384},
                                         {SolveFor::gpus, "gpus", 1, 1024},
                                         {SolveFor::lora_rank, "lora_rank", 1, 16384},
                                         {SolveFor::concurrency, "concurrency", 1, 65536}}};

const Scale& scale_of(SolveFor what) {
  return k_scales[static_cast<std::size_t>(what)];
}

// Sets in which GPUs are bought: up to one node of eight, then whole nodes.
constexpr auto k_gpu_counts = std::to_array<double>({1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024});
constexpr double k_node = 8.0;

class Search {
 public:
  Search(const SolveQuestion& question, std::span<const Setting> settings, const Gpu& gpu, estimate::CardUse use, const Resolver& resolve)
      : question_(question), settings_(settings.begin(), settings.end()), gpu_(gpu), use_(use), resolve_(resolve) {}

  [[nodiscard]] SolvePoint at(double value) const {
    std::vector<Setting> settings = settings_;
    add(settings, value);
    SolvePoint point;
    point.value = value;
    point.request = resolve_(settings);
    if (question_.what == SolveFor::gpus && value > 1.0) {
      pool(point.request);
    }
    Workload& workload = point.request.workload;
    if (needs_fp16(point.request, gpu_)) {
      workload = spread_over(workload, {workload.gpus, workload.strategy}, true);
    }
    point.figures = estimate::evaluate(estimate::prepare(workload, point.request.model), &gpu_, use_);
    return point;
  }

  // Unset where the setting itself is refused: a model of fixed image size, heads that so many GPUs do not divide.
  [[nodiscard]] std::optional<SolvePoint> try_at(double value, std::string& refusal) const {
    try {
      return at(value);
    } catch (const Error& error) {
      refusal = error.message();
      return std::nullopt;
    }
  }

  [[nodiscard]] bool fits(const SolvePoint& point) const {
    return point.figures.fit && point.figures.fit->probability >= question_.probability;
  }

 private:
  void add(std::vector<Setting>& settings, double value) const {
    const auto given = [&](std::string_view key) {
      return std::any_of(settings.begin(), settings.end(), [&](const Setting& setting) { return setting.key == key; });
    };
    switch (question_.what) {
      case SolveFor::gpus:
        settings.push_back({"gpus", Value(std::min(value, k_node)), Origin::user});
        if (value > k_node) {
          settings.push_back({"nodes", Value(value / k_node), Origin::user});
        }
        return;
      case SolveFor::lora_rank:
        if (!given("method")) {
          settings.push_back({"method", Value("lora"), Origin::user});
        }
        break;
      default:
        break;
    }
    settings.push_back({std::string(to_string(question_.what)), Value(value), Origin::user});
  }

  // Replicas on more GPUs need as much memory each; unless the user wants that, the job is split as its engine splits it.
  static void pool(Request& request) {
    Workload& workload = request.workload;
    const bool splittable = request.model.transformer() != nullptr || request.model.diffusion() != nullptr;
    if (!splittable || request.origins[WorkloadKey::strategy] >= Origin::file || pools_memory(workload.strategy)) {
      return;
    }
    workload = spread_over(workload, {workload.gpus, pooling_strategy(workload)}, false);
    request.origins[WorkloadKey::strategy] = Origin::inferred;
  }

  SolveQuestion question_;
  std::vector<Setting> settings_;
  const Gpu& gpu_;
  estimate::CardUse use_;
  const Resolver& resolve_;
};

double largest_of(SolveFor what, const Model& model, std::string& limit) {
  const TransformerShape* shape = model.transformer();
  if (what == SolveFor::seq && shape != nullptr && shape->max_context > 0) {
    limit = "the model's context";
    return shape->max_context;
  }
  if (what == SolveFor::lora_rank && shape != nullptr) {
    limit = "the model's width: a larger rank would be no adapter";
    return shape->hidden;
  }
  limit = "the search ends here";
  return scale_of(what).largest;
}

// Some settings have a least value of their own (seq holds prompt_len and gen_len): up in doublings until one is allowed, in
// `count` steps. What refuses the least value is the error where none is.
SolvePoint least_allowed(const Search& search, SolveFor what, double& count) {
  const Scale& scale = scale_of(what);
  std::string refusal;
  for (count = 1.0; count * scale.step <= scale.largest; count *= 2.0) {
    if (auto point = search.try_at(count * scale.step, refusal)) {
      return std::move(*point);
    }
  }
  count = 1.0;
  return search.at(scale.step);
}

// `bad` past the largest good value; both in steps. Doubles until it fails, then halves the interval.
Solution largest(const Search& search, SolveFor what) {
  Solution solution;
  const double step = scale_of(what).step;
  double good = 1.0;
  SolvePoint first = least_allowed(search, what, good);
  if (!search.fits(first)) {
    solution.next = std::move(first);
    return solution;
  }
  std::string limit;
  const double last = std::max(good, std::floor(largest_of(what, first.request.model, limit) / step));
  const Interval least_need = first.figures.memory.need;
  solution.best = std::move(first);
  double bad = last + 1.0;
  solution.limit = limit;
  const auto probe = [&](double count) {
    std::string refusal;
    auto point = search.try_at(count * step, refusal);
    if (point && search.fits(*point)) {
      good = count;
      solution.best = std::move(point);
      return;
    }
    bad = count;
    solution.limit = refusal;
    solution.next = std::move(point);
  };
  while (good * 2.0 < bad) {
    probe(good * 2.0);
  }
  while (bad - good > 1.0) {
    probe(std::floor((good + bad) / 2.0));
  }
  if (!solution.next && good > 1.0 && solution.best->figures.memory.need == least_need) {
    const std::string name(to_string(what));
    throw Error(ErrorCode::conflict, name + " does not change what this job needs",
                "solve for batch, or name a job that " + name + " belongs to");
  }
  return solution;
}

// Tensor parallelism gives each GPU whole heads; engines refuse to start otherwise.
bool heads_divide(const Request& request) {
  const TransformerShape* shape = request.model.transformer();
  const Workload& workload = request.workload;
  return workload.strategy != Strategy::tp || shape == nullptr || std::fmod(shape->heads, workload.gpus) == 0.0;
}

Solution least_gpus(const Search& search) {
  Solution solution;
  SolvePoint first = search.at(k_gpu_counts.front());
  if (search.fits(first)) {
    solution.best = std::move(first);
    solution.limit = "one is the least";
    return solution;
  }
  solution.next = std::move(first);
  for (const double count : k_gpu_counts) {
    if (count == k_gpu_counts.front()) {
      continue;
    }
    std::string refusal;
    auto point = search.try_at(count, refusal);
    if (!point || !heads_divide(point->request)) {
      continue;
    }
    if (search.fits(*point)) {
      solution.best = std::move(point);
      return solution;
    }
    solution.next = std::move(point);
  }
  return solution;
}

double rounded(SolveFor what, double value) {
  const double power_of_two = std::exp2(std::floor(std::log2(value)));
  switch (what) {
    case SolveFor::batch:
    case SolveFor::concurrency:
      return value < 8.0 ? power_of_two : std::floor(value / 8.0) * 8.0;
    case SolveFor::seq:
      return value < 256.0 ? value : std::floor(value / 256.0) * 256.0;
    case SolveFor::lora_rank:
      return power_of_two;
    case SolveFor::gpus:
      return std::exp2(std::ceil(std::log2(value)));
    case SolveFor::image:
      break;
  }
  return value;
}

void round_best(const Search& search, SolveFor what, Solution& solution) {
  const double value = rounded(what, solution.best->value);
  if (value == solution.best->value) {
    return;
  }
  std::string refusal;
  auto point = search.try_at(value, refusal);
  if (point && search.fits(*point)) {
    solution.unrounded = solution.best->value;
    solution.best = std::move(point);
  }
}

void refuse_given(SolveFor what, std::span<const Setting> settings) {
  const auto is = [what](const Setting& setting) {
    if (what == SolveFor::image) {
      return setting.key == "image" || setting.key == "resolution";
    }
    return setting.key == to_string(what) || (what == SolveFor::gpus && (setting.key == "nodes" || setting.key == "tp"));
  };
  const auto found = std::find_if(settings.begin(), settings.end(), is);
  if (found != settings.end() && found->origin == Origin::user) {
    throw Error(ErrorCode::conflict, found->key + " is given, but it is what solve " + std::string(to_string(what)) + " looks for",
                "leave out --" + found->key);
  }
}

}  // namespace

std::string_view to_string(SolveFor what) {
  return scale_of(what).name;
}

std::optional<SolveFor> parse_solve_for(std::string_view text) {
  const auto found = std::find_if(k_scales.begin(), k_scales.end(), [text](const Scale& scale) { return scale.name == text; });
  return found == k_scales.end() ? std::nullopt : std::optional<SolveFor>(found->what);
}

Solution solve(const SolveQuestion& question, std::span<const Setting> settings, const Gpu& gpu, estimate::CardUse use,
               const Resolver& resolve) {
  refuse_given(question.what, settings);
  const Search search(question, settings, gpu, use, resolve);
  Solution solution = question.what == SolveFor::gpus ? least_gpus(search) : largest(search, question.what);
  if (question.round && solution.best) {
    round_best(search, question.what, solution);
  }
  return solution;
}

}  // namespace gpuadvise::advise
