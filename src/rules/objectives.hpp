// What a score is made of: each objective is one fact brought to 0..1, and each preference a set of weights.
#pragma once

#include <gpuadvise/advice.hpp>

#include "rules/facts.hpp"

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise::rules {

inline constexpr std::size_t k_preferences = 5;  // enumerators of Prefer

struct ObjectiveSpec {
  Objective objective = Objective::performance;
  FactIndex fact = k_no_fact;
  bool logarithmic = false;
  double at_zero = 0.0;  // value of the fact that counts 0
  double at_one = 1.0;   // value of the fact that counts 1; may be the smaller of the two
  double unknown = 0.0;  // what an unknown fact counts
  std::string_view title;
  std::string_view why;
};

struct ObjectiveTable {
  std::string_view reference_gpu;  // throughput is compared with this card's, so that no score depends on the other candidates
  std::array<ObjectiveSpec, k_objectives> objectives{};
  std::array<std::array<double, k_objectives>, k_preferences> weights{};  // by Prefer, then Objective
};

[[nodiscard]] std::optional<Objective> parse_objective(std::string_view name);

// The objective's value in 0..1 before rules add to it. Never decreases when the fact improves.
[[nodiscard]] double objective_value(const ObjectiveSpec& spec, const Subject& subject);

struct CompiledObjectives {
  ObjectiveTable table;
  std::deque<std::string> storage;
};

// Throws Error(bad_data).
[[nodiscard]] CompiledObjectives compile_objectives(std::string_view text, const std::string& file);

}  // namespace gpuadvise::rules
