#include "rules/facts.hpp"

#include <array>
#include <cstddef>

namespace gpuadvise::rules {
namespace {

constexpr std::size_t k_groups = 5;

std::span<const Fact> group(std::size_t index) {
  switch (index) {
    case 0:
      return gpu_facts();
    case 1:
      return workload_facts();
    case 2:
      return wants_facts();
    case 3:
      return result_facts();
    default:
      return software_facts();
  }
}

}  // namespace

const Fact& fact_at(FactIndex index) {
  return group(index >> 8)[index & 0xff];
}

std::optional<FactIndex> find_fact(std::string_view name) {
  for (std::size_t g = 0; g < k_groups; ++g) {
    const std::span<const Fact> facts = group(g);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (facts[i].name == name) {
        return static_cast<FactIndex>(g * 256 + i);
      }
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> fact_names() {
  std::vector<std::string_view> names;
  for (std::size_t g = 0; g < k_groups; ++g) {
    for (const Fact& each : group(g)) {
      names.push_back(each.name);
    }
  }
  return names;
}

}  // namespace gpuadvise::rules
