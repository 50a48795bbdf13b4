#include "advise/strategies.hpp"

#include <gpuadvise/units.hpp>

#include "estimate/speed/parallel.hpp"
#include "units/whole_text.hpp"
#include "workload/keys.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::advise {
namespace {

constexpr double k_same_speed = 1.1;
constexpr double k_worth_the_risk = 2.0;  // a tight way is taken where it is more than this much faster than every sound one
constexpr double k_micro_batches_a_stage = 4.0;

double throughput(const TriedWay& way) {
  return way.figures.speed ? way.figures.speed->throughput.expected : 0.0;
}

bool sound(const TriedWay& way) {
  return way.figures.fit && way.figures.fit->verdict == Verdict::fits;
}

std::string link_words(const Workload& workload, const Gpu& gpu) {
  if (estimate::cluster_of(workload, gpu).several_nodes()) {
    const double gbit = workload.network_gbit_s.value_or(estimate::usual_network_gbit_s(gpu, workload.gpus));
    return "the network of " + (gbit == std::floor(gbit) ? whole_text(gbit) : format_significant(gbit)) + " Gbit/s";
  }
  if (estimate::switched_form(gpu) || (workload.nvlink_bridge && gpu.link_gb_s.value_or(0.0) > 0.0)) {
    return gpu.link_kind == "infinity-fabric" ? "Infinity Fabric" : "NVLink";
  }
  return "PCI Express" + (gpu.pcie_generation ? " " + whole_text(*gpu.pcie_generation) : std::string());
}

std::string rate_words(const TriedWay& way) {
  const SpeedFigures& speed = *way.figures.speed;
  return format_significant(speed.throughput.expected) + " " + std::string(to_string(speed.unit));
}

// How a way that was not taken compares.
std::string other_words(const TriedWay& other, const TriedWay& best) {
  const std::string name = way_words(other.workload);
  if (!other.accepted || !other.figures.speed || throughput(best) <= 0.0) {
    return name + " needs " + format_gib(other.figures.memory.need.expected) + " on each GPU";
  }
  const std::string tight = sound(other) || !sound(best) ? "" : ", but only tightly";
  return name + " would give x" + format_significant(throughput(other) / throughput(best), 2) + tight;
}

// The fastest of the rest; where none of it is accepted, the one that needs least.
std::optional<std::size_t> runner_up(std::span<const TriedWay> tried, std::size_t best) {
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (i == best) {
      continue;
    }
    const auto better = [&](const TriedWay& a, const TriedWay& b) {
      if (a.accepted != b.accepted) {
        return a.accepted;
      }
      return a.accepted ? throughput(a) > throughput(b) : a.figures.memory.need.expected < b.figures.memory.need.expected;
    };
    if (!second || better(tried[i], tried[*second])) {
      second = i;
    }
  }
  return second;
}

}  // namespace

std::optional<std::size_t> best_way(std::span<const TriedWay> tried) {
  double fastest_sound = 0.0;
  double fastest = 0.0;
  bool any_sound = false;
  for (const TriedWay& way : tried) {
    if (way.accepted) {
      fastest = std::max(fastest, throughput(way));
      any_sound = any_sound || sound(way);
      fastest_sound = sound(way) ? std::max(fastest_sound, throughput(way)) : fastest_sound;
    }
  }
  const bool sound_only = any_sound && fastest <= k_worth_the_risk * fastest_sound;
  const double to_reach = sound_only ? fastest_sound : fastest;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].accepted && (sound(tried[i]) || !sound_only) && throughput(tried[i]) * k_same_speed >= to_reach) {
      return i;
    }
  }
  return std::nullopt;
}

std::string way_words(const Workload& workload) {
  if (!workload.training() && workload.strategy == Strategy::ddp) {
    return whole_text(workload.all_gpus()) + " copies";
  }
  std::string words(workload::name_of(WorkloadKey::strategy, workload.strategy));
  if (workload.strategy == Strategy::tp || workload.strategy == Strategy::pp) {
    words.clear();
  }
  const auto add = [&words](std::string_view name, double degree) {
    if (degree > 1.0) {
      words += (words.empty() ? "" : " x ") + std::string(name) + " " + whole_text(degree);
    }
  };
  add("tp", workload.strategy == Strategy::tp && workload.tp <= 1.0 ? workload.all_gpus() : workload.tp);
  add("pp", workload.strategy == Strategy::pp && workload.pp <= 1.0 ? workload.all_gpus() : workload.pp);
  return words;
}

std::string loss_words(const Workload& workload, const SpeedFigures& speed, const Gpu& gpu) {
  const std::string times = whole_text(workload.all_gpus()) + " times one GPU";
  if (!speed.scaling_efficiency) {
    return {};
  }
  std::string kept = format_significant(100.0 * *speed.scaling_efficiency, 2) + " % of " + times;
  if (workload.strategy == Strategy::layer_split) {
    return kept + ": the cards work one after the other";
  }
  if (*speed.scaling_efficiency > 0.995) {
    return kept;
  }
  const bool stages = workload.pp > 1.0 || workload.strategy == Strategy::pp;
  return kept + (stages ? ", the rest is lost to stages that wait" : ", the rest is lost to traffic over " + link_words(workload, gpu));
}

std::string way_reason(std::span<const TriedWay> tried, std::size_t best, const Gpu& gpu) {
  const TriedWay& chosen = tried[best];
  const auto fitting = std::count_if(tried.begin(), tried.end(), [](const TriedWay& way) { return way.accepted; });
  std::string text = "divided as " + way_words(chosen.workload) + ", ";
  const bool fastest = std::none_of(tried.begin(), tried.end(), [&chosen](const TriedWay& way) {
    return way.accepted && sound(way) == sound(chosen) && throughput(way) > throughput(chosen);
  });
  text += fitting > 1 ? (fastest ? "the best of " : "the simplest among the fastest of ") + std::to_string(fitting) + " ways that fit"
                      : "the only one of " + std::to_string(tried.size()) + " ways that fits";
  if (chosen.figures.speed) {
    const std::string loss = loss_words(chosen.workload, *chosen.figures.speed, gpu);
    text += ": " + rate_words(chosen) + (loss.empty() ? "" : " (" + loss + ")");
  }
  const double fill = k_micro_batches_a_stage * chosen.workload.pp;
  if (chosen.workload.training() && chosen.workload.pp > 1.0 && chosen.workload.accumulate < fill) {
    text += ", with " + whole_text(fill) + " micro-batches a step (--accumulate " + whole_text(fill) + ")";
  }
  const std::optional<std::size_t> second = runner_up(tried, best);
  if (second) {
    text += "; " + other_words(tried[*second], chosen);
  }
  // What would run by default is named in any case.
  if (best != 0 && second && *second != 0) {
    text += ", " + other_words(tried[0], chosen);
  }
  return text;
}

std::vector<TriedWay> try_ways(const Request& request, const Gpu& gpu, estimate::CardUse use) {
  const std::vector<Spread> ways = ways_over(request);
  std::vector<TriedWay> tried;
  if (ways.size() < 2) {
    return tried;
  }
  const bool fp16 = needs_fp16(request, gpu);
  for (const Spread& way : ways) {
    TriedWay one{spread_over(request.workload, way, fp16), {}, false};
    one.figures = estimate::evaluate(estimate::prepare(one.workload, request.model), &gpu, use);
    one.accepted = one.figures.fit->verdict != Verdict::no;
    tried.push_back(one);
  }
  return tried;
}

}  // namespace gpuadvise::advise
